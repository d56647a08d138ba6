public import Synchronization

/// One tier of a cache without its keys and values: a policy, its limits, and what must be known of
/// each resident object. The driver that a policy's contract speaks of.
///
/// The simulator's loops and the real caches drive this one type, so that both count the same. What
/// a tier of the one kind needs and one of the other does not is its `Shape`, which costs nothing
/// where it is not needed.
@usableFromInline struct Tier<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  @usableFromInline var policy: Policy
  @usableFromInline var capacity: UInt64
  // Microseconds; 0 for no limit.
  @usableFromInline var timeToLive: UInt64
  @usableFromInline var objectsMax: Int
  @usableFromInline var filter: TierFilter?
  @usableFromInline let keepsCosts: Bool
  @usableFromInline let keepsExpired: Bool
  // Whether objects have sizes: see `weighs`.
  @usableFromInline let hasSizes: Bool
  @usableFromInline var fingerprints: Column<UInt32>
  @usableFromInline var sizes: Column<UInt32>
  // Bytes of a key, where an object takes what its entry would take of a server.
  @usableFromInline let keyBytes: UInt64?
  // The sizes of the values, where they are not `sizes`.
  @usableFromInline var values: Column<UInt32>
  // What fetching the stored copy cost: a hit does not say it.
  @usableFromInline var costs: Column<Float>
  @usableFromInline var expiries: Column<UInt64>
  @usableFromInline var stale: Column<Bool>
  /// Whether entries may have an expiry; until then there are no expiries.
  @usableFromInline var hasExpiries = false
  // Whether an entry was ever marked as stale; until then there are no marks.
  @usableFromInline var hasStale = false
  // The largest id that there is room for.
  @usableFromInline private(set) var objects: Int
  /// Sum of the sizes of the resident objects.
  @usableFromInline var used: UInt64 = 0
  /// Resident objects. Counted where the shape knows limits on them.
  @usableFromInline var count = 0
  /// What has happened since the counts were last set to zero.
  @usableFromInline var counts = TierCounts()

  /// Whether what is stored was admitted before, as when a cache is read back from disk: the
  /// filter learns of it and is not asked.
  @usableFromInline var isRestoring = false

  /// Whether ghosts are known by their places: see `ThreeQueues.placeGhosts`.
  @usableFromInline var placesGhosts = false

  /// An empty tier.
  @usableFromInline init(_ setup: CacheTierSetup) throws(PolicyError) {
    let made = try TierFilter(
      setup, policy: Policy.description.name, knowsVictim: Policy.knowsVictim)
    let objects = setup.objects
    let key = try EntryMemory.keyBytes(of: setup.policy, Policy.description)
    let hasSizes = Shape.weighs ?? setup.weighs
    let addsEntries = Shape.limits && hasSizes && setup.unit == .bytes && key != nil
    policy = try Policy(
      PolicySetup(
        capacity: setup.capacity, unit: setup.unit, objects: objects, seed: setup.seed,
        spec: setup.policy))
    filter = made
    capacity = setup.capacity
    timeToLive = setup.timeToLiveMicroseconds ?? 0
    objectsMax = setup.objectsMax
    keepsCosts =
      Shape.limits && (setup.keepsCosts ?? Policy.description.needs.contains(.cost))
    keepsExpired = setup.keepsExpired
    self.hasSizes = hasSizes
    fingerprints = Column(objects: made == nil ? 0 : objects)
    sizes = Column(objects: hasSizes ? objects : 0)
    keyBytes = addsEntries ? key : nil
    values = Column(objects: addsEntries ? objects : 0)
    costs = Column(objects: keepsCosts ? objects : 0)
    expiries = Column(objects: 0)
    stale = Column(objects: 0)
    self.objects = objects
  }

  /// Makes room for ids up to `objects`.
  @usableFromInline mutating func reserve(objects: Int) {
    policy.reserve(objects: objects)
    if filter != nil { fingerprints.reserve(objects: objects) }
    if weighs { sizes.reserve(objects: objects) }
    if keyBytes != nil { values.reserve(objects: objects) }
    if keepsCosts { costs.reserve(objects: objects) }
    if hasExpiries { expiries.reserve(objects: objects) }
    if hasStale { stale.reserve(objects: objects) }
    self.objects = max(self.objects, objects)
  }

  /// Memory held, in bytes.
  @usableFromInline var stateBytes: Int {
    policy.stateBytes + (weighs ? sizes.bytes : 0)
      + (keyBytes == nil ? 0 : values.bytes)
      + (filter.map { $0.rule.stateBytes + fingerprints.bytes } ?? 0)
      + (keepsCosts ? costs.bytes : 0) + (hasExpiries ? expiries.bytes : 0)
      + (hasStale ? stale.bytes : 0)
  }

  // MARK: Objects

  /// Whether objects have sizes of their own.
  @inlinable @inline(__always) var weighs: Bool { Shape.weighs ?? hasSizes }

  /// The sizes as the policy sees them.
  @inlinable @inline(__always) var view: Shape.Sizes { Shape.sizes(sizes, weighs: weighs) }

  /// Whether the object is resident.
  @inlinable @inline(__always) func contains(_ id: ObjectID) -> Bool { policy.contains(id) }

  /// Whether the policy knows anything about the object.
  @inlinable func remembers(_ id: ObjectID) -> Bool { policy.remembers(id) }

  /// The stored size of a resident object, without what its entry takes beside the value.
  @inlinable @inline(__always) func size(of id: ObjectID) -> UInt32 {
    guard weighs else { return 1 }
    return Shape.limits && keyBytes != nil ? values[id] : sizes[id]
  }

  /// What fetching the stored copy of a resident object cost; 1 where nobody asks.
  @inlinable @inline(__always) func cost(of id: ObjectID) -> Float {
    Shape.limits && keepsCosts ? costs[id] : 1
  }

  /// When a resident object expires, microseconds.
  @inlinable @inline(__always) func expiry(of id: ObjectID) -> UInt64 {
    mayExpire ? expiries[id] : Request.noExpiry
  }

  /// Whether the stored copy of a resident object is older than the origin's.
  @inlinable @inline(__always) func isStale(_ id: ObjectID) -> Bool {
    Shape.limits && hasStale && stale[id]
  }

  /// Marks the stored copy of an object as older than the origin's, or as fresh. It says nothing
  /// of an object that is not resident.
  @inlinable @inline(__always) mutating func setStale(_ id: ObjectID, _ isStale: Bool) {
    guard Shape.limits else { return }
    if isStale, !hasStale {
      hasStale = true
      stale.reserve(objects: objects)
    }
    if hasStale { stale[id] = isStale }
  }

  /// When something stored at `now` with a time to live of its own expires; 0 means that it has
  /// none. All in microseconds.
  @inlinable @inline(__always) func expiry(now: UInt64, timeToLive own: UInt64) -> UInt64 {
    var life = own
    if timeToLive != 0, life == 0 || timeToLive < life { life = timeToLive }
    let (expiry, isBeyondTime) = now.addingReportingOverflow(life)
    return life == 0 || isBeyondTime ? Request.noExpiry : expiry
  }

  /// Whether some resident object may have an expiry.
  @inlinable @inline(__always) var mayExpire: Bool { Shape.limits && hasExpiries }
}

