internal import Synchronization

/// A simulator's tier with what only a real cache needs: a limit on the number of objects beside
/// the capacity, expiry that takes no memory until something expires, and costs of fetching that
/// are remembered, since a get does not say them.
///
/// Every decision is made in `Tier` and in the policy, so a cache and a simulation decide alike.
struct PolicyTier<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  private var tier: Tier<Policy, Shape>
  private let objectsMax: Int
  private let timeToLive: UInt64
  private let keepsCosts: Bool
  private let keepsExpired: Bool
  // Whether anything was ever stored that expires; until then there are no expiries.
  private(set) var expires = false
  private var expiries = Column<UInt64>(objects: 0)
  private var costs: Column<Float>
  private var objects: Int
  /// Resident objects.
  private(set) var count = 0

  /// An object that may well be evicted before long, or `.none`.
  @inline(__always)
  var candidate: ObjectID { tier.candidate }

  /// An empty tier.
  init(_ setup: CacheTierSetup) throws(PolicyError) {
    tier = try Tier(
      TierSetup(
        policy: setup.policy, capacity: setup.capacity, admission: setup.admission),
      unit: setup.unit,
      objects: setup.objects, seed: setup.seed, parts: setup.parts)
    objectsMax = setup.objectsMax
    timeToLive = setup.timeToLiveMicroseconds ?? 0
    keepsCosts = Policy.description.needs.contains(.cost)
    keepsExpired = setup.keepsExpired
    costs = Column(objects: keepsCosts ? setup.objects : 0)
    objects = setup.objects
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { tier.contains(id) }

  func remembers(_ id: ObjectID) -> Bool { tier.remembers(id) }

  func size(of id: ObjectID) -> UInt32 { tier.size(of: id) }

  func expiry(of id: ObjectID) -> UInt64 { expires ? expiries[id] : Request.noExpiry }

  var used: UInt64 { tier.used }

  var counts: TierCounts { tier.counts }

  mutating func resetCounts() { tier.counts = TierCounts() }

  var stateBytes: Int {
    tier.stateBytes + (expires ? expiries.bytes : 0) + (keepsCosts ? costs.bytes : 0)
  }

  /// When something stored at `now` with a time to live of its own (0 for none) expires.
  @inline(__always)
  func expiry(now: UInt64, timeToLive own: UInt64) -> UInt64 {
    var life = own
    if timeToLive != 0, life == 0 || timeToLive < life { life = timeToLive }
    let (expiry, overflows) = now.addingReportingOverflow(life)
    return life == 0 || overflows ? Request.noExpiry : expiry
  }

  /// A get: whether the object is there, which is then a reference to it. What has expired is
  /// removed, unless the tier leaves that to its caller.
  @inline(__always)
  mutating func access(
    _ id: ObjectID, now: UInt64, evicted: (ObjectID) -> Void
  ) -> CacheTier.Access {
    guard tier.contains(id) else { return .absent }
    var request = Request(id: id)
    if expires {
      request.expires = expiries[id]
      if request.expires <= now {
        if !keepsExpired { remove(id) }
        tier.counts.expirations += 1
        return .expired
      }
    }
    if keepsCosts { request.cost = costs[id] }
    var given = 0
    tier.hit(request) {
      given += 1
      evicted($0)
    }
    count -= given
    return .hit
  }

  /// The first id from `first` to `last` of which the policy knows nothing, or `.none`.
  func forgotten(from first: ObjectID, through last: ObjectID) -> ObjectID {
    precondition(Int(last) <= objects, "id \(last) of a tier with room for \(objects)")
    var id = first
    while id <= last {
      if !tier.remembers(id) { return id }
      id += 1
    }
    return .none
  }

  /// An object of which the policy has come to know nothing, or `.none`.
  @inline(__always)
  mutating func takeForgotten() -> ObjectID {
    let id = tier.takeForgotten()
    return id != .none && tier.remembers(id) ? .none : id
  }

  var ghostsMax: Int { tier.ghostsMax }

  /// How the hits of what has not expired are made by many threads at once, where they can be.
  var hitWords: HitWords? { tier.hitWords }

  /// Where the expiries are, once `expires`; valid until `reserve`.
  var sharedExpiries: UnsafeMutablePointer<Atomic<UInt64>>? {
    expires ? expiries.sharedBase : nil
  }

  /// Whether what is set was admitted before: the filter learns of it and is not asked.
  mutating func setRestoring(_ isRestoring: Bool) { tier.isRestoring = isRestoring }

  /// A set at `now`; `request.expires` is when the entry is to expire.
  @inline(__always)
  mutating func set(
    _ request: Request, now: UInt64, evicted: (ObjectID) -> Void
  ) -> CacheTier.Stored {
    if tier.contains(request.id) {
      if expiry(of: request.id) > now { return replace(request, evicted: evicted) }
      remove(request.id)
    }
    guard tier.admits(request) else { return .rejected }
    var given = 0
    while count - given >= objectsMax {
      tier.evict(for: request) {
        given += 1
        evicted($0)
      }
    }
    note(request)
    tier.place(request) {
      given += 1
      evicted($0)
    }
    count += 1 - given
    return .stored
  }

  private mutating func replace(
    _ request: Request, evicted: (ObjectID) -> Void
  ) -> CacheTier.Stored {
    var given = 0
    note(request)
    let accepted = tier.replace(request) {
      given += 1
      evicted($0)
    }
    count -= accepted ? given : 1
    return accepted ? .replaced : .rejected
  }

  @inline(__always)
  private mutating func note(_ request: Request) {
    if keepsCosts { costs[request.id] = request.cost }
    if expires {
      expiries.storeShared(request.id, request.expires)
    } else if request.expires != Request.noExpiry {
      beginExpiries()
      expiries.storeShared(request.id, request.expires)
    }
  }

  /// Makes room for expiries, which what is set with one does, too.
  @inline(never)
  mutating func beginExpiries() {
    if expires { return }
    expires = true
    expiries.reserve(objects: objects)
    for id in 0...objects { expiries[ObjectID(id)] = Request.noExpiry }
  }

  /// Gives a resident object another expiry without a reference to it.
  mutating func renew(_ id: ObjectID, expires: UInt64) {
    var request = Request(id: id, size: tier.size(of: id))
    request.expires = expires
    if keepsCosts { request.cost = costs[id] }
    note(request)
    tier.renew(request)
  }

  /// Removes whatever there is of the object, ghosts included.
  mutating func remove(_ id: ObjectID) {
    if tier.contains(id) { count -= 1 }
    tier.remove(id)
  }

  /// Gives up one object, of which there must be one.
  mutating func giveUp() -> ObjectID {
    count -= 1
    return tier.giveUp()
  }

  /// Makes room for ids up to `objects`.
  mutating func reserve(objects: Int) {
    tier.reserve(objects: objects)
    if expires { expiries.reserve(objects: objects) }
    if keepsCosts { costs.reserve(objects: objects) }
    self.objects = max(self.objects, objects)
  }
}
