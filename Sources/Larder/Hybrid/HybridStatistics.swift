public import LarderEngine

/// Contents and event counts of a hybrid cache, by tier and by reason.
public struct HybridStatistics: Sendable, Hashable, Codable {
  /// Statistics of the memory tier; nil without one.
  public var memory: MemoryCacheStatistics?
  /// Statistics of the disk tier; nil without one. Its misses are gets that neither tier could
  /// answer.
  public var disk: DiskStatistics?
  /// Values copied or moved from disk to memory.
  public var promotions: UInt64 = 0
  /// Values moved from memory to disk.
  public var demotions: UInt64 = 0
  /// Requests to the origin.
  public var fetches: UInt64 = 0
  /// Requests that waited for a running fetch.
  public var joined: UInt64 = 0
  /// Fetches to which the origin responded "not modified".
  public var notModified: UInt64 = 0
  /// Fetches that were not stored, because their key was set or removed meanwhile.
  public var overtaken: UInt64 = 0
  /// Fetches that failed.
  public var fetchFailures: UInt64 = 0
  /// Failed fetches that were background refreshes.
  public var backgroundFailures: UInt64 = 0
  /// Fetches that were cancelled, which do not count as failures.
  public var cancelledFetches: UInt64 = 0
  /// Requests that received a cached value because the origin failed.
  public var staleAnswers: UInt64 = 0
  /// Requests that received an expired value while it was being refreshed.
  public var staleHits: UInt64 = 0
  /// Requests that were answered by a remembered absence.
  public var negativeHits: UInt64 = 0
  /// Events lost because listeners were slower than the cache.
  public var droppedEvents: UInt64 = 0

  /// Creates statistics that are all zero.
  public init() {}
}

/// Event counts of one stripe.
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
  var negativeHits: UInt64 = 0
}

extension HybridCache {
  /// Contents and event counts of the tiers. Parts are read one after the other, so the numbers are
  /// no snapshot while other threads work. O(shards).
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
      sum.negativeHits += totals.negativeHits
    }
    sum.memory = memory?.statistics
    sum.disk = disk?.statistics
    sum.droppedEvents = events.droppedEvents
    return sum
  }

  /// Entries in memory, including expired ones that were not found yet. O(shards).
  public var memoryCount: Int { memory?.count ?? 0 }

  /// Entries on disk, of all suites, including permanent ones.
  public var diskCount: Int { disk?.count ?? 0 }

  /// Sum of the bytes of all values on disk, of all suites.
  public var diskValueBytes: UInt64 { disk?.valueBytes ?? 0 }

  /// Bytes of all files of the disk tier. O(entries).
  public var diskBytes: UInt64 { disk?.diskBytes ?? 0 }

  /// Bytes written by the disk tier since it was opened; nil without one.
  package var diskWrites: DiskWrites? { disk?.writes }

  /// Bytes of memory for keys, values and all bookkeeping, without memory that keys and values
  /// point to. O(shards).
  public var memoryResidentBytes: Int { memory?.residentBytes ?? 0 }

  /// Choice of a policy in memory that chooses among others: see `MemoryCache.policyChoice`.
  public var memoryPolicyChoice: PolicyChoice? { memory?.policyChoice }

  /// Choice of a policy on disk that chooses among others; nil for other policies.
  public var diskPolicyChoice: PolicyChoice? { disk?.policyChoice }

  /// Returns a stream of all events from now on. If the reader is slower than the cache, only the
  /// newest `buffered` events, at least one, are kept; lost ones count in
  /// `HybridStatistics.droppedEvents`. Without listeners events cost nothing.
  public func eventStream(buffered: Int = 1024) -> AsyncStream<HybridEvent> {
    events.stream(buffered: max(buffered, 1)) { listenToTiers() }
  }

  /// Calls `handler` for every event from now on, in order, one at a time, on a thread of the cache
  /// or one that uses it, with no lock held, until the token is cancelled or destroyed. If handlers
  /// are slower than the cache, only the newest 4096 events wait for them: an event `dropped`
  /// reports the number lost before the next. A handler may call the cache; events that it causes
  /// itself go to event streams only.
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
    let fromDisk = disk?.observe { [weak events] event in
      guard event.key.suite == suite,
        let told = HybridEvent(event.kind, key: event.key.key, tier: .disk)
      else { return }
      events?.note(told)
    }
    return [fromMemory, fromDisk].compactMap { $0 }
  }
}
