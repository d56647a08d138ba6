/// One tier of a cache without its keys and values: a policy, a capacity, and what must be known of
/// each resident object. The driver that a policy's contract speaks of.
struct Tier<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  private var policy: Policy
  private let capacity: UInt64
  private let timeToLive: UInt64
  private let objectsMax: UInt64
  private let filter: TierFilter?
  private var fingerprints: Column<UInt32>
  private var sizes: Column<UInt32>
  private var expiries: Column<UInt64>
  private var stale: Column<Bool>
  /// Sum of the sizes of the resident objects.
  private(set) var used: UInt64 = 0
  // Resident objects; counted in the full shape alone.
  private var count: UInt64 = 0
  /// What has happened since the counts were last set to zero.
  var counts = TierCounts()

  /// Whether what is stored was admitted before, as when a cache is read back from disk: the
  /// filter learns of it and is not asked.
  var isRestoring = false

  /// An empty tier for ids up to `objects`, one of `parts` of a cache.
  init(
    _ setup: TierSetup, unit: CapacityUnit, objects: Int, seed: UInt64, parts: Int = 1
  ) throws(PolicyError) {
    let made = try TierFilter(
      setup, unit: unit, seed: seed, parts: parts, policy: Policy.description.name,
      knowsVictim: Policy.knowsVictim)
    policy = try Policy(
      PolicySetup(
        capacity: setup.capacity, unit: unit, objects: objects, seed: seed, spec: setup.policy))
    filter = made
    capacity = setup.capacity
    timeToLive = UInt64(setup.timeToLiveSeconds ?? 0) * 1_000_000
    objectsMax = setup.objectsMax ?? .max
    fingerprints = Column(objects: filter == nil ? 0 : objects)
    sizes = Column(objects: Shape.weighs ? objects : 0)
    expiries = Column(objects: Shape.isFull ? objects : 0)
    stale = Column(objects: Shape.isFull ? objects : 0)
  }

  /// Whether the object is resident.
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { policy.contains(id) }

  /// Whether the policy knows anything about the object.
  func remembers(_ id: ObjectID) -> Bool { policy.remembers(id) }

  /// The stored size of a resident object.
  @inline(__always)
  func size(of id: ObjectID) -> UInt32 { Shape.weighs ? sizes[id] : 1 }

  /// When a resident object expires, microseconds.
  func expiry(of id: ObjectID) -> UInt64 { expiries[id] }

  /// Whether the stored copy of a resident object is older than the origin's.
  func isStale(_ id: ObjectID) -> Bool { stale[id] }

  /// Marks the stored copy of a resident object as older than the origin's, or as fresh.
  func setStale(_ id: ObjectID, _ isStale: Bool) { stale[id] = isStale }

  /// When something stored at `now` with a time to live of its own, in seconds, expires; 0 means
  /// that it has none.
  @inline(__always)
  func expiry(now: UInt64, ttlSeconds: UInt32) -> UInt64 {
    var life = UInt64(ttlSeconds) * 1_000_000
    if timeToLive != 0, life == 0 || timeToLive < life { life = timeToLive }
    let (expiry, isBeyondTime) = now.addingReportingOverflow(life)
    return life == 0 || isBeyondTime ? Request.noExpiry : expiry
  }

  /// Whether the object is there to be used. What is found expired is removed.
  @inline(__always)
  mutating func find(_ id: ObjectID, now: UInt64, countsExpiration: Bool = true) -> Bool {
    guard policy.contains(id) else { return false }
    if Shape.isFull, expiries[id] <= now {
      remove(id)
      if countsExpiration { counts.expirations += 1 }
      return false
    }
    return true
  }

  /// A resident object is requested.
  @inline(__always)
  mutating func hit(_ request: Request, evicted: (ObjectID) -> Void) {
    var request = request
    if Shape.weighs { request.size = sizes[request.id] }
    if Shape.isFull { request.expires = expiries[request.id] }
    if Shape.filters, let filter {
      request.fingerprint = fingerprints[request.id]
      filter.rule.requested(request)
    }
    policy.hit(request, Shape.sizes(sizes))
    while policy.overflows { evict(for: .none, evicted) }
  }

  /// A get: the copy that is there to be used, which is then a reference to it. What is found
  /// expired is removed and counted.
  @inline(__always)
  mutating func use(
    _ request: Request, now: UInt64, evicted: (ObjectID) -> Void
  ) -> TierCopy? {
    guard find(request.id, now: now) else { return nil }
    let copy = TierCopy(
      size: size(of: request.id), isStale: Shape.isFull && stale[request.id],
      expires: Shape.isFull ? expiries[request.id] : Request.noExpiry)
    hit(request, evicted: evicted)
    return copy
  }

  /// How hits are made by many threads at once, where the policy allows it and no filter must hear
  /// of them.
  var hitWords: HitWords? { filter?.watchesHits ?? false ? nil : policy.hitWords }

  /// A ghost that the policy has forgotten, or `.none`.
  @inline(__always)
  mutating func takeForgotten() -> ObjectID { policy.takeForgotten() }

  /// At most how many objects that are not resident the policy remembers, as far as it can say.
  var ghostsMax: Int { policy.ghostsMax }

  /// A resident object was answered for by another tier.
  mutating func foresee(_ request: Request) { policy.foresee(request) }

  /// Stores an object that is not resident, and says whether it did.
  @inline(__always)
  mutating func store(_ request: Request, evicted: (ObjectID) -> Void) -> Bool {
    guard admits(request) else { return false }
    place(request, evicted: evicted)
    return true
  }

  /// The first half of `store`: whether an object that is not resident is to be stored. When it
  /// is, `place` must follow.
  @inline(__always)
  mutating func admits(_ request: Request) -> Bool {
    let size = Shape.weighs ? UInt64(request.size) : 1
    guard size <= capacity, passesFilter(request), policy.admit(request, Shape.sizes(sizes)) else {
      counts.rejections += 1
      return false
    }
    return true
  }

  /// Whether the admission filter, where there is one, lets an object in.
  @inline(__always)
  private func passesFilter(_ request: Request) -> Bool {
    guard Shape.filters, let filter else { return true }
    filter.rule.requested(request)
    let size = Shape.weighs ? UInt64(request.size) : 1
    let isFull = used + size > capacity || (Shape.isFull && count >= objectsMax)
    let victim = filter.comparesVictims && isFull ? policy.victim : .none
    let isAdmitted = filter.rule.admits(
      request, victim: victim == .none ? nil : fingerprints[victim])
    return isAdmitted || isRestoring
  }

  /// The second half of `store`: makes room for an object that is admitted and stores it.
  @inline(__always)
  mutating func place(_ request: Request, evicted: (ObjectID) -> Void) {
    let size = Shape.weighs ? UInt64(request.size) : 1
    if Shape.isFull {
      while count >= objectsMax { evict(for: request, evicted) }
      count += 1
    }
    while used + size > capacity { evict(for: request, evicted) }
    if Shape.weighs { sizes[request.id] = request.size }
    if Shape.filters, filter != nil { fingerprints[request.id] = request.fingerprint }
    if Shape.isFull {
      expiries[request.id] = request.expires
      stale[request.id] = false
    }
    used += size
    counts.admissions += 1
    counts.bytesWritten += size
    policy.insert(request, Shape.sizes(sizes))
  }

  /// Replaces the value of a resident object, and says whether the new one was accepted: what is
  /// larger than the capacity is removed instead.
  mutating func replace(_ request: Request, evicted: (ObjectID) -> Void) -> Bool {
    let (id, size) = (request.id, Shape.weighs ? UInt64(request.size) : 1)
    if Shape.filters, let filter { filter.rule.requested(request) }
    guard size <= capacity else {
      remove(id)
      counts.rejections += 1
      return false
    }
    policy.replace(request, Shape.sizes(sizes))
    if Shape.weighs {
      used = used - UInt64(sizes[id]) + size
      sizes[id] = request.size
    }
    if Shape.isFull {
      expiries[id] = request.expires
      stale[id] = false
    }
    counts.bytesWritten += size
    while policy.overflows || used > capacity { evict(for: request, evicted) }
    return true
  }

  /// Tells a policy that orders objects by their expiry of a resident object's new one. To all
  /// others nothing has happened.
  mutating func renew(_ request: Request) {
    if Shape.isFull { expiries[request.id] = request.expires }
    if Policy.description.needs.contains(.ttl) { policy.replace(request, Shape.sizes(sizes)) }
  }

  /// Gives up one object, of which there must be one, without counting it as evicted for want of
  /// room.
  mutating func giveUp() -> ObjectID {
    let victim = policy.evict(for: .none, Shape.sizes(sizes))
    used -= Shape.weighs ? UInt64(sizes[victim]) : 1
    if Shape.isFull { count -= 1 }
    return victim
  }

  /// Removes whatever there is of the object, ghosts included.
  mutating func remove(_ id: ObjectID) {
    if policy.contains(id) {
      used -= UInt64(size(of: id))
      if Shape.isFull { count -= 1 }
    }
    policy.remove(id, Shape.sizes(sizes))
  }

  /// Makes room for ids up to `objects`.
  mutating func reserve(objects: Int) {
    policy.reserve(objects: objects)
    if filter != nil { fingerprints.reserve(objects: objects) }
    if Shape.weighs { sizes.reserve(objects: objects) }
    if Shape.isFull {
      expiries.reserve(objects: objects)
      stale.reserve(objects: objects)
    }
  }

  /// An object that may well be evicted before long, or `.none`.
  @inline(__always)
  var candidate: ObjectID { policy.candidate }

  /// Brings what a request for `id` will touch near.
  @inline(__always)
  func prefetch(_ id: ObjectID) {
    policy.prefetch(id)
    if Shape.weighs { sizes.prefetch(id) }
  }

  /// Brings what the state of `id` points to near.
  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { policy.prefetchNeighbours(id) }

  /// Memory held, in bytes.
  var stateBytes: Int {
    policy.stateBytes + (Shape.weighs ? sizes.bytes : 0)
      + (filter.map { $0.rule.stateBytes + fingerprints.bytes } ?? 0)
      + (Shape.isFull ? expiries.bytes + stale.bytes : 0)
  }

  /// Gives up one object, of which there must be one, to make room for `request`.
  @inline(__always)
  mutating func evict(for request: Request, _ evicted: (ObjectID) -> Void) {
    let victim = policy.evict(for: request, Shape.sizes(sizes))
    used -= Shape.weighs ? UInt64(sizes[victim]) : 1
    if Shape.isFull { count -= 1 }
    counts.evictions += 1
    evicted(victim)
  }
}
