import LarderEngine

/// Contents and event counts of a hybrid cache, by tier and by reason.
public struct HybridStatistics: Sendable, Hashable, Codable {
  /// Statistics of the memory tier; nil without one.
  public var memory: TierStatistics?
  /// Statistics of the disk tier; nil without one. Its misses are gets that neither tier could
  /// answer.
  public var disk: TierStatistics?
  /// Values copied or moved from disk to memory.
  public var promotions: UInt64 = 0
  /// Values moved from memory to disk.
  public var demotions: UInt64 = 0
  /// Counts of loads.
  public var loads = LoadStatistics()
  /// Events lost because listeners were slower than the cache.
  public var droppedEvents: UInt64 = 0

  /// Creates statistics that are all zero.
  public init() {}
}

extension HybridCache {
  /// Contents and event counts of the tiers. Parts are read one after the other, so the numbers are
  /// no snapshot while other threads work. O(shards).
  public var statistics: HybridStatistics {
    get async { await lanes.run(0) { self.readStatistics() } }
  }

  package func readStatistics() -> HybridStatistics {
    var sum = HybridStatistics()
    stripes.visit { stripe in
      sum.promotions += stripe.promotions
      sum.demotions += stripe.demotions
      sum.loads += stripe.loads
    }
    sum.memory = memory?.statistics
    sum.disk = disk?.statistics
    sum.droppedEvents = events.droppedEvents
    return sum
  }

  package var memoryCount: Int { memory?.count ?? 0 }
  package var diskCount: Int { disk?.count ?? 0 }
  package var diskValueBytes: UInt64 { disk?.valueBytes ?? 0 }

  /// Bytes of all files of the disk tier. O(entries).
  public var fileBytes: UInt64 { get async { await lanes.run(0) { self.diskBytes } } }

  package var diskBytes: UInt64 { disk?.diskBytes ?? 0 }

  package var diskWrites: DiskWrites? { disk?.writes }

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
