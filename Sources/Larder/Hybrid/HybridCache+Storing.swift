import LarderEngine
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HybridCache {
  typealias Operation = HybridOperation<Key, Value>

  /// Stores a value over whatever the key had, and says whether a tier has it afterwards: not when
  /// it is too large for both, or neither's policy wants it, or with a time to live of zero it
  /// could never be of use. What the key had is gone in any case.
  ///
  /// - Throws: `codec`, when nothing has changed; `disk`, when disk could not store it and memory
  ///   may have.
  @discardableResult public func set(
    _ value: Value, for key: Key, options: StoreOptions = StoreOptions()
  ) throws(HybridCacheError) -> Bool {
    try store(value, key, options, isFill: false)
  }

  /// Stores what the origin gave after a get that found nothing. What it does beside a set is
  /// nothing: in an exclusive cache it leaves alone what disk's policy remembers of the key, and
  /// under placement it takes nothing out of a tier.
  ///
  /// - Throws: as `set`.
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

  /// Stores an item whose stripe is locked, and says whether a tier has it afterwards.
  func store(
    _ item: HybridItem<Key, Value>, _ operation: inout Operation, isFill: Bool
  ) -> Bool {
    noteStore(item)
    if isOver(item) {
      rules.delete(item, in: &operation)
      return false
    }
    var isFill = isFill
    if isFill, rules.demotes || rules.placement != nil {
      // Another thread may have stored it meanwhile.
      isFill = !holds(item)
      // A tier that takes nothing keeps nothing: neither an old copy.
      if isFill, !grace.isNone { dropExpired(item, &operation) }
    }
    rules.store(item, isFill: isFill, in: &operation)
    if operation.outcome.isInMemory { return true }
    if operation.stripe.dirty[item.key] != nil { writeDirty(item.key, &operation) }
    return operation.outcome.isOnDisk
  }

  private func holds(_ item: HybridItem<Key, Value>) -> Bool {
    if memory?.contains(item.key) ?? false { return true }
    return (try? diskTier?.contains(item.diskKey)) ?? false
  }

  /// Whether what is to be stored has expired and could serve nobody.
  private func isOver(_ item: HybridItem<Key, Value>) -> Bool {
    guard let life = item.options.timeToLive, life <= .zero, !item.options.isPermanent else {
      return false
    }
    // Without a version it can only be old.
    return item.options.version == nil
      || !grace.keeps(hasVersion: true, expires: item.now, now: item.now)
  }

  /// Removes what both tiers have kept of a key after it had expired.
  private func dropExpired(_ item: HybridItem<Key, Value>, _ operation: inout Operation) {
    memory?.removeExpired(item.key)
    do throws(DiskCacheError) {
      try diskTier?.removeExpired(item.diskKey)
    } catch {
      operation.outcome.fail(.disk(error))
    }
  }

  /// Removes the entry of a key, permanent or not, and says whether there was one. Nothing is
  /// remembered of it afterwards, and what is being fetched for it is not stored.
  ///
  /// - Throws: `disk`, when it may still be there.
  @discardableResult public func remove(_ key: Key) throws(HybridCacheError) -> Bool {
    try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      operation.stripe.overtake(key)
      let item = item(key)
      rules.delete(item, in: &operation)
      noteRemoval(key, item.now)
      if let failure = operation.outcome.failure { throw failure }
      return operation.outcome.isInMemory || operation.outcome.isOnDisk
    }
  }

  /// Gives an entry that has not expired another time to live from now on, 0 for none of its own,
  /// in the tiers that have it. Not a reference to it.
  ///
  /// - Throws: `disk`, when it may have its old life there.
  package func renew(_ key: Key, timeToLiveMicroseconds: UInt64) throws(HybridCacheError) {
    try withStripe(key) { (operation: inout Operation) throws(HybridCacheError) in
      var item = item(key)
      if timeToLiveMicroseconds > 0 {
        item.options.timeToLive = .microseconds(Int64(clamping: timeToLiveMicroseconds))
      }
      memory?.renew(key, timeToLiveMicroseconds: timeToLiveMicroseconds)
      guard let diskTier else { return }
      if operation.stripe.dirty[key] != nil { writeDirty(key, &operation) }
      do throws(DiskCacheError) {
        guard try diskTier.contains(item.diskKey) else { return }
        _ = try diskTier.renew(
          item.diskKey, expires: item.expiry(limit: diskAge), version: nil)
      } catch {
        throw .disk(error)
      }
    }
  }

  // MARK: Ways that several calls share

  /// Calls `body` with an operation on the locked stripe of a key, moves what memory evicted, and
  /// tells listeners once the lock is released.
  func withStripe<Result>(
    _ key: Key, _ body: (inout Operation) throws(HybridCacheError) -> Result
  ) throws(HybridCacheError) -> Result {
    try refuseNestedCall()
    let stripe = stripes[key]
    stripe.lock.lock()
    var operation = Operation(self, stripe)
    let result: Swift.Result<Result, HybridCacheError>
    do throws(HybridCacheError) {
      if isClosed { throw closedError }
      result = .success(try body(&operation))
      // The call has its answer all the same.
      if let failure = operation.outcome.failure { events.note(.failure(failure), key, .disk) }
    } catch {
      result = .failure(error)
    }
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .lateDemotion {
        stripe.lock.unlock()
        stripe.lock.lock()
      }
    #endif
    if !stripe.victims.isEmpty { demoteVictims(stripe) }
    stripe.lock.unlock()
    finish()
    return try result.get()
  }

  /// Throws if the codec calls the cache, which may have a stripe locked for it.
  func refuseNestedCall() throws(HybridCacheError) {
    if stripes.isInCodec { throw .calledByCodec }
  }

  /// The error of calls to a closed cache.
  var closedError: HybridCacheError {
    diskTier.map { .disk($0.closedError) } ?? .closed
  }

  /// What remains to be done once no lock is held.
  func finish() {
    if ForeignCall.isInside(stripes.place) { return }
    if writesBack { writeBackWhatIsDue() }
    if events.isActive { events.deliver() }
  }

  /// Moves what memory has evicted to disk, as the rules say; the stripe is locked.
  func demoteVictims(_ stripe: HybridStripe<Key, Value>) {
    let victims = stripe.victims
    stripe.victims.removeAll(keepingCapacity: true)
    var operation = Operation(self, stripe)
    for victim in victims where rules.demote(victim, in: &operation) {
      stripe.totals.demotions += 1
      events.note(.demote, victim.key, .disk)
    }
    // The call itself has done what it was asked: listeners hear that a victim is lost.
    if let failure = operation.outcome.failure { events.note(.failure(failure), nil, .disk) }
  }

  /// What an operation on a key begins with.
  func item(_ key: Key) -> HybridItem<Key, Value> {
    let now = clock.nowMicroseconds
    noteTime(now)
    return HybridItem(key: key, diskKey: disk == nil ? "" : key.diskKey, now: now)
  }

  /// Notes the time of an operation. Once the clock is put back by more than clocks are put right
  /// by, entries in memory that expire and were stored later than it says go: nobody knows how old
  /// they are.
  private func noteTime(_ now: UInt64) {
    let seen = latest.load(ordering: .relaxed)
    // A second is near enough, and threads do not write the same word all the time.
    if now &- seen < 1 << 20 { return }
    if now > seen || Self.isAhead(seen, of: now) { latest.store(now, ordering: .relaxed) }
    guard Self.isAhead(seen, of: now) else { return }
    _ = memory?.trim { held in
      let note = held.pointee.note
      let created = note.facts?.created ?? held.pointee.createdBits
      return note.expires != .max && Self.isAhead(created, of: now)
    }
  }

  /// True for a time that is ahead of the clock by more than clocks are put right by.
  static func isAhead(_ time: UInt64, of now: UInt64) -> Bool {
    time > now && time - now > 3_600_000_000
  }

  /// A value as bytes.
  func encode(_ value: Value) throws(HybridCacheError) -> Data {
    let result = Result { try codec.encode(value) }
    switch result {
    case .success(let data): return data
    case .failure(let error):
      throw .codec(message: "cannot encode a \(Value.self): \(error)")
    }
  }

  /// What an entry counts against memory's limit: the bytes of its value and of everything that
  /// memory keeps beside it, estimated, unless that is less than a 64th; 1 where entries are
  /// counted.
  func memoryWeight(_ key: Key, _ data: Data?, _ held: HybridHeld<Value>) -> Int {
    guard isMemoryWeighed else { return 1 }
    let bytes = data?.count ?? 0
    if isSimulated { return bytes }
    let overhead = held.overhead(key)
    // So that a value of a quarter of the limit still fits.
    return overhead <= bytes / 64 ? bytes : bytes + overhead
  }

  /// What memory is to hold of a value.
  func held(
    _ value: Value, _ data: Data?, created: UInt64, expires: UInt64, version: String?,
    contentType: String?, isPermanent: Bool, cost: Float, mustRevalidate: Bool
  ) -> HybridHeld<Value> {
    let kept = configuration.copiesOnRead ? data : nil
    return HybridHeld(
      kept == nil ? value : nil, created: created,
      HybridNote(
        created: created, expires: expires, version: version, contentType: contentType,
        isPermanent: isPermanent, cost: rules.demotes ? cost : 1, data: kept,
        mustRevalidate: mustRevalidate))
  }

  /// What memory holds as it is handed out.
  func open(_ held: HybridHeld<Value>) throws(HybridCacheError) -> CacheHit<Value>? {
    var value = held.value
    if value == nil, let data = held.note.facts?.data {
      let result = Result { try codec.decode(data) }
      switch result {
      case .success(let decoded): value = decoded
      case .failure(let error):
        throw .codec(message: "cannot decode a \(Value.self) that was encoded before: \(error)")
      }
    }
    return value.map { CacheHit($0, .memory, created: held.createdBits, held.note) }
  }

  /// What disk had as it is handed out.
  func hit(_ found: HybridFound<Value>) -> CacheHit<Value> {
    let metadata = found.metadata
    return CacheHit(
      found.value, .disk, created: metadata.createdMicroseconds,
      HybridNote(
        created: metadata.createdMicroseconds, expires: found.expires, version: metadata.version,
        contentType: metadata.contentType, isPermanent: metadata.isPermanent,
        mustRevalidate: metadata.mustRevalidate),
      freshness: metadata.isExpired ? .stale : .fresh)
  }
}

extension HybridStripe {
  /// A set or a removal comes before the answer to a fetch that is under way: it is not stored.
  func overtake(_ key: Key) {
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .overtakenFetchIsStored { return }
    #endif
    guard !flights.isEmpty, let flight = flights.removeValue(forKey: key) else { return }
    if !flight.isAbandoned { totals.overtaken += 1 }
  }
}
