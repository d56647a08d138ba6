import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// All stripes of a cache. Under rules that move entries evicted from memory, a stripe covers one
/// shard of memory, so that no operation can run between an eviction and the arrival on disk.
final class HybridStripes<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  private(set) var all: [HybridStripe<Key, Value>] = []
  private var hasher = KeyHasher(.standard)
  private let departed = Locked<[MemoryEviction<Key, MemoryRecord<Value>>]>([])
  /// Number of the latest removal by a predicate, and of those under way. They change with all
  /// stripes locked, and are read with one locked.
  var removal: UInt64 = 0
  var removalsUnderWay = 0

  func make(count: Int, _ hasher: KeyHasher) {
    self.hasher = hasher
    all = (0..<count).map { _ in HybridStripe() }
  }

  /// Owner of calls to the codec, and of everything that runs with a stripe locked: see
  /// `ForeignCall`.
  var place: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  var isNested: Bool {
    let isInside = ForeignCall.isInside(place)
    assert(
      !isInside, "HybridCache: codec, clock, weigher and keys must not call the cache they serve")
    return isInside
  }

  /// Calls `body` with each stripe, locked. In a nested call, stripes that are locked are skipped,
  /// because the thread may hold them.
  func visit(_ body: (HybridStripe<Key, Value>) -> Void) {
    let isNested = isNested
    for stripe in all {
      if isNested {
        guard stripe.lock.tryLock() else { continue }
      } else {
        stripe.lock.lock()
      }
      body(stripe)
      stripe.lock.unlock()
    }
  }

  func holdAll<Result>(_ body: () -> Result) -> Result {
    for stripe in all { stripe.lock.lock() }
    defer { for stripe in all { stripe.lock.unlock() } }
    return ForeignCall.run(of: place, body)
  }

  // MARK: Entries that leave memory

  /// Receives an entry that has left memory. One whose value may run code when it is destroyed is
  /// kept until no stripe is locked, because that code may call the cache.
  func receive(_ eviction: MemoryEviction<Key, MemoryRecord<Value>>, demotes: Bool) {
    if demotes, eviction.isForRoom {
      // The thread whose operation makes memory evict holds the stripe's lock.
      self[eviction.key].victims.append(eviction)
    } else {
      keep(CollectionOfOne(eviction))
    }
  }

  func keep(_ gone: some Collection<MemoryEviction<Key, MemoryRecord<Value>>>) {
    if !Self.isInert { departed.withLock { $0 += gone } }
  }

  func destroyDeparted() {
    if Self.isInert { return }
    let gone = departed.withLock { departed in
      defer { departed = [] }
      return departed
    }
    withExtendedLifetime(gone) {}
  }

  static var isInert: Bool {
    _isPOD(Value.self) || Value.self == String.self || Value.self == Data.self
      || Value.self == [UInt8].self
  }

  subscript(key: Key) -> HybridStripe<Key, Value> { all[number(key)] }

  func number(_ key: Key) -> Int { Int(truncatingIfNeeded: hasher.hash(key)) & (all.count - 1) }
}

/// A part of the keys of a hybrid cache, with the lock under which operations on both tiers run, so
/// that the tiers cannot disagree.
///
/// Everything but the lock requires the lock.
final class HybridStripe<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  let lock = SleepingLock()

  /// Entries that memory has evicted in the current operation, if the rules move them to disk.
  var victims: [MemoryEviction<Key, MemoryRecord<Value>>] = []
  var flights: [Key: CacheFlight<Value>] = [:]
  /// For keys stored while a removal by a predicate was under way, the number of the latest then.
  var stored: [Key: UInt64] = [:]
  var loads = LoadStatistics()
  var promotions: UInt64 = 0
  var demotions: UInt64 = 0
}