extension Tier where Policy: ~Copyable {
  /// A get: whether the object is there to be used, which is then a reference to it. What is found
  /// expired is counted and removed, unless the tier leaves removing it to its caller.
  @inlinable @inline(__always) mutating func access(
    _ request: Request, now: UInt64, evicted: (ObjectID) -> Void
  ) -> CacheTier.Access {
    if Policy.followsTime { policy.follow(now) }
    guard policy.contains(request.id) else { return .absent }
    if isOver(request.id, now: now) {
      if !keepsExpired { remove(request.id) }
      counts.expirations += 1
      return .expired
    }
    hit(request, evicted: evicted)
    return .hit
  }

  /// Whether a resident object has expired, or was idle for too long.
  @inlinable @inline(__always) func isOver(_ id: ObjectID, now: UInt64) -> Bool {
    (mayExpire && expiries[id] <= now) || (Policy.idles && policy.hasIdled(id))
  }

  /// A resident object is requested. Its size, expiry and cost are those of the stored copy.
  @inlinable @inline(__always) mutating func hit(_ request: Request, evicted: (ObjectID) -> Void) {
    var request = request
    if weighs { request.size = sizes[request.id] }
    if Shape.limits { request.expires = expiry(of: request.id) }
    if Shape.limits {
      if keepsCosts { request.cost = costs[request.id] }
      if let filter {
        request.fingerprint = fingerprints[request.id]
        filter.rule.requested(request)
      }
    }
    policy.hit(request, view)
    while policy.overflows { evict(for: .none, evicted) }
  }

  /// A set: stores an object or replaces its value. What is found expired is removed first, without
  /// being counted.
  @inlinable @inline(__always) mutating func set(
    _ request: Request, now: UInt64, evicted: (ObjectID) -> Void
  ) -> CacheTier.Stored {
    if Policy.followsTime { policy.follow(now) }
    if policy.contains(request.id) {
      if !isOver(request.id, now: now) {
        return replace(request, evicted: evicted) ? .replaced : .rejected
      }
      remove(request.id)
    }
    return store(request, evicted: evicted) ? .stored : .rejected
  }

