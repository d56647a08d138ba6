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

    /// What a memory cache says. Where a label has the dimension `tier`, it has it for every cache:
    /// Prometheus wants the same names of dimensions wherever the label is the same.
    static func all(_ said: MemoryCacheStatistics) -> [CacheReading] {
      let tier = [("tier", "memory")]
      return [
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
        total("larder_removals", said.removals, tier),
        total("larder_dropped_events", said.droppedEvents, tier),
        level("larder_entries", Double(said.count), tier),
        level("larder_weight", Double(said.weight), tier),
      ]
    }

    /// What the loads of a memory cache come to.
    static func all(_ loads: MemoryLoadCounts) -> [CacheReading] {
      [
        total("larder_loads", loads.started, [("result", "started")]),
        total("larder_loads", loads.joined, [("result", "joined")]),
        total("larder_loads", loads.failed, [("result", "failed")]),
        total("larder_loads", loads.none, [("result", "absent")]),
        total("larder_refreshes", loads.refreshes, [("result", "started")]),
        total("larder_stale_answers", loads.stale, [("reason", "refreshing")]),
        total("larder_negative_hits", loads.negativeHits, []),
      ]
    }

    /// What a disk cache says.
    static func all(_ said: DiskStatistics, entries: Int, bytes: UInt64) -> [CacheReading] {
      let tier = [("tier", "disk")]
      return [
        total("larder_requests", said.hits, tier + [("result", "hit")]),
        total("larder_requests", said.misses, tier + [("result", "miss")]),
        total("larder_stores", said.stores + said.replacements, tier + [("result", "stored")]),
        total("larder_stores", said.rejections, tier + [("result", "rejected")]),
        total("larder_evictions", said.evictions, tier + [("reason", "capacity")]),
        total("larder_evictions", said.expirations, tier + [("reason", "expired")]),
        total("larder_evictions", said.freeSpaceEvictions, tier + [("reason", "free_space")]),
        total("larder_evictions", said.trims, tier + [("reason", "trim")]),
        total("larder_removals", said.removals, tier),
        total("larder_renewals", said.renewals, tier),
        total("larder_expired_reads", said.expiredReads, tier),
        total("larder_damages", said.damages, tier),
        total("larder_undecodables", said.undecodables, tier),
        total("larder_rebuilds", said.rebuilds, tier),
        total("larder_io_bytes", said.bytesRead, tier + [("operation", "read")]),
        total("larder_io_bytes", said.bytesWritten, tier + [("operation", "write")]),
        total("larder_io_bytes", said.bytesMoved, tier + [("operation", "move")]),
        total("larder_dropped_events", said.droppedEvents, tier),
        level("larder_entries", Double(entries), tier),
        level("larder_weight", Double(bytes), tier),
      ]
    }

    /// What both tiers of a hybrid cache and its fetches say.
    static func all(_ said: HybridStatistics, entries: Int, bytes: UInt64) -> [CacheReading] {
      var readings = [
        total("larder_loads", said.fetches, [("result", "started")]),
        total("larder_loads", said.joined, [("result", "joined")]),
        total("larder_loads", said.fetchFailures, [("result", "failed")]),
        total("larder_loads", said.cancelledFetches, [("result", "cancelled")]),
        total("larder_loads", said.notModified, [("result", "not_modified")]),
        total("larder_loads", said.overtaken, [("result", "overtaken")]),
        total("larder_refreshes", said.backgroundFailures, [("result", "failed")]),
        total("larder_stale_answers", said.staleHits, [("reason", "refreshing")]),
        total("larder_stale_answers", said.staleAnswers, [("reason", "origin_failed")]),
        total("larder_moves", said.promotions, [("to", "memory")]),
        total("larder_moves", said.demotions, [("to", "disk")]),
        total("larder_lost_writes", said.lostWrites, []),
        total("larder_dropped_events", said.droppedEvents, [("tier", "both")]),
        level("larder_waiting_writes", Double(said.waitingWrites), []),
      ]
      if let memory = said.memory { readings += all(memory) }
      if let disk = said.disk { readings += all(disk, entries: entries, bytes: bytes) }
      return readings
    }
  }
#endif
