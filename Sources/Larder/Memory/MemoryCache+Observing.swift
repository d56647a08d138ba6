import LarderEngine

extension MemoryCache {
  /// Entries held; those that have expired and were not found yet are among them. O(shards).
  public var count: Int {
    (0..<blocks.count).reduce(0) { $0 + withShard($1) { shard, _ in shard.tier.count } }
  }

  /// Bytes that the cache takes for keys, values and all that it knows of them, without what keys
  /// and values point to. O(shards).
  public var residentBytes: Int {
    let others = (blocks.slots?.bytes ?? 0) + (loads.absences?.residentBytes ?? 0)
    return (0..<blocks.count).reduce(others) {
      $0 + withShard($1) { shard, _ in shard.residentBytes }
    }
  }

  /// What the cache holds and what has happened in it. Shards are asked one after the other, so
  /// while other threads work the numbers need not belong to one moment. O(shards).
  public var statistics: MemoryCacheStatistics {
    var sum = MemoryCacheStatistics()
    for index in 0..<blocks.count {
      let (totals, counts, count, used) = withShard(index) { shard, _ in
        (shard.totals, shard.tier.counts, shard.tier.count, shard.tier.used)
      }
      sum.hits += totals.hits
      sum.misses += totals.misses
      sum.sets += totals.sets
      sum.admissions += counts.admissions
      sum.rejections += counts.rejections
      sum.evictions += counts.evictions
      sum.expirations += counts.expirations + totals.swept + totals.idled
      sum.removals += totals.removals
      sum.trimmed += totals.trimmed
      sum.pressure += totals.pressed
      sum.count += count
      sum.weight += used
    }
    sum.droppedEvents = events.dropped
    if let totals = blocks.slots?.totals {
      sum.hits += totals.hits
      sum.misses += totals.misses
    }
    return sum
  }

  /// What `value(for:load:)` has done.
  public var loadCounts: MemoryLoadCounts { loads.totals }

  /// Sets everything that has happened to zero; what the cache holds stays. O(shards).
  public func resetStatistics() {
    loads.resetTotals()
    for index in 0..<blocks.count {
      withShard(index) { shard, _ in
        shard.totals = ShardTotals()
        shard.tier.resetCounts()
      }
    }
    blocks.slots?.resetTotals()
  }

  /// What the tiers of all shards have counted, in a simulation's terms.
  package var tierCounts: TierCounts {
    var sum = TierCounts()
    for index in 0..<blocks.count {
      let counts = withShard(index) { shard, _ in shard.tier.counts }
      sum.admissions += counts.admissions
      sum.rejections += counts.rejections
      sum.evictions += counts.evictions
      sum.expirations += counts.expirations
      sum.bytesWritten += counts.bytesWritten
    }
    return sum
  }

  /// What happens from now on, in the order in which it happened as far as one thread and one key
  /// are concerned. When the reader is slower than the cache, only the newest `buffered` events, at
  /// least one, are kept; those lost count in `MemoryCacheStatistics.droppedEvents`. While nobody
  /// listens events cost nothing.
  public func eventStream(buffered: Int = 1024) -> AsyncStream<CacheEvent<Key>> {
    events.stream(buffered: buffered)
  }

  /// Calls `handler` with what happens from now on, on the thread on which it happens and with no
  /// lock held, until the token is cancelled or destroyed. A handler may call the cache; what it
  /// does itself is told to event streams alone.
  public func onEvent(
    _ handler: @escaping @Sendable (CacheEvent<Key>) -> Void
  ) -> CacheEventToken {
    let number = events.listen(handler)
    return CacheEventToken { [weak events] in events?.drop(number) }
  }
}
