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

  /// Creates an operation on `stripe`, which must be locked.
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
    do throws(DiskCacheError) {
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
      outcome.fail(.disk(error))
      return nil
    }
  }

  mutating func isOnDisk(_ item: PendingWrite<Key, Value>) -> Bool {
    ask { (disk) throws(DiskCacheError) in try disk.contains(item.diskKey) }
  }

  mutating func toggleHitBefore(_ item: PendingWrite<Key, Value>) -> Bool {
    ask { (disk) throws(DiskCacheError) in try disk.toggleHitBefore(item.diskKey) }
  }

  /// Asks the disk, which has responded before in this operation; a failure is recorded and counts
  /// as false.
  private mutating func ask(_ question: (HybridDisk) throws(DiskCacheError) -> Bool) -> Bool {
    guard let disk = cache.diskTier else { return false }
    do throws(DiskCacheError) {
      return try question(disk)
    } catch {
      outcome.fail(.disk(error))
      return false
    }
  }

  // MARK: Stores

  mutating func putInMemory(_ item: PendingWrite<Key, Value>) -> Bool {
    guard let memory = cache.memory, let value = item.value, !cache.isClosed else { return false }
    let expiry = item.expiry(limit: cache.disk == nil ? cache.memoryAge : cache.diskAge)
    let held = cache.held(
      value, item.data, created: item.now, expiry: expiry, version: item.options.version,
      contentType: item.options.contentType, isPermanent: item.options.isPermanent,
      cost: item.options.fetchCost, mustRevalidate: item.options.mustRevalidate)
    let stored = memory.set(
      held, for: item.key, weight: cache.memoryWeight(item.key, value, item.data, held),
      // Memory must not return the entry beyond its expiry on disk.
      expiry: cache.isSimulated
        ? item.expiry(limit: nil) : cache.memoryExpiry(expiry, item.options.isPermanent, item.now),
      fetchCost: item.options.fetchCost, isPermanent: item.options.isPermanent)
    outcome.isInMemory = stored == .stored
    return stored != .rejected
  }

  mutating func putOnDisk(_ item: PendingWrite<Key, Value>) {
    guard let disk = cache.diskTier, let data = data(of: item) else { return }
    let expiry = item.expiry(limit: cache.diskAge)
    do throws(DiskCacheError) {
      outcome.isOnDisk = try disk.set(
        data, for: item.diskKey, item.options, DiskLife(created: item.now, expiry: expiry))
    } catch {
      outcome.fail(.disk(error))
    }
  }

  private mutating func data(of item: PendingWrite<Key, Value>) -> Data? {
    if let data = item.data { return data }
    guard let value = item.value else { return nil }
    return encoded(value)
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
    guard let memory = cache.memory, !cache.isClosed else { return false }
    let metadata = found.metadata
    let held = cache.held(
      found.value, found.data, created: metadata.creation, expiry: metadata.expiry,
      version: metadata.version, contentType: metadata.contentType,
      isPermanent: metadata.isPermanent, cost: metadata.fetchCost,
      mustRevalidate: metadata.mustRevalidate)
    let stored = memory.set(
      held, for: item.key, weight: cache.memoryWeight(item.key, found.value, found.data, held),
      expiry: cache.memoryExpiry(metadata.expiry, metadata.isPermanent, item.now),
      fetchCost: metadata.fetchCost,
      isPermanent: metadata.isPermanent)
    return stored != .rejected
  }

  mutating func demote(_ victim: MemoryEviction<Key, MemoryRecord<Value>>) -> Bool {
    let facts = victim.value.metadata.facts
    guard let disk = cache.diskTier else { return false }
    var data = facts?.data
    if data == nil, let value = victim.value.value { data = encoded(value) }
    guard let data else { return false }
    do throws(DiskCacheError) {
      return try disk.set(
        data, for: victim.key.diskKey,
        DiskStoreOptions(
          version: facts?.version, contentType: facts?.contentType, fetchCost: facts?.cost ?? 1,
          mustRevalidate: facts?.mustRevalidate ?? false),
        DiskLife(
          created: victim.value.creation,
          expiry: victim.expiry))
    } catch {
      outcome.fail(.disk(error))
      return false
    }
  }

  // MARK: Removals

  mutating func removeFromMemory(_ item: PendingWrite<Key, Value>) {
    guard let memory = cache.memory else { return }
    if memory.remove(item.key) != nil { outcome.isInMemory = true }
  }

  mutating func removeFromDisk(_ item: PendingWrite<Key, Value>) {
    guard let disk = cache.diskTier else { return }
    do throws(DiskCacheError) {
      if try disk.remove(item.diskKey) { outcome.isOnDisk = true }
    } catch {
      outcome.fail(.disk(error))
    }
  }
}

/// Subject of an operation: a key, and the value to be stored for it.
struct PendingWrite<Key: DiskKeyRepresentable, Value: Sendable> {
  let key: Key
  /// The key on disk; empty without a disk tier.
  let diskKey: String
  /// Time of the operation in microseconds.
  let now: UInt64
  /// The value to be stored; nil in a get.
  var value: Value?
  /// The encoded value, if it was needed already.
  var data: Data?
  var options = DiskStoreOptions()
  /// True if a get accepts an expired copy on disk.
  var handsOutExpired = false

  /// Expiry of the item in a tier that limits its TTL to `limit`.
  func expiry(limit: Duration?) -> Expiry {
    if options.isPermanent { return .never }
    var life = options.timeToLive?.microseconds
    if let limit { life = min(life ?? .max, max(1, limit.microseconds)) }
    return Expiry(after: life, from: now)
  }
}

/// An entry returned by the disk tier.
struct DiskHit<Value: Sendable> {
  var value: Value
  var data: Data
  var metadata: DiskMetadata
}

/// Result of an operation on a hybrid cache.
struct HybridOutcome<Value: Sendable> {
  private(set) var failure: HybridCacheError?
  /// The entry found on disk, expired or not.
  var found: DiskHit<Value>?
  var expired: DiskHit<Value>? { found.flatMap { $0.metadata.isExpired ? $0 : nil } }
  /// True if memory holds the stored value, or held the removed one.
  var isInMemory = false
  /// True if disk holds the stored value, or held the removed one.
  var isOnDisk = false

  /// Records a failure; only the first one is reported.
  mutating func fail(_ error: HybridCacheError) {
    if failure == nil { failure = error }
  }
}
