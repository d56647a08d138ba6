extension CachePreset {
  /// Product images of a shop.
  public static let shopImages = CachePreset(
    name: "shop-images",
    summary: "200 images and 50 MB in memory; 1000 images on disk, LRU",
    models: """
      Product images that scroll without a stutter and are not loaded twice: NSCache for the last \
      200 and at most 50 MB by their size, YYCache for the last 1000.
      """,
    differences: """
      There the images in memory are decoded and weigh their pixels; here they weigh the bytes \
      that are stored.
      """,
    memory: Memory(count: 200, bytes: 50_000_000), disk: Disk(entries: 1000))
}
