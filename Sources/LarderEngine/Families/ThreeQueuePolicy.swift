/// A policy with a small queue, a main queue and a ghost queue, such as S3-FIFO and QD-LP-FIFO.
/// Conforming types choose the queue that evicts.
public protocol ThreeQueuePolicy: EvictionPolicy, ~Copyable {
  var queues: ThreeQueues { get set }
  /// True if the object that is about to be stored was a ghost.
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

  /// Creates empty queues from the parameters.
  @inlinable public static func queues(_ setup: PolicySetup) throws(PolicyError) -> ThreeQueues {
    try ThreeQueues(
      setup, smallShare: try setup.spec.number("small", default: 0.1, in: 0.0001...0.9999),
      ghostShare: try setup.spec.number("ghost", default: 0.9, in: 0...100))
  }

  /// Returns true if the object is resident.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { queues.contains(id) }

  /// Returns true if the object is resident or a ghost.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool {
    queues.remembers(id)
  }

  /// Counts a request for a resident object.
  @inlinable @inline(__always) public mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    queues.count(request.id)
  }

  /// A hit updates one word.
  @inlinable public var hitWords: HitWords? { queues.counting }

  /// The largest number of ghosts.
  @inlinable public var ghostsMax: Int { queues.ghostsMax }

  /// Passes the queues, which hold all ghosts, to `body`.
  @inlinable @inline(__always) public mutating func withGhostQueues<Result>(
    _ body: (inout ThreeQueues) -> Result
  ) -> Result? { body(&queues) }

  /// Counts the replacement of a resident object's value.
  @inlinable public mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    queues.count(request.id)
    queues.resize(request.id, from: sizes[request.id], to: request.size)
  }

  /// Removes a ghost before anything is evicted, so that ghosts of the victims cannot displace it.
  @inlinable @inline(__always) public mutating func admit(
    _ request: Request, _ sizes: some ObjectSizes
  ) -> Bool {
    missedGhost = queues.forgetGhost(request.id)
    return true
  }

  /// Stores a missing object.
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

  /// An object that may be evicted soon.
  @inlinable @inline(__always) public var candidate: ObjectID { queues.candidate }

  /// Removes all state of the object.
  @inlinable public mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    queues.remove(id, sizes)
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { queues.reserve(objects: objects) }

  /// Prefetches the object's state.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { queues.prefetch(id) }

  /// Memory held, in bytes.
  public var stateBytes: Int { queues.bytes }
}
