public import Synchronization

/// One tier of a cache without its keys and values, for simulations and real caches: a policy, its
/// limits, and the state of each resident object. The driver in the contract of `EvictionPolicy`.
@usableFromInline struct Tier<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  @usableFromInline var policy: Policy
  @usableFromInline var capacity: UInt64
  // In microseconds; 0 for no limit.
  @usableFromInline var timeToLive: UInt64
  @usableFromInline var objectsMax: Int
  @usableFromInline var filter: TierFilter?
  @usableFromInline let keepsCosts: Bool
  @usableFromInline let keepsExpired: Bool
  // True if objects have sizes: see `weighs`.
  @usableFromInline let hasSizes: Bool
  @usableFromInline var fingerprints: Column<UInt32>
  @usableFromInline var sizes: Column<UInt32>
  // The size of an entry by that of its value if objects count with their entries' overhead.
  @usableFromInline let entrySize: (@Sendable (UInt32) -> UInt32)?
  // The sizes of the values if they differ from `sizes`.
  @usableFromInline var values: Column<UInt32>
  // The cost of the stored copy's fetch, which a hit does not carry.
  @usableFromInline var costs: Column<Float>
  // Complements, so that 0 is no expiry.
  @usableFromInline var expiries: Column<UInt64>
  @usableFromInline var stale: Column<Bool>
  /// True if entries may have an expiry; until then there are no expiries.
  @usableFromInline var hasExpiries = false
  // True if an entry was ever marked as stale; until then there are no marks.
  @usableFromInline var hasStale = false
  // The largest id with room in the columns.
  @usableFromInline private(set) var objects: Int
  @usableFromInline var used: UInt64 = 0
  /// Resident objects. Counted if the shape supports limits on them.
  @usableFromInline var count = 0
  @usableFromInline var counts = TierCounts()

  /// True while a cache is read back: the filter records objects without deciding.
  @usableFromInline var isRestoring = false

  /// True if ghosts are in slots: see `ThreeQueues.placeGhosts`.
  @usableFromInline var placesGhosts = false

  // While the policy changes: the one before, and the residents that are not in `policy`.
  @usableFromInline var former: Held<Policy>?
  @usableFromInline var waiting = 0

  @usableFromInline init(_ setup: CacheTierSetup) throws(PolicyError) {
    let made = try TierFilter(
      setup, policy: Policy.description.name,
      namesVictim: Policy.description.traits.contains(.namesVictim))
    let objects = setup.objects
    let entrySize = try EntryMemory.sizes(of: setup.policy, Policy.description)
    let hasSizes = Shape.weighs ?? setup.weighs
    let addsEntries = Shape.limits && hasSizes && setup.unit == .bytes && entrySize != nil
    policy = try Policy(
      PolicySetup(
        capacity: setup.capacity, unit: setup.unit, objects: objects, seed: setup.seed,
        spec: setup.policy, group: setup.group))
    filter = made
    capacity = policy.exceedsCapacity ? PolicySetup.capacityMax : setup.capacity
    timeToLive = setup.timeToLiveMicroseconds ?? 0
    objectsMax = setup.objectsMax
    keepsCosts =
      Shape.limits && (setup.keepsCosts ?? Policy.description.needs.contains(.cost))
    keepsExpired = setup.keepsExpired
    self.hasSizes = hasSizes
    fingerprints = Column(objects: made == nil ? 0 : objects)
    sizes = Column(objects: hasSizes ? objects : 0)
    self.entrySize = addsEntries ? entrySize : nil
    values = Column(objects: addsEntries ? objects : 0)
    costs = Column(objects: keepsCosts ? objects : 0)
    expiries = Column(objects: 0)
    stale = Column(objects: 0)
    self.objects = objects
  }

  @usableFromInline mutating func reserve(objects: Int) {
    policy.reserve(objects: objects)
    former?.with { $0.reserve(objects: objects) }
    if filter != nil { fingerprints.reserve(objects: objects) }
    if weighs { sizes.reserve(objects: objects) }
    if entrySize != nil { values.reserve(objects: objects) }
    if keepsCosts { costs.reserve(objects: objects) }
    if hasExpiries { expiries.reserve(objects: objects) }
    if hasStale { stale.reserve(objects: objects) }
    self.objects = max(self.objects, objects)
  }

  @usableFromInline var stateBytes: Int {
    policy.stateBytes + (former?.with { $0.stateBytes } ?? 0) + (weighs ? sizes.bytes : 0)
      + (entrySize == nil ? 0 : values.bytes)
      + (filter.map { $0.rule.stateBytes + fingerprints.bytes } ?? 0)
      + (keepsCosts ? costs.bytes : 0) + (hasExpiries ? expiries.bytes : 0)
      + (hasStale ? stale.bytes : 0)
  }

  @inlinable @inline(__always) var weighs: Bool { Shape.weighs ?? hasSizes }
  @inlinable @inline(__always) var view: Shape.Sizes { Shape.sizes(sizes, weighs: weighs) }
  @inlinable @inline(__always) func contains(_ id: ObjectID) -> Bool {
    policy.contains(id) || waits(id)
  }

  @inlinable @inline(__always) func size(of id: ObjectID) -> UInt32 {
    guard weighs else { return 1 }
    return Shape.limits && entrySize != nil ? values[id] : sizes[id]
  }

  @inlinable @inline(__always) func cost(of id: ObjectID) -> Float {
    Shape.limits && keepsCosts ? costs[id] : 1
  }

  @inlinable @inline(__always) func expiry(of id: ObjectID) -> UInt64 {
    mayExpire ? ~expiries[id] : Request.noExpiry
  }

  @inlinable @inline(__always) func isStale(_ id: ObjectID) -> Bool {
    Shape.limits && hasStale && stale[id]
  }

  @inlinable @inline(__always) mutating func setStale(_ id: ObjectID, _ isStale: Bool) {
    guard Shape.limits else { return }
    if isStale, !hasStale {
      hasStale = true
      stale.reserve(objects: objects)
    }
    if hasStale { stale[id] = isStale }
  }

  @inlinable @inline(__always) func expiry(now: UInt64, timeToLive own: UInt64) -> UInt64 {
    var life = own
    if timeToLive != 0, life == 0 || timeToLive < life { life = timeToLive }
    let (expiry, isBeyondTime) = now.addingReportingOverflow(life)
    return life == 0 || isBeyondTime ? Request.noExpiry : expiry
  }

  @inlinable @inline(__always) var mayExpire: Bool { Shape.limits && hasExpiries }
}