  /// Stores an object that is not resident, and says whether it did.
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

  /// A request with what its value takes, where that is more than its size.
  @inlinable @inline(__always) func weighed(_ given: Request) -> Request {
    guard Shape.limits, weighs, let key = keyBytes else { return given }
    var request = given
    request.size = UInt32(
      clamping: Policy.entryBytes(value: UInt64(given.size), key: key))
    return request
  }

  /// Keeps what an object that is stored takes, and the size of its value where that is less.
  @inlinable @inline(__always) mutating func noteSize(_ request: Request, value: UInt32) {
    guard weighs else { return }
    sizes[request.id] = request.size
    if Shape.limits, keyBytes != nil { values[request.id] = value }
  }

  /// Whether the admission filter, where there is one, lets an object in.
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

  /// Replaces the value of a resident object, and says whether the new one was accepted: what is
  /// larger than the capacity is removed instead.
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

  /// Keeps what must be known of a copy beside its size.
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
    expiries.storeShared(id, expires)
  }

  /// Makes room for expiries, which the first entry with one does, too.
  @inlinable @inline(never) mutating func beginExpiries() {
    if hasExpiries { return }
    hasExpiries = true
    expiries.reserve(objects: objects)
    for id in 0...objects { expiries[ObjectID(id)] = Request.noExpiry }
  }

  /// Gives a resident object another expiry without a reference to it: the policy hears of it only
  /// where it orders objects by their expiry.
  @inlinable mutating func renew(_ id: ObjectID, expires: UInt64) {
    noteExpiry(id, expires)
    guard Policy.description.needs.contains(.ttl) else { return }
    let request = Request(id: id, size: size(of: id), expires: expires, cost: cost(of: id))
    policy.replace(request, view)
  }

  /// Gives an object another expiry if it is resident and has not expired. Not a reference to it.
  @inlinable mutating func changeExpiry(_ id: ObjectID, to expires: UInt64, now: UInt64) {
    if policy.contains(id), !isOver(id, now: now) { renew(id, expires: expires) }
  }

  /// Gives up one object, of which there must be one, without counting it as evicted for want of
  /// room.
  @inlinable @inline(never) mutating func giveUp() -> ObjectID {
    let victim = policy.evict(for: .none, view)
    forget(victim)
    return victim
  }

  /// Removes whatever there is of the object, ghosts included.
  @inlinable mutating func remove(_ id: ObjectID) {
    if policy.contains(id) { forget(id) }
    policy.remove(id, view)
  }

  /// Gives up one object, of which there must be one, to make room for `request`.
  @inlinable @inline(__always) mutating func evict(
    for request: Request, _ evicted: (ObjectID) -> Void
  ) {
    let victim = policy.evict(for: request, view)
    forget(victim)
    counts.evictions += 1
    evicted(victim)
  }

  /// An object is resident no longer.
  @inlinable @inline(__always) mutating func forget(_ id: ObjectID) {
    used -= weighs ? UInt64(sizes[id]) : 1
    if Shape.limits { count -= 1 }
  }
}

/// What a tier tells its cache or a loop, and what changes nothing.
extension Tier where Policy: ~Copyable {
  /// Brings what a simulated request for `id` will touch near. Each column is memory of its own:
  /// what is left out here costs a request one wait for memory.
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

  /// Brings what the state of `id` points to near.
  @inlinable @inline(__always) func prefetchNeighbours(_ id: ObjectID) {
    policy.prefetchNeighbours(id)
  }

  /// A resident object was answered for by another tier.
  @inlinable mutating func foresee(_ request: Request) { policy.foresee(request) }

  /// An object that may well be evicted before long, or `.none`.
  @inlinable @inline(__always) var candidate: ObjectID { policy.candidate }

  /// How hits of what has not expired are made by many threads at once, where the policy allows it
  /// and no filter must hear of them.
  @inlinable var hitWords: HitWords? { filter?.watchesHits ?? false ? nil : policy.hitWords }

  /// Where the expiries are, once there are some; valid until `reserve`.
  @inlinable var sharedExpiries: UnsafeMutablePointer<Atomic<UInt64>>? {
    mayExpire ? expiries.sharedBase : nil
  }

  /// At most how many objects that are not resident the policy remembers, as far as it can say.
  @inlinable var ghostsMax: Int { policy.ghostsMax }

