import LarderEngine

@usableFromInline struct ShardTotals {
  @usableFromInline var hits: UInt64 = 0
  @usableFromInline var misses: UInt64 = 0
  @usableFromInline var sets: UInt64 = 0
  @usableFromInline var expiredSets: UInt64 = 0
  @usableFromInline var removals: UInt64 = 0
  @usableFromInline var swept: UInt64 = 0
  @usableFromInline var idled: UInt64 = 0
  @usableFromInline var trimmed: UInt64 = 0
  @usableFromInline var pressed: UInt64 = 0

  @inlinable init() {}
}

extension MemoryCache {
  /// Resident entries, including expired ones that were not found yet. O(shards).
  public var count: Int {
    (0..<blocks.count).reduce(0) { $0 + withShard($1) { shard, _ in shard.tier.count } }
  }

  /// Bytes that the cache uses for keys, values and all its bookkeeping, without memory that keys
  /// and values point to. O(shards).
  public var residentBytes: Int {
    let others = blocks.bytes + (blocks.slots?.bytes ?? 0) + (loads.absences?.residentBytes ?? 0)
    return (0..<blocks.count).reduce(others) {
      $0 + withShard($1) { shard, _ in shard.residentBytes }
    }
  }

  /// Contents and event counts of the cache. Shards are read one after the other, so the numbers
  /// are no snapshot while other threads work. O(shards).
  public var statistics: TierStatistics {
    var sum = TierStatistics()
    for index in 0..<blocks.count {
      let (totals, counts, count, used) = withShard(index) { shard, _ in
        (shard.totals, shard.tier.counts, shard.tier.count, shard.tier.used)
      }
      sum.hits += totals.hits
      sum.misses += totals.misses
      sum.sets += totals.sets
      sum.admissions += counts.admissions
      sum.rejections += counts.rejections + totals.expiredSets
      sum.evictions += counts.evictions
      sum.expirations += counts.expirations + totals.swept + totals.idled
      sum.removals += totals.removals
      sum.trims += totals.trimmed
      sum.pressure += totals.pressed
      sum.count += count
      sum.weight += used
    }
    sum.droppedEvents = events.dropped
    sum.policyChoice = policyChoice
    if let totals = blocks.slots?.totals {
      sum.hits += totals.hits
      sum.misses += totals.misses
    }
    return sum
  }

  package var policyChoice: PolicyChoice? { withShard(0) { shard, _ in shard.tier.choice } }

  /// Counts of loads.
  public var loadStatistics: LoadStatistics { loads.totals }

  /// Resets all event counts to zero; the contents are unchanged. O(shards).
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

  /// Returns a stream of all events from now on, in order for events of one thread or one key. If
  /// the reader is slower than the cache, only the newest `buffered` events, at least one, are
  /// kept; lost ones count in `TierStatistics.droppedEvents`. Without listeners events cost
  /// nothing.
  public func eventStream(buffered: Int = 1024) -> AsyncStream<CacheEvent<Key>> {
    watchLeader()
    return events.stream(buffered: buffered)
  }

  /// Calls `handler` for every event from now on, on the thread of the event and with no lock held,
  /// until the token is cancelled or destroyed. A handler may call the cache; events that it causes
  /// itself are reported to event streams only.
  public func onEvent(
    _ handler: @escaping @Sendable (CacheEvent<Key>) -> Void
  ) -> CacheEventToken {
    watchLeader()
    let number = events.listen(handler)
    return CacheEventToken { [weak events] in events?.drop(number) }
  }

  /// Reports changes of the policy in charge from now on, if the policy chooses among others: they
  /// are found after the events of requests, so that these cost nothing without listeners.
  private func watchLeader() {
    if events.isActive { return }
    guard let leader else { return }
    let reported = Locked(leader)
    events.watchLeader { [weak self] in
      guard let self else { return nil }
      return reported.withLock { old in
        guard let leader = self.leader, leader != old else { return nil }
        defer { old = leader }
        return (UInt8(clamping: old), UInt8(clamping: leader))
      }
    }
  }

  private var leader: Int? { withShard(0) { shard, _ in shard.tier.leading } }
}