extension Tier where Policy: ~Copyable {
  /// Performs a get: a hit, which counts as a request for the object, or a miss. An expired entry
  /// is counted and removed, unless the tier leaves the removal to its caller.
  @inlinable @inline(__always) mutating func access(
    _ request: Request, now: UInt64, evicted: (ObjectID) -> Void
  ) -> CacheTier.Access {
    if Policy.notices.contains(.time) { policy.notice(.time(now)) }
    guard policy.contains(request.id) else { return .absent }
    if isOver(request.id, now: now) {
      if !keepsExpired { remove(request.id) }
      counts.expirations += 1
      return .expired
    }
    hit(request, evicted: evicted)
    return .hit
  }

  @inlinable @inline(__always) func isOver(_ id: ObjectID, now: UInt64) -> Bool {
    (mayExpire && ~expiries[id] <= now) || (Policy.notices.contains(.idleness) && policy.isIdle(id))
  }

  /// True if a get would be a hit.
  @inlinable mutating func holds(_ id: ObjectID, now: UInt64) -> Bool {
    if Policy.notices.contains(.time) { policy.notice(.time(now)) }
    return contains(id) && !isOver(id, now: now)
  }

  @inlinable @inline(__always) mutating func hit(_ request: Request, evicted: (ObjectID) -> Void) {
    var request = request
    if weighs { request.size = sizes[request.id] }
    if Shape.limits { request.expires = expiry(of: request.id) }
    if Shape.limits {
      if keepsCosts { request.cost = costs[request.id] }
      if let filter, filter.watchesHits {
        request.fingerprint = fingerprints[request.id]
        filter.rule.requested(request)
      }
    }
    policy.hit(request, view)
    while policy.overflows { evict(for: .none, evicted) }
  }

