import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The two tiers as seen by `HybridRules` in one operation, under the lock of its stripe.
///
/// Failures of disk or a codec are recorded in `outcome` and count as rejections.
struct HybridOperation<Key: DiskKeyRepresentable, Value: Sendable>: HybridTiers {
  let cache: HybridCache<Key, Value>
  let stripe: HybridStripe<Key, Value>
  var outcome = HybridOutcome<Value>()

  init(_ cache: HybridCache<Key, Value>, _ stripe: HybridStripe<Key, Value>) {
    self.cache = cache
    self.stripe = stripe
  }

  // MARK: Lifetimes

  func isPermanent(_ item: PendingWrite<Key, Value>) -> Bool { item.options.isPermanent }

  func isPermanent(_ found: DiskHit<Value>) -> Bool { found.metadata.isPermanent }

  func isPermanent(_ victim: MemoryEviction<Key, MemoryRecord<Value>>) -> Bool {
    victim.isPermanent
  }

  func life(_ item: PendingWrite<Key, Value>) -> UInt64 {
    item.expiry(limit: cache.diskAge).lifeLeft(at: item.now)
  }

  func lifeLeft(_ found: DiskHit<Value>, of item: PendingWrite<Key, Value>) -> UInt64 {
    found.metadata.expiry.lifeLeft(at: item.now)
  }

  func lifeLeft(_ victim: MemoryEviction<Key, MemoryRecord<Value>>) -> UInt64 {
    victim.expiry.lifeLeft(at: cache.clock.time)
  }

  // MARK: Gets

  mutating func useOnDisk(_ item: PendingWrite<Key, Value>) -> DiskHit<Value>? {
    guard let disk = cache.diskTier else { return nil }
    do throws(HybridCacheError) {
      let entry = try disk.entry(
        item.diskKey, expired: .kept(cache.grace, handsOut: item.handsOutExpired))
      guard let entry else { return nil }
      guard let value = try? cache.codec.decode(entry.data) else {
        try disk.removeUndecodable(item.diskKey)
        return nil
      }
      let found = DiskHit(value: value, data: entry.data, metadata: entry.metadata)
      outcome.found = found
      return found.metadata.isExpired ? nil : found
    } catch {
      outcome.fail(error)
      return nil
    }
  }

  mutating func isOnDisk(_ item: PendingWrite<Key, Value>) -> Bool {
    ask { (disk) throws(HybridCacheError) in try disk.contains(item.diskKey) }
  }

  mutating func toggleHitBefore(_ item: PendingWrite<Key, Value>) -> Bool {
    ask { (disk) throws(HybridCacheError) in try disk.toggleHitBefore(item.diskKey) }
  }

  /// Calls the disk, if there is one; a failure is recorded and counts as false.
  mutating func ask(_ question: (HybridDisk) throws(HybridCacheError) -> Bool) -> Bool {
    guard let disk = cache.diskTier else { return false }
    do throws(HybridCacheError) {
      return try question(disk)
    } catch {
      outcome.fail(error)
      return false
    }
  }

  // MARK: Stores

  mutating func putInMemory(_ item: PendingWrite<Key, Value>) -> Bool {
    guard let value = item.value else { return false }
    let metadata = item.metadata(limit: cache.age)
    // Memory must not return the entry beyond its expiry on disk.
    let expiry =
      cache.isSimulated
      ? item.expiry(limit: nil)
      : cache.memoryExpiry(metadata.expiry, metadata.isPermanent, item.now)
    let stored = putInMemory(item.key, value, item.data, metadata, expiry)
    outcome.isInMemory = stored == .stored
    return stored != .rejected
  }

  private func putInMemory(
    _ key: Key, _ value: Value, _ data: Data?, _ metadata: DiskMetadata, _ expiry: Expiry
  ) -> MemoryStored {
    guard let memory = cache.memory, !cache.isClosed else { return .rejected }
    let held = cache.held(value, data, metadata)
    return memory.set(
      held, for: key, weight: cache.memoryWeight(key, value, data, held), expiry: expiry,
      fetchCost: metadata.fetchCost, isPermanent: metadata.isPermanent)
  }

