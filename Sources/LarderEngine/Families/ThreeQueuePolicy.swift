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
  @inlinable
  public static var queueParameters: [PolicyParameter] {
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
  @inlinable
  public static func queues(_ setup: PolicySetup) throws(PolicyError) -> ThreeQueues {
    try ThreeQueues(
      setup, smallShare: try setup.spec.number("small", default: 0.1, in: 0.0001...0.9999),
      ghostShare: try setup.spec.number("ghost", default: 0.9, in: 0...100))
  }

  /// Whether the object is resident.
  @inlinable
  @inline(__always)
  public func contains(_ id: ObjectID) -> Bool { queues.contains(id) }

  /// Whether the object is resident or a ghost.
  @inlinable
  @inline(__always)
  public func remembers(_ id: ObjectID) -> Bool { queues.remembers(id) }

  /// A resident object is requested.
  @inlinable
  @inline(__always)
  public mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    queues.count(request.id)
  }

  /// A hit is a change of one word.
  @inlinable
  public var hitWords: HitWords? { queues.counting }

  /// At most how many ghosts there are.
  @inlinable
  public var ghostsMax: Int { queues.ghostsMax }

  /// A ghost that was forgotten, or `.none`.
  @inlinable
  @inline(__always)
  public mutating func takeForgotten() -> ObjectID { queues.takeForgotten() }

  /// Ghosts are in the queues and nowhere else.
  @inlinable
  @inline(__always)
  public mutating func withGhostQueues<Result>(
    _ body: (inout ThreeQueues) -> Result
  ) -> Result? { body(&queues) }

  /// A resident object's value is replaced.
  @inlinable
  public mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    queues.count(request.id)
    queues.resize(request.id, from: sizes[request.id], to: request.size)
  }

  /// Takes a ghost out before anything is evicted, so that the victims' ghosts cannot push it out.
  @inlinable
  @inline(__always)
  public mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    missedGhost = queues.forgetGhost(request.id)
    return true
  }

  /// A missing object is stored.
  @inlinable
  @inline(__always)
  public mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    if missedGhost {
      queues.pushMain(request.id, request.size)
    } else {
      queues.pushSmall(request.id, request.size)
    }
    missedGhost = false
  }

  /// An object that may be evicted before long.
  @inlinable
  @inline(__always)
  public var candidate: ObjectID { queues.candidate }

  /// Removes whatever is known of the object.
  @inlinable
  public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    queues.remove(id, sizes)
  }

  /// Makes room for ids up to `objects`.
  public mutating func reserve(objects: Int) { queues.reserve(objects: objects) }

  /// Brings the object's state near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { queues.prefetch(id) }

  /// Memory held, in bytes.
  public var stateBytes: Int { queues.bytes }
}
