/// A policy of a small queue, a main one and a ghost: what S3-FIFO and QD-LP-FIFO have in common
/// beside the queues. A policy says which of them gives something up.
public protocol ThreeQueuePolicy: EvictionPolicy, ~Copyable {
  /// The resident objects and the ghosts.
  var queues: ThreeQueues { get set }
  /// Whether the object that is about to be stored was a ghost.
  var missedGhost: Bool { get set }
}

extension ThreeQueuePolicy where Self: ~Copyable {
  /// The parameters of `queues(_:)`.
  @inlinable public static var queueParameters: [PolicyParameter] {
    [
      PolicyParameter(
        "small", default: "0.1", searched: ["0.01", "0.05", "0.1", "0.2", "0.4"],
        "share of the small queue, above 0 and below 1"),
      PolicyParameter(
        "ghost", default: "0.9", searched: ["0.9", "3"],
        "size of the ghost queue, share of the capacity"),
    ]
  }

  /// Empty queues as the parameters say.
  @inlinable public static func queues(_ setup: PolicySetup) throws(PolicyError) -> ThreeQueues {
    try ThreeQueues(
      setup, smallShare: try setup.spec.number("small", default: 0.1, in: 0.0001...0.9999),
      ghostShare: try setup.spec.number("ghost", default: 0.9, in: 0...100))
  }

  /// Whether the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { queues.contains(id) }

  /// Whether the object is resident or a ghost.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool {
    queues.remembers(id)
  }

  /// A resident object is requested.
  @inlinable @inline(__always) public mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    queues.count(request.id)
  }

  /// A hit is a change of one word.
  @inlinable public var hitWords: HitWords? { queues.counting }

  /// At most how many ghosts there are.
  @inlinable public var ghostsMax: Int { queues.ghostsMax }

  /// A ghost that was forgotten, or `.none`.
  @inlinable @inline(__always) public mutating func takeForgotten() -> ObjectID {
    queues.takeForgotten()
  }

  /// Ghosts are in the queues and nowhere else.
  @inlinable @inline(__always) public mutating func withGhostQueues<Result>(
    _ body: (inout ThreeQueues) -> Result
  ) -> Result? { body(&queues) }

  /// A resident object's value is replaced.
  @inlinable public mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    queues.count(request.id)
    queues.resize(request.id, from: sizes[request.id], to: request.size)
  }

  /// Takes a ghost out before anything is evicted, so that the victims' ghosts cannot push it out.
  @inlinable @inline(__always) public mutating func admit(
    _ request: Request, _ sizes: some ObjectSizes
  ) -> Bool {
    missedGhost = queues.forgetGhost(request.id)
    return true
  }

  /// A missing object is stored.
  @inlinable @inline(__always) public mutating func insert(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    if missedGhost {
      queues.pushMain(request.id, request.size)
    } else {
      queues.pushSmall(request.id, request.size)
    }
    missedGhost = false
  }

  /// An object that may be evicted before long.
  @inlinable @inline(__always) public var candidate: ObjectID { queues.candidate }

  /// Removes whatever is known of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    queues.remove(id, sizes)
  }

  /// Makes room for ids up to `objects`.
  public mutating func reserve(objects: Int) { queues.reserve(objects: objects) }

  /// Brings the object's state near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { queues.prefetch(id) }

  /// Memory held, in bytes.
  public var stateBytes: Int { queues.bytes }
}

/// A policy of three queues as S4-FIFO has them: until something is evicted, what small has no room
/// for fills main; and what is as large as small is refused. What S4-FIFO and Clock2Q+ have in
/// common. A policy says which hits count, and what a hit is worth in main.
protocol FillingQueuePolicy: ThreeQueuePolicy, ~Copyable {
  /// The admissions to small.
  var admissions: AdmissionLog { get set }
  /// Whether anything was ever evicted.
  var hasEvicted: Bool { get set }
  /// Whether a miss on a ghost enters main.
  var promotesGhosts: Bool { get }
  /// Whether objects that are not smaller than the small queue are refused.
  var refusesLarge: Bool { get }
  /// What room is still made for although it was refused.
  var owed: UInt64 { get set }
  /// What an admission of an object of this size counts as.
  func amount(of size: UInt32) -> UInt64
}