  @inlinable @inline(__always) mutating func set(
    _ request: Request, now: UInt64, evicted: (ObjectID) -> Void
  ) -> CacheTier.Stored {
    if Policy.notices.contains(.time) { policy.notice(.time(now)) }
    if policy.contains(request.id) {
      if !isOver(request.id, now: now) {
        return replace(request, evicted: evicted) ? .replaced : .rejected
      }
      remove(request.id)
    }
    return store(request, evicted: evicted) ? .stored : .rejected
  }

  @inlinable @inline(__always) mutating func store(
    _ given: Request, evicted: (ObjectID) -> Void
  ) -> Bool {
    let request = weighed(given)
    let size = weighs ? UInt64(request.size) : 1
    guard size <= capacity, passesFilter(request) else {
      counts.rejections += 1
      return false
    }
    guard policy.admit(request, view) else {
      counts.rejections += 1
      while policy.overflows { evict(for: request, evicted) }
      return false
    }
    while (Shape.limits && count >= objectsMax) || used + size > capacity
      || policy.isFull(for: request)
    {
      evict(for: request, evicted)
    }
    if Shape.limits { count += 1 }
    noteSize(request, value: given.size)
    if Shape.limits, filter != nil { fingerprints[request.id] = request.fingerprint }
    note(request)
    used += size
    counts.admissions += 1
    counts.bytesWritten += weighs ? UInt64(given.size) : 1
    policy.insert(request, view)
    return true
  }

  @inlinable @inline(__always) func weighed(_ given: Request) -> Request {
    guard Shape.limits, weighs, let entrySize else { return given }
    var request = given
    request.size = entrySize(given.size)
    return request
  }

  @inlinable @inline(__always) mutating func noteSize(_ request: Request, value: UInt32) {
    guard weighs else { return }
    sizes[request.id] = request.size
    if Shape.limits, entrySize != nil { values[request.id] = value }
  }

  @inlinable @inline(__always) func passesFilter(_ request: Request) -> Bool {
    guard Shape.limits, let filter else { return true }
    filter.rule.requested(request)
    let size = weighs ? UInt64(request.size) : 1
    let isFull = used + size > capacity || count >= objectsMax
    let victim = filter.comparesVictims && isFull ? policy.victim : .none
    let isAdmitted = filter.rule.admits(
      request, victim: victim == .none ? nil : fingerprints[victim])
    return isAdmitted || isRestoring
  }

  @inlinable mutating func replace(_ given: Request, evicted: (ObjectID) -> Void) -> Bool {
    let request = weighed(given)
    let (id, size) = (request.id, weighs ? UInt64(request.size) : 1)
    if Shape.limits, let filter { filter.rule.requested(request) }
    guard size <= capacity else {
      remove(id)
      counts.rejections += 1
      return false
    }
    policy.replace(request, view)
    if weighs {
      used = used - UInt64(sizes[id]) + size
      noteSize(request, value: given.size)
    }
    note(request)
    counts.bytesWritten += weighs ? UInt64(given.size) : 1
    while policy.overflows || used > capacity { evict(for: request, evicted) }
    return true
  }

  @inlinable @inline(__always) mutating func note(_ request: Request) {
    if Shape.limits, keepsCosts { costs[request.id] = request.cost }
    noteExpiry(request.id, request.expires)
    setStale(request.id, false)
  }

  @inlinable @inline(__always) mutating func noteExpiry(_ id: ObjectID, _ expires: UInt64) {
    guard Shape.limits else { return }
    if !hasExpiries {
      if expires == Request.noExpiry { return }
      beginExpiries()
    }
    // A real cache's gets may read it at the same time.
    expiries.storeShared(id, ~expires)
  }

  @inlinable @inline(never) mutating func beginExpiries() {
    if hasExpiries { return }
    hasExpiries = true
    expiries.reserve(objects: objects)
  }

  @inlinable mutating func renew(_ id: ObjectID, expires: UInt64) {
    noteExpiry(id, expires)
    guard Policy.notices.contains(.expiries) else { return }
    let isTurned = turn(for: id)
    policy.notice(.expiry(id, expires))
    if isTurned { turn() }
  }

