#if Metrics
  import Larder

  /// One number of a cache's statistics, as a metric.
  struct CacheReading {
    enum Value {
      /// Grows for as long as statistics are not reset.
      case total(UInt64)
      /// Goes up and down.
      case level(Double)
    }

    var label: String
    var dimensions: [(String, String)]
    var value: Value

    private static func total(
      _ label: String, _ value: UInt64, _ dimensions: [(String, String)]
    ) -> CacheReading {
      CacheReading(label: label, dimensions: dimensions, value: .total(value))
    }

    private static func level(
      _ label: String, _ value: Double, _ dimensions: [(String, String)]
    ) -> CacheReading {
      CacheReading(label: label, dimensions: dimensions, value: .level(value))
    }

    /// What a memory cache says; `tier` where it is one of two.
    static func all(
      _ said: MemoryCacheStatistics, _ loads: MemoryLoadCounts?, tier: [(String, String)] = []
    ) -> [CacheReading] {
      var readings = [
        total("larder_requests", said.hits, tier + [("result", "hit")]),
        total("larder_requests", said.misses, tier + [("result", "miss")]),
        total(
          "larder_stores", said.sets - min(said.rejections, said.sets),
          tier + [("result", "stored")]),
        total("larder_stores", said.rejections, tier + [("result", "rejected")]),
        total("larder_evictions", said.evictions, tier + [("reason", "capacity")]),
        total("larder_evictions", said.expirations, tier + [("reason", "expired")]),
        total("larder_evictions", said.pressure, tier + [("reason", "pressure")]),
        total("larder_evictions", said.trimmed, tier + [("reason", "trim")]),
        level("larder_entries", Double(said.count), tier),
        level("larder_weight", Double(said.weight), tier),
      ]
      if let loads {
        readings += [
          total("larder_loads", loads.started, [("result", "started")]),
          total("larder_loads", loads.joined, [("result", "joined")]),
          total("larder_loads", loads.failed, [("result", "failed")]),
        ]
      }
      return readings
    }

    /// What a disk cache says.
    static func all(
      _ said: DiskStatistics, entries: Int, bytes: UInt64, tier: [(String, String)] = []
    ) -> [CacheReading] {
      [
        total("larder_requests", said.hits, tier + [("result", "hit")]),
        total("larder_requests", said.misses, tier + [("result", "miss")]),
        total("larder_stores", said.stores + said.replacements, tier + [("result", "stored")]),
        total("larder_stores", said.rejections, tier + [("result", "rejected")]),
        total("larder_evictions", said.evictions, tier + [("reason", "capacity")]),
        total("larder_evictions", said.expirations, tier + [("reason", "expired")]),
        total("larder_evictions", said.freeSpaceEvictions, tier + [("reason", "free_space")]),
        total("larder_evictions", said.trims, tier + [("reason", "trim")]),
        total("larder_damages", said.damages, tier),
        level("larder_entries", Double(entries), tier),
        level("larder_weight", Double(bytes), tier),
      ]
    }

    /// What both tiers of a hybrid cache say.
    static func all(_ said: HybridStatistics, entries: Int, bytes: UInt64) -> [CacheReading] {
      var readings = [
        total("larder_loads", said.fetches, [("result", "started")]),
        total("larder_loads", said.joined, [("result", "joined")]),
        total("larder_loads", said.fetchFailures, [("result", "failed")]),
      ]
      if let memory = said.memory { readings += all(memory, nil, tier: [("tier", "memory")]) }
      if let disk = said.disk {
        readings += all(disk, entries: entries, bytes: bytes, tier: [("tier", "disk")])
      }
      return readings
    }
  }
#endif
