import LarderEngine

/// What a memory cache holds and what has happened in it since it was made or its statistics were
/// reset.
public struct MemoryCacheStatistics: Sendable, Hashable, Codable {
  /// Gets answered.
  public var hits: UInt64 = 0
  /// Gets not answered, those of expired entries included.
  public var misses: UInt64 = 0
  /// Sets, those refused included.
  public var sets: UInt64 = 0
  /// Values stored under a key that had none.
  public var admissions: UInt64 = 0
  /// Values refused: they weigh more than a shard's part of the limit, or the policy does not want
  /// them.
  public var rejections: UInt64 = 0
  /// Entries that the policy gave up for want of room.
  public var evictions: UInt64 = 0
  /// Entries that a get or a sweep found expired. (One that a set finds expired is replaced and
  /// does not count, and neither does one that is evicted first. One that a hybrid cache keeps
  /// counts with each get.)
  public var expirations: UInt64 = 0
  /// Entries removed by key or by `removeAll`.
  public var removals: UInt64 = 0
  /// Entries given up to a trim.
  public var trimmed: UInt64 = 0
  /// Entries given up to memory pressure.
  public var pressure: UInt64 = 0
  /// Entries held now; those that have expired and were not found yet are among them.
  public var count: Int = 0
  /// Sum of the weights of these; their number where weights are not kept.
  public var weight: UInt64 = 0
  /// Events that readers of event streams did not get, because they were slower than the cache,
  /// since it was made.
  public var droppedEvents: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}

  /// Gets.
  public var requests: UInt64 { hits + misses }
  /// Hits divided by requests, or nil when there were none.
  public var hitRatio: Double? {
    requests == 0 ? nil : Double(hits) / Double(requests)
  }
}

/// What has happened in one shard beside what its tier counts.
@usableFromInline struct ShardTotals {
  /// Gets answered.
  @usableFromInline var hits: UInt64 = 0
  /// Gets not answered.
  @usableFromInline var misses: UInt64 = 0
  /// Sets.
  @usableFromInline var sets: UInt64 = 0
  /// Entries removed by key, or by `removeAll`.
  @usableFromInline var removals: UInt64 = 0
  /// Expired entries removed by a sweep.
  @usableFromInline var swept: UInt64 = 0
  /// Entries that a get found not accessed for too long.
  @usableFromInline var idled: UInt64 = 0
  /// Entries given up to a trim.
  @usableFromInline var trimmed: UInt64 = 0
  /// Entries given up to memory pressure.
  @usableFromInline var pressed: UInt64 = 0

  @inlinable init() {}
}

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
