import LarderEngine
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HybridCache {
  typealias Operation = HybridOperation<Key, Value>

  @discardableResult package func set(
    _ value: Value, for key: Key, options: StoreOptions = StoreOptions()
  ) throws(HybridCacheError) -> Bool {
    try store(value, key, options, isFill: false)
  }

  /// Stores the origin's value after a get that found nothing. Unlike a set, in an exclusive cache
  /// it keeps the history of the key in disk's policy, and under placement it removes nothing from
  /// a tier.
  @discardableResult package func fill(
    _ value: Value, for key: Key, options: StoreOptions = StoreOptions()
  ) throws(HybridCacheError) -> Bool {
    try store(value, key, options, isFill: true)
  }

  private func store(
    _ value: Value, _ key: Key, _ options: StoreOptions, isFill: Bool
  ) throws(HybridCacheError) -> Bool {
    var item = item(key)
    item.value = value
    item.options = options
    if encodesEarly || options.isPermanent { item.data = try encode(value) }
    return try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      operation.stripe.overtake(key)
      let isThere = store(item, &operation, isFill: isFill)
      if let failure = operation.outcome.failure { throw failure }
      return isThere
    }
  }

  func store(
    _ item: PendingWrite<Key, Value>, _ operation: inout Operation, isFill: Bool
  ) -> Bool {
    noteStore(item)
    absences.remove(item.key)
    if stripes.removalsUnderWay > 0 { operation.stripe.stored[item.key] = stripes.removal }
    if isOver(item) {
      rules.delete(item, in: &operation)
      return false
    }
    var isFill = isFill
    if isFill, rules.demotes || rules.placement != nil {
      // Another thread may have stored it meanwhile.
      isFill = !holds(item)
      // A tier that does not admit the value must not keep an old copy either.
      if isFill, !grace.isNone { dropExpired(item, &operation) }
    }
    rules.store(item, isFill: isFill, in: &operation)
    if operation.outcome.isInMemory || operation.outcome.isOnDisk { return true }
    if operation.stripe.victims.isEmpty { return false }
    // Memory may have evicted it at once, which moves it to disk.
    demoteVictims(operation.stripe)
    return holds(item)
  }

  private func holds(_ item: PendingWrite<Key, Value>) -> Bool {
    if memory?.contains(item.key) ?? false { return true }
    return (try? diskTier?.contains(item.diskKey)) ?? false
  }

  private func isOver(_ item: PendingWrite<Key, Value>) -> Bool {
    guard let life = item.options.timeToLive, life <= .zero, !item.options.isPermanent else {
      return false
    }
    // Without a version it cannot be revalidated.
    return item.options.version == nil
      || !grace.keeps(hasVersion: true, Expiry(item.now), now: item.now)
  }

  private func dropExpired(_ item: PendingWrite<Key, Value>, _ operation: inout Operation) {
    memory?.removeExpired(item.key)
    do throws(HybridCacheError) {
      try diskTier?.removeExpired(item.diskKey)
    } catch {
      operation.outcome.fail(error)
    }
  }

  @discardableResult package func remove(_ key: Key) throws(HybridCacheError) -> Bool {
    try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      operation.stripe.overtake(key)
      absences.remove(key)
      let item = item(key)
      rules.delete(item, in: &operation)
      noteRemoval(key, item.now)
      if let failure = operation.outcome.failure { throw failure }
      return operation.outcome.isRemoved
    }
  }

  /// Gives an entry that has not expired a new TTL from now on, nil for none of its own, in the
  /// tiers that have it. Not counted as an access.
  package func renew(_ key: Key, timeToLive: Duration?) throws(HybridCacheError) {
    try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      var item = item(key)
      item.options.timeToLive = timeToLive
      memory?.renew(key, timeToLive: timeToLive)
      guard let diskTier, try diskTier.contains(item.diskKey) else { return }
      _ = try diskTier.renew(item.diskKey, expiry: item.expiry(limit: diskAge), version: nil)
    }
  }

  // MARK: Shared steps

  /// Calls `body` with an operation on the locked stripe of a key, moves the entries that memory
  /// evicted, and notifies listeners once the lock is released.
  func withStripe<Result>(
    _ key: Key, _ body: (inout Operation) throws(HybridCacheError) -> Result
  ) throws(HybridCacheError) -> Result {
    try refuseNestedCall()
    defer { finish() }
    return try holding(stripes[key]) { (operation) throws(HybridCacheError) in
      if isClosed { throw closedError }
      let result = try body(&operation)
      // The call has its result nevertheless.
      if let failure = operation.outcome.failure { events.note(.failure(failure), key, .disk) }
      return result
    }
  }

  func holding<Result, Failure: Error>(
    _ stripe: HybridStripe<Key, Value>, _ body: (inout Operation) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var operation = Operation(self, stripe)
    stripe.lock.lock()
    let result = ForeignCall.run(of: stripes.place) { () -> Swift.Result<Result, Failure> in
      let result: Swift.Result<Result, Failure>
      do throws(Failure) {
        result = .success(try body(&operation))
      } catch {
        result = .failure(error)
      }
      if !stripe.victims.isEmpty { demoteVictims(stripe) }
      return result
    }
    stripe.lock.unlock()
    // The value that it read may call the cache when it is destroyed.
    withExtendedLifetime(operation) {}
    return try result.get()
  }

  func refuseNestedCall() throws(HybridCacheError) {
    if stripes.isNested { throw .calledFromWithin }
  }

  var closedError: HybridCacheError { diskTier?.closedError ?? .closed }

  func finish() {
    if ForeignCall.isInside(stripes.place) { return }
    stripes.destroyDeparted()
    disk?.sendHeldEvents()
    if events.isActive { events.deliver() }
  }

  func demoteVictims(_ stripe: HybridStripe<Key, Value>) {
    let victims = stripe.victims
    stripe.victims.removeAll(keepingCapacity: true)
    var operation = Operation(self, stripe)
    for victim in victims where rules.demote(victim, in: &operation) {
      stripe.demotions += 1
      events.note(.demote, victim.key, .disk)
    }
    stripes.keep(victims)
    // The call itself succeeded, so a lost victim is reported to listeners.
    if let failure = operation.outcome.failure { events.note(.failure(failure), nil, .disk) }
  }

  func item(_ key: Key) -> PendingWrite<Key, Value> {
    let now = clock.time
    noteTime(now)
    return PendingWrite(key: key, diskKey: disk == nil ? "" : key.diskKey, now: now)
  }

  /// Records the time of an operation. If the clock was set back by more than an adjustment,
  /// entries in memory that were stored later than its present time are removed, except permanent
  /// ones, because their age is unknown.
  private func noteTime(_ now: UInt64) {
    let seen = latest.load(ordering: .relaxed)
    // A precision of a second suffices, and saves threads from writing the same word all the time.
    if now &- seen < 1 << 20 { return }
    if now > seen || CacheInstant.isAhead(seen, of: now) { latest.store(now, ordering: .relaxed) }
    guard CacheInstant.isAhead(seen, of: now) else { return }
    _ = memory?.trim { held in
      held.pointee.metadata.facts?.metadata.isPermanent != true
        && CacheInstant.isAhead(held.pointee.creation, of: now)
    }
  }

  func encode(_ value: Value) throws(HybridCacheError) -> Data {
    let result = Result { try codec.encode(value) }
    switch result {
    case .success(let data): return data
    case .failure(let error):
      throw .codec(message: "cannot encode a \(Value.self): \(error)")
    }
  }

  /// Weight of an entry against memory's limit: the weight of its value, by default its bytes, plus
  /// the estimated overhead in memory, unless that is less than a 64th; 1 if entries are counted.
  func memoryWeight(
    _ key: Key, _ value: Value, _ data: Data?, _ held: MemoryRecord<Value>
  ) -> Int {
    guard isMemoryWeighed else { return 1 }
    let bytes = weigh.map { max(0, $0(value)) } ?? data?.count ?? 0
    if isSimulated { return bytes }
    let overhead = held.overhead(key)
    // So that a value of a quarter of the limit still fits.
    return overhead <= bytes / 64 ? bytes : bytes + overhead
  }

  func held(
    _ value: Value, _ data: Data?, _ metadata: DiskMetadata
  ) -> MemoryRecord<Value> {
    let kept = configuration.copiesOnRead ? data : nil
    var metadata = metadata
    if !rules.demotes { metadata.fetchCost = 1 }
    return MemoryRecord(
      kept == nil ? value : nil, created: metadata.creation, EntryMetadata(metadata, data: kept))
  }

  func open(_ held: MemoryRecord<Value>) throws(HybridCacheError) -> CacheHit<Value>? {
    var value = held.value
    if value == nil, let data = held.metadata.facts?.data {
      let result = Result { try codec.decode(data) }
      switch result {
      case .success(let decoded): value = decoded
      case .failure(let error):
        throw .codec(message: "cannot decode a \(Value.self) that was encoded before: \(error)")
      }
    }
    return value.map { CacheHit($0, .memory, created: held.createdBits, held.metadata) }
  }

  func hit(_ found: DiskHit<Value>) -> CacheHit<Value> {
    CacheHit(
      found.value, .disk, created: found.metadata.creation, EntryMetadata(found.metadata),
      freshness: found.metadata.isExpired ? .stale : .fresh)
  }
}

extension HybridStripe {
  func overtake(_ key: Key) {
    guard !flights.isEmpty, let flight = flights.removeValue(forKey: key) else { return }
    if !flight.isAbandoned { loads.overtaken += 1 }
  }
}