  /// The first id from `first` to `last` of which the policy knows nothing, or `.none`.
  @inlinable func forgotten(from first: ObjectID, through last: ObjectID) -> ObjectID {
    precondition(Int(last) <= objects, "id \(last) of a tier with room for \(objects)")
    var id = first
    while id <= last {
      if !policy.remembers(id) { return id }
      id += 1
    }
    return .none
  }

  /// An object of which the policy has come to know nothing, or `.none`.
  @inlinable @inline(__always) mutating func takeForgotten() -> ObjectID {
    let id = policy.takeForgotten()
    return id != .none && policy.remembers(id) ? .none : id
  }
}

/// Ghosts by their places, for policies that allow it: see `ThreeQueues.settle`. Without such
/// queues nothing is remembered.
extension Tier where Policy: ~Copyable {
  /// Ghosts are known by their places from now on; false where the policy does not allow it.
  @usableFromInline @discardableResult mutating func placeGhosts() -> Bool {
    placesGhosts = policy.withGhostQueues { $0.placeGhosts() } != nil
    return placesGhosts
  }

  /// Says what became of an object that is no longer resident.
  @inlinable @inline(__always) mutating func settle(_ id: ObjectID) -> GhostMove {
    let size = weighs ? sizes[id] : 1
    return policy.withGhostQueues { $0.settle(id, size) } ?? GhostMove(.forgotten)
  }

  /// The ghost at a place is requested, and has an id again.
  @inlinable @inline(__always) mutating func recall(_ place: UInt32, as id: ObjectID) {
    _ = policy.withGhostQueues { $0.recall(place, as: id) }
  }

  /// Forgets the ghost at a place.
  @inlinable mutating func dropGhost(at place: UInt32) {
    _ = policy.withGhostQueues { $0.dropGhost(at: place) }
  }

  /// Has so many places for ghosts.
  @inlinable mutating func repackGhosts(places: Int, moved: (_ old: UInt32, _ new: UInt32) -> Void)
  {
    _ = policy.withGhostQueues { $0.repackGhosts(places: places, moved: moved) }
  }

  /// Ghosts that have a place.
  @inlinable var ghostCount: Int {
    mutating get { policy.withGhostQueues { $0.ghostCount } ?? 0 }
  }
}

extension Tier where Policy: ~Copyable {
  /// Gives the tier the limits of `setup`, in the unit that it has; the rest of `setup` must be
  /// what the tier was made from. What does not fit is evicted, as the policy chooses.
  ///
  /// A policy divides its capacity when it is made, so with another capacity there is another
  /// policy: it is told of the objects in the order in which the old one would have evicted them.
  /// What else the old one had learned, ghosts included, is forgotten, and so is what an admission
  /// filter has. With the same capacity both stay. O(objects), and what the policy takes.
  ///
  /// - Parameters:
  ///   - fingerprint: What stands for the key of a resident object; see `Request.fingerprint`.
  ///   - evicted: Told of each victim. None is counted.
  /// - Throws: what making the policy or the filter throws; nothing has changed then.
  @usableFromInline mutating func resize(
    _ setup: CacheTierSetup, fingerprint: (ObjectID) -> UInt32, evicted: (ObjectID) -> Void
  ) throws(PolicyError) {
    assert(Shape.limits, "the tier does not count its objects")
    let isSame = setup.capacity == capacity
    let made = try TierFilter(
      setup, policy: Policy.description.name, knowsVictim: Policy.knowsVictim)
    let fresh = try Policy(
      PolicySetup(
        capacity: setup.capacity, unit: weighs ? .bytes : .objects, objects: objects,
        seed: setup.seed, spec: setup.policy))
    while count > 0, used > setup.capacity || count > setup.objectsMax { evicted(giveUp()) }
    capacity = setup.capacity
    objectsMax = setup.objectsMax
    timeToLive = setup.timeToLiveMicroseconds ?? 0
    if isSame { return }
    var order: [ObjectID] = []
    order.reserveCapacity(count)
    while count > 0 { order.append(giveUp()) }
    policy = fresh
    if placesGhosts { placeGhosts() }
    filter = made
    let counted = counts
    isRestoring = true
    for id in order {
      var request = Request(
        id: id, size: size(of: id), expires: expiry(of: id), cost: cost(of: id))
      request.fingerprint = fingerprint(id)
      var isStored = false
      // A policy that waits for a second request has had it.
      for _ in 0..<2 where !isStored { isStored = restore(request, evicted) }
      if !isStored { evicted(id) }
    }
    isRestoring = false
    counts = counted
  }

  /// Stores an object as `store` does, where it is not worth code of its own.
  @inlinable @inline(never) mutating func restore(
    _ request: Request, _ evicted: (ObjectID) -> Void
  ) -> Bool {
    store(request, evicted: evicted)
  }
}
