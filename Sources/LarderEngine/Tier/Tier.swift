/// One tier of a cache without its keys and values: a policy, its limits, and what must be known of
/// each resident object. The driver that a policy's contract speaks of.
///
/// The simulator's loops and the real caches drive this one type, so that both count the same. What
/// a tier of the one kind needs and one of the other does not is its `Shape`, which costs nothing
/// where it is not needed.
@usableFromInline
struct Tier<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  @usableFromInline var policy: Policy
  @usableFromInline var capacity: UInt64
  // Microseconds; 0 for no limit.
  @usableFromInline var timeToLive: UInt64
  @usableFromInline var objectsMax: Int
  @usableFromInline var filter: TierFilter?
  @usableFromInline let keepsCosts: Bool
  @usableFromInline let keepsExpired: Bool
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
  @usableFromInline var hasExpiries: Bool
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
  @usableFromInline
  init(_ setup: CacheTierSetup) throws(PolicyError) {
    let made = try TierFilter(
      setup, policy: Policy.description.name, knowsVictim: Policy.knowsVictim)
    let objects = setup.objects
    let key = try EntryMemory.keyBytes(of: setup.policy, Policy.description)
    let addsEntries = Shape.limits && Shape.weighs && setup.unit == .bytes && key != nil
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
    keyBytes = addsEntries ? key : nil
    values = Column(objects: addsEntries ? objects : 0)
    costs = Column(objects: keepsCosts ? objects : 0)
    expiries = Column(objects: hasExpiries ? objects : 0)
    stale = Column(objects: Shape.marksStale ? objects : 0)
    self.objects = objects
  }

  /// Makes room for ids up to `objects`.
  @usableFromInline
  mutating func reserve(objects: Int) {
    policy.reserve(objects: objects)
    if filter != nil { fingerprints.reserve(objects: objects) }
    if Shape.weighs { sizes.reserve(objects: objects) }
    if keyBytes != nil { values.reserve(objects: objects) }
    if keepsCosts { costs.reserve(objects: objects) }
    if hasExpiries { expiries.reserve(objects: objects) }
    if Shape.marksStale { stale.reserve(objects: objects) }
    self.objects = max(self.objects, objects)
  }

  /// Memory held, in bytes.
  @usableFromInline
  var stateBytes: Int {
    policy.stateBytes + (Shape.weighs ? sizes.bytes : 0)
      + (keyBytes == nil ? 0 : values.bytes)
      + (filter.map { $0.rule.stateBytes + fingerprints.bytes } ?? 0)
      + (keepsCosts ? costs.bytes : 0) + (hasExpiries ? expiries.bytes : 0)
      + (Shape.marksStale ? stale.bytes : 0)
  }

  // MARK: Objects

  /// Whether the object is resident.
  @inlinable
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { policy.contains(id) }

  /// Whether the policy knows anything about the object.
  @inlinable
  func remembers(_ id: ObjectID) -> Bool { policy.remembers(id) }

  /// The stored size of a resident object, without what its entry takes beside the value.
  @inlinable
  @inline(__always)
  func size(of id: ObjectID) -> UInt32 {
    guard Shape.weighs else { return 1 }
    return Shape.limits && keyBytes != nil ? values[id] : sizes[id]
  }

  /// What fetching the stored copy of a resident object cost; 1 where nobody asks.
  @inlinable
  @inline(__always)
  func cost(of id: ObjectID) -> Float { Shape.limits && keepsCosts ? costs[id] : 1 }

  /// When a resident object expires, microseconds.
  @inlinable
  @inline(__always)
  func expiry(of id: ObjectID) -> UInt64 { mayExpire ? expiries[id] : Request.noExpiry }

  /// Whether the stored copy of a resident object is older than the origin's.
  @inlinable
  @inline(__always)
  func isStale(_ id: ObjectID) -> Bool { Shape.marksStale && stale[id] }

  /// Marks the stored copy of an object as older than the origin's, or as fresh. It says nothing
  /// of an object that is not resident.
  @inlinable
  @inline(__always)
  func setStale(_ id: ObjectID, _ isStale: Bool) { if Shape.marksStale { stale[id] = isStale } }

  /// When something stored at `now` with a time to live of its own expires; 0 means that it has
  /// none. All in microseconds.
  @inlinable
  @inline(__always)
  func expiry(now: UInt64, timeToLive own: UInt64) -> UInt64 {
    var life = own
    if timeToLive != 0, life == 0 || timeToLive < life { life = timeToLive }
    let (expiry, isBeyondTime) = now.addingReportingOverflow(life)
    return life == 0 || isBeyondTime ? Request.noExpiry : expiry
  }

  /// Whether some resident object may have an expiry.
  @inlinable
  @inline(__always)
  var mayExpire: Bool {
    switch Shape.expiry {
    case .none: false
    case .lazy: hasExpiries
    case .column: true
    }
  }
}
