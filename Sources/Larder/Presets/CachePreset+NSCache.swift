extension CachePreset {
  /// Foundation's `NSCache` with limits on count and cost.
  public static let nscache = CachePreset(
    name: "nscache",
    summary: "memory alone, limited by count (100) and bytes (10 MiB)",
    models: """
      Foundation's NSCache as apps set it up for pictures: countLimit 100 and totalCostLimit \
      10 MiB, the cost of an entry being its bytes.
      """,
    differences: """
      NSCache's limits are not strict and what it evicts is not documented; on Linux it is what \
      costs least. Here the limits hold and eviction is LRU. On a memory warning half is given up.
      """,
    memory: Memory(count: 100, bytes: 10 << 20),
    pressureRule: MemoryPressureRule(keptOnWarning: 0.5, keptWhenCritical: 0))
}