  @inlinable mutating func changeExpiry(_ id: ObjectID, to expires: UInt64, now: UInt64) -> Bool {
    guard holds(id, now: now) else { return false }
    renew(id, expires: expires)
    return true
  }

  @inlinable @inline(never) mutating func giveUp() -> ObjectID {
    let isTurned = Shape.limits && waiting > 0 && waiting == count
    if isTurned { turn() }
    let victim = policy.evict(for: .none, view)
    forget(victim)
    if isTurned { turn() }
    DebugWork.add(1)
    return victim
  }

  @inlinable mutating func remove(_ id: ObjectID) {
    let isTurned = turn(for: id)
    if policy.contains(id) { forget(id) }
    policy.remove(id, view)
    if isTurned { turn() }
  }

  @inlinable @inline(__always) mutating func evict(
    for request: Request, _ evicted: (ObjectID) -> Void
  ) {
    let isTurned = Shape.limits && waiting == count
    if isTurned { turn() }
    let victim = policy.evict(for: request, view)
    forget(victim)
    if isTurned { turn() }
    counts.evictions += 1
    evicted(victim)
  }

  @inlinable @inline(__always) mutating func forget(_ id: ObjectID) {
    used -= weighs ? UInt64(sizes[id]) : 1
    if Shape.limits { count -= 1 }
  }
}

/// Queries and hints, which do not change the tier's content.
extension Tier where Policy: ~Copyable {
  @inlinable @inline(__always) func prefetch(_ id: ObjectID) {
    policy.prefetch(id)
    if weighs { sizes.prefetch(id) }
    if mayExpire { expiries.prefetch(id) }
    if Shape.limits, hasStale { stale.prefetch(id) }
    if Shape.limits, keepsCosts { costs.prefetch(id) }
    if Shape.limits, let filter {
      fingerprints.prefetch(id)
      if filter.watchesHits { filter.rule.prefetch(Request.fingerprint(of: id)) }
    }
  }

  @inlinable var hitWords: HitWords? {
    filter?.watchesHits ?? false || former != nil ? nil : policy.hitWords
  }

  @inlinable var sharedExpiries: UnsafeMutablePointer<Atomic<UInt64>>? {
    mayExpire ? expiries.sharedBase : nil
  }

  @inlinable func forgotten(from first: ObjectID, through last: ObjectID) -> ObjectID {
    precondition(Int(last) <= objects, "id \(last) of a tier with room for \(objects)")
    var id = first
    while id <= last {
      if !remembers(id) { return id }
      id += 1
    }
    return .none
  }
}

/// Ghosts in slots, for policies that support them: see `ThreeQueues.settle`.
extension Tier where Policy: ~Copyable {
  @usableFromInline @discardableResult mutating func placeGhosts() -> Bool {
    placesGhosts = policy.withGhostQueues { $0.placeGhosts() } != nil
    return placesGhosts
  }

  @inlinable @inline(__always) mutating func settle(_ id: ObjectID) -> GhostMove {
    let size = weighs ? sizes[id] : 1
    return policy.withGhostQueues { $0.settle(id, size) } ?? GhostMove(.forgotten)
  }
}

/// Another capacity requires a new policy. Its residents move in steps; until then they wait in the
/// former one, which is asked for them, and evicts when the new one has no residents.
extension Tier where Policy: ~Copyable {
  static var movedInStep: Int { 64 }

