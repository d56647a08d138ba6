extension CachePreset {
  /// Foundation's `NSCache` with limits on count and cost.
  public static let nscache = CachePreset(
    name: "nscache",
    summary: "memory only, limited by count (100) and bytes (10 MiB)",
    models: """
      Foundation's NSCache as apps configure it for pictures: countLimit 100 and totalCostLimit \
      10 MiB, with bytes as cost.
      """,
    differences: """
      The limits of NSCache are not strict and its eviction is not documented; on Linux it evicts \
      the lowest cost. Here the limits are strict and eviction is LRU. A memory warning evicts half.
      """,
    memory: Memory(count: 100, weight: 10 << 20),
    pressureRule: MemoryPressureRule(keptOnWarning: 0.5, keptWhenCritical: 0))
}
