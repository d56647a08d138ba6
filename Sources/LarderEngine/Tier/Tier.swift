/// One tier of a cache without its keys and values: a policy, its limits, and what must be known of
/// each resident object. The driver that a policy's contract speaks of.
///
/// The simulator's loops and the real caches drive this one type, so that both count the same. What
/// a tier of the one kind needs and one of the other does not is its `Shape`, which costs nothing
/// where it is not needed.
struct Tier<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  var policy: Policy
  let capacity: UInt64
  // Microseconds; 0 for no limit.
  let timeToLive: UInt64
  let objectsMax: Int
  let filter: TierFilter?
  let keepsCosts: Bool
  let keepsExpired: Bool
  var fingerprints: Column<UInt32>
  var sizes: Column<UInt32>
  // What fetching the stored copy cost: a hit does not say it.
  var costs: Column<Float>
  var expiries: Column<UInt64>
  var stale: Column<Bool>
  /// Whether entries may have an expiry; until then there are no expiries.
  var hasExpiries: Bool
  // The largest id that there is room for.
  private(set) var objects: Int
  /// Sum of the sizes of the resident objects.
  var used: UInt64 = 0
  /// Resident objects. Counted where the shape knows limits on them.
  var count = 0
  /// What has happened since the counts were last set to zero.
  var counts = TierCounts()

  /// Whether what is stored was admitted before, as when a cache is read back from disk: the
  /// filter learns of it and is not asked.
  var isRestoring = false

  /// An empty tier.
  init(_ setup: CacheTierSetup) throws(PolicyError) {
    let made = try TierFilter(
      setup, policy: Policy.description.name, knowsVictim: Policy.knowsVictim)
    let objects = setup.objects
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
    hasExpiries = Shape.expiry == .column
    fingerprints = Column(objects: made == nil ? 0 : objects)
    sizes = Column(objects: Shape.weighs ? objects : 0)
    costs = Column(objects: keepsCosts ? objects : 0)
    expiries = Column(objects: hasExpiries ? objects : 0)
    stale = Column(objects: Shape.marksStale ? objects : 0)
    self.objects = objects
  }

  /// Makes room for ids up to `objects`.
  mutating func reserve(objects: Int) {
    policy.reserve(objects: objects)
    if filter != nil { fingerprints.reserve(objects: objects) }
    if Shape.weighs { sizes.reserve(objects: objects) }
    if keepsCosts { costs.reserve(objects: objects) }
    if hasExpiries { expiries.reserve(objects: objects) }
    if Shape.marksStale { stale.reserve(objects: objects) }
    self.objects = max(self.objects, objects)
  }

  /// Memory held, in bytes.
  var stateBytes: Int {
    policy.stateBytes + (Shape.weighs ? sizes.bytes : 0)
      + (filter.map { $0.rule.stateBytes + fingerprints.bytes } ?? 0)
      + (keepsCosts ? costs.bytes : 0) + (hasExpiries ? expiries.bytes : 0)
      + (Shape.marksStale ? stale.bytes : 0)
  }

  // MARK: Objects

  /// Whether the object is resident.
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { policy.contains(id) }

  /// Whether the policy knows anything about the object.
  func remembers(_ id: ObjectID) -> Bool { policy.remembers(id) }

  /// The stored size of a resident object.
  @inline(__always)
  func size(of id: ObjectID) -> UInt32 { Shape.weighs ? sizes[id] : 1 }

  /// What fetching the stored copy of a resident object cost; 1 where nobody asks.
  @inline(__always)
  func cost(of id: ObjectID) -> Float { Shape.limits && keepsCosts ? costs[id] : 1 }

  /// When a resident object expires, microseconds.
  @inline(__always)
  func expiry(of id: ObjectID) -> UInt64 { mayExpire ? expiries[id] : Request.noExpiry }

  /// Whether the stored copy of a resident object is older than the origin's.
  @inline(__always)
  func isStale(_ id: ObjectID) -> Bool { Shape.marksStale && stale[id] }

  /// Marks the stored copy of an object as older than the origin's, or as fresh. It says nothing
  /// of an object that is not resident.
  @inline(__always)
  func setStale(_ id: ObjectID, _ isStale: Bool) { if Shape.marksStale { stale[id] = isStale } }

  /// When something stored at `now` with a time to live of its own expires; 0 means that it has
  /// none. All in microseconds.
  @inline(__always)
  func expiry(now: UInt64, timeToLive own: UInt64) -> UInt64 {
    var life = own
    if timeToLive != 0, life == 0 || timeToLive < life { life = timeToLive }
    let (expiry, isBeyondTime) = now.addingReportingOverflow(life)
    return life == 0 || isBeyondTime ? Request.noExpiry : expiry
  }

  /// Whether some resident object may have an expiry.
  @inline(__always)
  var mayExpire: Bool {
    switch Shape.expiry {
    case .none: false
    case .lazy: hasExpiries
    case .column: true
    }
  }
}