  /// Changes the limits of the tier to those of `setup`, in its unit; evicts, uncounted, objects
  /// that do not fit. With another capacity `moveWaiting` moves the others, in the order in which
  /// the former policy would have evicted them; ghosts and the filter's knowledge are lost, and a
  /// policy that chooses among others continues from its choice.
  ///
  /// - Throws: the errors of creating the policy or the filter; the tier is then unchanged.
  @usableFromInline mutating func resize(
    _ setup: CacheTierSetup, evicted: (ObjectID) -> Void
  ) throws(PolicyError) {
    assert(Shape.limits && former == nil, "the tier does not count its objects, or is changing")
    let isSame = setup.capacity == capacity
    var made = TierFilter?.none
    let fresh = try LargeMemory.withSmallPages { () throws(PolicyError) in
      made = try TierFilter(
        setup, policy: Policy.description.name,
        namesVictim: Policy.description.traits.contains(.namesVictim))
      return try Policy(
        PolicySetup(
          capacity: setup.capacity, unit: weighs ? .bytes : .objects, objects: objects,
          seed: setup.seed, spec: setup.policy, group: setup.group))
    }
    while count > 0, used > setup.capacity || count > setup.objectsMax { evicted(giveUp()) }
    capacity = fresh.exceedsCapacity ? PolicySetup.capacityMax : setup.capacity
    objectsMax = setup.objectsMax
    timeToLive = setup.timeToLiveMicroseconds ?? 0
    if isSame { return }
    let choice = policy.choice
    former = Held(fresh)
    turn()
    _ = former?.with { $0.withGhostQueues { $0.closeGhosts() } }
    if placesGhosts { placeGhosts() }
    filter = made
    setRestoring(true, choice)
  }

  /// Moves the next residents that wait; ends the change after the last one.
  @usableFromInline mutating func moveWaiting(
    _ fingerprint: (ObjectID) -> UInt32, evicted: (ObjectID) -> Void
  ) {
    guard let former else { return }
    let counted = counts
    for _ in 0..<Self.movedInStep where waiting > 0 {
      let sizes = view
      let id = former.with { $0.evict(for: .none, sizes) }
      forget(id)
      waiting -= 1
      var request = Request(
        id: id, size: size(of: id), expires: expiry(of: id), cost: cost(of: id))
      request.fingerprint = fingerprint(id)
      _ = restoreTwice(request, evicted)
      DebugWork.add(1)
    }
    counts = counted
    if waiting > 0 { return }
    setRestoring(false, former.with { $0.choice })
    self.former = nil
  }

  @inlinable @inline(__always) func waits(_ id: ObjectID) -> Bool {
    Shape.limits && waiting > 0 && Self.isIn(former, id)
  }

  // Static: a method that is called would be passed a copy of the tier, also when it is not called.
  @inlinable @inline(never) static func isIn(_ former: Held<Policy>?, _ id: ObjectID) -> Bool {
    former?.with { $0.contains(id) } ?? false
  }

  @inlinable func remembers(_ id: ObjectID) -> Bool { policy.remembers(id) || waits(id) }

  /// Exchanges the policies if the object waits; the caller exchanges them again.
  @inlinable mutating func turn(for id: ObjectID) -> Bool {
    guard waits(id) else { return false }
    turn()
    return true
  }

  @inlinable @inline(never) mutating func turn() {
    guard let former else { return }
    swap(&policy, &former.place.pointee)
    waiting = count - waiting
  }

  @inlinable mutating func setRestoring(_ isRestoring: Bool, _ choice: PolicyChoice?) {
    self.isRestoring = isRestoring
    if let choice { policy.resume(choice, isRestoring: isRestoring) }
  }

  /// Takes over an object of another tier of the same capacity: see `TakesOver`.
  @usableFromInline mutating func takeOver(_ object: KnownObject, evicted: (ObjectID) -> Void) {
    assert(Shape.limits)
    var request = Request(id: object.id, size: object.size, cost: object.cost)
    if policy.takeOver(object) {
      guard object.isResident else { return }
      count += 1
      used += weighs ? UInt64(object.size) : 1
      noteSize(request, value: object.size)
      note(request)
    } else if object.isResident {
      let counted = counts
      isRestoring = true
      request.fingerprint = object.fingerprint
      if restoreTwice(request, evicted), object.requests > 0 { hit(request, evicted: evicted) }
      isRestoring = false
      counts = counted
    }
  }

  private mutating func restoreTwice(_ request: Request, _ evicted: (ObjectID) -> Void) -> Bool {
    if restore(request, evicted) || restore(request, evicted) { return true }
    evicted(request.id)
    return false
  }

  @inlinable @inline(never) mutating func restore(
    _ request: Request, _ evicted: (ObjectID) -> Void
  ) -> Bool {
    store(request, evicted: evicted)
  }
}