extension FillingQueuePolicy where Self: ~Copyable {
  /// The parameter for objects that are not smaller than the small queue. A real cache stores them,
  /// because with few entries a shard it would store nothing.
  static var largeParameter: PolicyParameter {
    PolicyParameter(
      "refuse-large", default: "true", inRealCaches: "false",
      "true: objects that are not smaller than the small queue are never stored")
  }

  /// Takes a ghost out, and refuses what is too large. Exactly as large as the small queue is
  /// refused as late as in the reference: room has been made for it by then.
  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    // Objects without a size are ghosts even where none have room.
    missedGhost = queues.forgetGhost(request.id) && promotesGhosts
    owed = 0
    guard refusesLarge else { return true }
    let size = UInt64(request.size)
    if size < queues.smallCapacity { return true }
    if size == queues.smallCapacity {
      if missedGhost { return true }
      owed = size
    }
    return false
  }

  /// Whether room is still to be made for what was refused.
  @inline(__always) var overflows: Bool {
    owed != 0
      && queues.smallUsed + queues.mainUsed + owed > queues.smallCapacity + queues.mainCapacity
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    if missedGhost || (!hasEvicted && queues.smallUsed >= queues.smallCapacity) {
      queues.pushMain(request.id, request.size)
    } else {
      queues.pushSmall(request.id, request.size)
      admissions.admit(request.id, amount(of: request.size))
    }
    missedGhost = false
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    owed = 0
    hit(request, sizes)
    queues.resize(request.id, from: sizes[request.id], to: request.size)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    queues.remove(id, sizes)
    admissions.retract(id)
  }

  mutating func reserve(objects: Int) {
    queues.reserve(objects: objects)
    admissions.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    queues.prefetch(id)
    admissions.prefetch(id)
  }

  var stateBytes: Int { queues.bytes + admissions.bytes }
}

/// How much was admitted to a queue after each object: how young an object still is there.
///
/// An admission that is taken back before the next one never was, so that an object that comes and
/// goes at once leaves no trace. All operations are O(1). Memory: 8 bytes an object, unless nothing
/// is kept.
public struct AdmissionLog: ~Copyable {
  @usableFromInline let keeps: Bool
  @usableFromInline var total: UInt64 = 0
  @usableFromInline var latest = ObjectID.none
  @usableFromInline var latestAmount: UInt64 = 0
  // The total right after the object's latest admission.
  @usableFromInline var stamps: Column<UInt64>

  /// Nothing was admitted yet. Unless it `keeps` anything, it must not be asked.
  public init(objects: Int, keeps: Bool) {
    self.keeps = keeps
    stamps = Column(objects: keeps ? objects : 0)
  }

  /// An object is admitted, which counts as so much.
  @inlinable @inline(__always) public mutating func admit(_ id: ObjectID, _ amount: UInt64) {
    guard keeps else { return }
    total += amount
    stamps[id] = total
    latest = id
    latestAmount = amount
  }

  /// What was admitted after the object was; it itself does not count.
  @inlinable @inline(__always) public func later(than id: ObjectID) -> UInt64 { total - stamps[id] }

  /// Takes the latest admission back where it was this object's, which is being removed.
  @inlinable public mutating func retract(_ id: ObjectID) {
    guard keeps, id == latest, id != .none else { return }
    total -= latestAmount
    latest = .none
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { if keeps { stamps.reserve(objects: objects) } }

  /// Brings the object's stamp near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {
    if keeps { stamps.prefetch(id) }
  }

  /// Memory held, in bytes.
  public var bytes: Int { keeps ? stamps.bytes : 0 }
}