  mutating func putOnDisk(_ item: PendingWrite<Key, Value>) {
    guard cache.diskTier != nil, let data = item.data ?? item.value.flatMap({ encoded($0) })
    else { return }
    let life = DiskLife(created: item.now, expiry: item.expiry(limit: cache.diskAge))
    outcome.isOnDisk = ask { (disk) throws(HybridCacheError) in
      try disk.set(data, for: item.diskKey, item.options, life)
    }
  }

  private mutating func encoded(_ value: Value) -> Data? {
    do throws(HybridCacheError) {
      return try cache.encode(value)
    } catch {
      outcome.fail(error)
      return nil
    }
  }

  func promote(_ found: DiskHit<Value>, of item: PendingWrite<Key, Value>) -> Bool {
    let expiry = cache.memoryExpiry(found.metadata.expiry, found.metadata.isPermanent, item.now)
    return putInMemory(item.key, found.value, found.data, found.metadata, expiry) != .rejected
  }

  mutating func demote(_ victim: MemoryEviction<Key, MemoryRecord<Value>>) -> Bool {
    let (held, metadata) = (victim.value, victim.value.metadata)
    guard cache.diskTier != nil,
      let data = metadata.facts?.data ?? held.value.flatMap({ encoded($0) })
    else { return false }
    return ask { (disk) throws(HybridCacheError) in
      try disk.set(
        data, for: victim.key.diskKey, DiskStoreOptions(metadata.all(created: held.creation)),
        DiskLife(created: held.creation, expiry: victim.expiry))
    }
  }

  // MARK: Removals

  mutating func removeFromMemory(_ item: PendingWrite<Key, Value>) {
    guard let memory = cache.memory else { return }
    // An expired entry that is kept is one, too.
    let isExpired = !cache.grace.isNone && memory.expired(item.key) != nil
    if memory.remove(item.key) != nil || isExpired { outcome.isRemoved = true }
  }

  mutating func removeFromDisk(_ item: PendingWrite<Key, Value>) {
    if ask({ (disk) throws(HybridCacheError) in try disk.remove(item.diskKey) }) {
      outcome.isRemoved = true
    }
  }
}

struct PendingWrite<Key: DiskKeyRepresentable, Value: Sendable> {
  let key: Key
  /// The key on disk; empty without a disk tier.
  let diskKey: String
  let now: UInt64
  var value: Value?
  var data: Data?
  var options = DiskStoreOptions()
  /// True if a get accepts an expired copy on disk.
  var handsOutExpired = false

  func expiry(limit: Duration?) -> Expiry {
    if options.isPermanent { return .never }
    var life = options.timeToLive?.microseconds
    if let limit { life = min(life ?? .max, max(1, limit.microseconds)) }
    return Expiry(after: life, from: now)
  }

  func metadata(limit: Duration?) -> DiskMetadata {
    DiskMetadata(
      version: options.version, contentType: options.contentType, creation: now,
      expiry: expiry(limit: limit), fetchCost: options.fetchCost, isPermanent: options.isPermanent,
      mustRevalidate: options.mustRevalidate)
  }
}

struct DiskHit<Value: Sendable> {
  var value: Value
  var data: Data
  var metadata: DiskMetadata
}

struct HybridOutcome<Value: Sendable> {
  private(set) var failure: HybridCacheError?
  var found: DiskHit<Value>?
  var expired: DiskHit<Value>? { found.flatMap { $0.metadata.isExpired ? $0 : nil } }
  var isInMemory = false
  var isOnDisk = false
  /// True if a tier had an entry that was removed.
  var isRemoved = false

  mutating func fail(_ error: HybridCacheError) {
    if failure == nil { failure = error }
  }
}
