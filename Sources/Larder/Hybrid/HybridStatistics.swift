/// What a hybrid cache has done, by tier and by reason.
public struct HybridStatistics: Sendable, Hashable, Codable {
  /// What memory holds and has done; nil without it.
  public var memory: MemoryCacheStatistics?
  /// What disk has done; nil without it. Its misses are gets that neither tier could answer.
  public var disk: DiskStatistics?
  /// Values copied or moved from disk to memory.
  public var promotions: UInt64 = 0
  /// Values moved from memory to disk.
  public var demotions: UInt64 = 0
  /// Times that the origin was asked.
  public var fetches: UInt64 = 0
  /// Requests that waited for a fetch that was under way.
  public var joined: UInt64 = 0
  /// Fetches that the origin answered with "not modified".
  public var notModified: UInt64 = 0
  /// Fetches that were not stored, because their key was set or removed meanwhile.
  public var overtaken: UInt64 = 0
  /// Fetches that failed.
  public var fetchFailures: UInt64 = 0
  /// Those of them that were refreshes behind an answer.
  public var backgroundFailures: UInt64 = 0
  /// Fetches that were cancelled; they are not failures.
  public var cancelledFetches: UInt64 = 0
  /// Requests that got a value of the cache because the origin failed.
  public var staleAnswers: UInt64 = 0
  /// Requests that got an expired value of the cache while it was being refreshed.
  public var staleHits: UInt64 = 0
  /// Entries that wait to be written to disk.
  public var waitingWrites: Int = 0
  /// Entries that disk refused by an error when they were written later.
  public var lostWrites: UInt64 = 0
  /// Events that listeners did not get, because they were slower than the cache.
  public var droppedEvents: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}
}

/// What happened in one stripe.
struct HybridTotals {
  var promotions: UInt64 = 0
  var demotions: UInt64 = 0
  var fetches: UInt64 = 0
  var joined: UInt64 = 0
  var notModified: UInt64 = 0
  var overtaken: UInt64 = 0
  var failures: UInt64 = 0
  var backgroundFailures: UInt64 = 0
  var cancelled: UInt64 = 0
  var staleAnswers: UInt64 = 0
  var staleHits: UInt64 = 0
  var lostWrites: UInt64 = 0
}

extension HybridCache {
  /// What the tiers hold and what has happened. Parts are asked one after the other, so while other
  /// threads work the numbers need not belong to one moment. O(shards).
  public var statistics: HybridStatistics {
    var sum = HybridStatistics()
    stripes.visit { stripe in
      let totals = stripe.totals
      sum.promotions += totals.promotions
      sum.demotions += totals.demotions
      sum.fetches += totals.fetches
      sum.joined += totals.joined
      sum.notModified += totals.notModified
      sum.overtaken += totals.overtaken
      sum.fetchFailures += totals.failures
      sum.backgroundFailures += totals.backgroundFailures
      sum.cancelledFetches += totals.cancelled
      sum.staleAnswers += totals.staleAnswers
      sum.staleHits += totals.staleHits
      sum.lostWrites += totals.lostWrites
    }
    sum.waitingWrites = pending.waiting
    sum.memory = memory?.statistics
    sum.disk = disk?.statistics
    sum.droppedEvents = events.droppedEvents
    return sum
  }

  /// Entries in memory; those that have expired and were not found yet are among them. O(shards).
  public var memoryCount: Int { memory?.count ?? 0 }

  /// Entries on disk, of all suites, permanent ones included.
  public var diskCount: Int { disk?.count ?? 0 }

  /// Sum of the bytes of all values on disk, of all suites.
  public var diskValueBytes: UInt64 { disk?.valueBytes ?? 0 }

  /// Bytes of all files of the disk tier. O(entries).
  public var diskBytes: UInt64 { disk?.diskBytes ?? 0 }

  /// What the disk tier has written since it was opened; nil without one.
  package var diskWrites: DiskWrites? { disk?.writes }

  /// Bytes that memory takes for keys, values and all that it knows of them, without what keys and
  /// values point to. O(shards).
  public var memoryResidentBytes: Int { memory?.residentBytes ?? 0 }

  /// What happens from now on. When the reader is slower than the cache, only the newest `buffered`
  /// events, at least one, are kept; those lost count in `HybridStatistics.droppedEvents`. While
  /// nobody listens events cost nothing.
  public func eventStream(buffered: Int = 1024) -> AsyncStream<HybridEvent> {
    events.stream(buffered: max(buffered, 1)) { listenToTiers() }
  }

  /// Calls `handler` with what happens from now on, in the order in which it happened, one at a
  /// time, on a thread that uses the cache or is its own and with no lock held, until the token is
  /// cancelled or destroyed. When handlers are slower than the cache, only the newest 4096 events
  /// wait for them: an event `dropped` says how many were lost before the next. A handler may call
  /// the cache; what it does itself is told to event streams alone.
  public func onEvent(
    _ handler: @escaping @Sendable (HybridEvent) -> Void
  ) -> CacheEventToken {
    let number = events.listen(handler) { listenToTiers() }
    return CacheEventToken { [weak events] in events?.drop(number) }
  }

  private func listenToTiers() -> [CacheEventToken] {
    let suite = configuration.suite
    let fromMemory = memory?.onEvent { [weak events] event in
      guard let told = HybridEvent(event.kind, key: event.key.diskKey, tier: .memory) else {
        return
      }
      events?.note(told)
    }
    let fromDisk = disk?.onEvent { [weak events] event in
      guard event.key.suite == suite,
        let told = HybridEvent(event.kind, key: event.key.key, tier: .disk)
      else { return }
      events?.note(told)
    }
    return [fromMemory, fromDisk].compactMap { $0 }
  }
}
