extension CachePreset {
  /// Product images of a shop.
  public static let shopImages = CachePreset(
    name: "shop-images",
    summary: "200 images and 50 MB in memory; 1000 images on disk, LRU",
    models: """
      Product images that scroll smoothly and are not loaded twice: NSCache for the last 200, up \
      to 50 MB, and YYCache for the last 1000.
      """,
    differences: """
      There images in memory are decoded and count their pixels; here they count the stored bytes.
      """,
    memory: Memory(count: 200, weight: 50_000_000), disk: Disk(count: 1000))
}
