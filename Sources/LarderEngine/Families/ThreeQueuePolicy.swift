/// A policy with a small queue, a main queue and a ghost queue, such as S3-FIFO and QD-LP-FIFO.
/// Conforming types choose the queue that evicts.
@usableFromInline package protocol ThreeQueuePolicy: EvictionPolicy, ~Copyable {
  var queues: ThreeQueues { get set }
  /// True if the object that is about to be stored was a ghost.
  var missedGhost: Bool { get set }
}

extension ThreeQueuePolicy where Self: ~Copyable {
  @inlinable package static var queueParameters: [PolicyParameter] {
    [
      PolicyParameter(
        "small", default: "0.1", searched: ["0.01", "0.05", "0.1", "0.2", "0.4"],
        "share of the small queue, above 0 and below 1"),
      PolicyParameter(
        "ghost", default: "0.9", searched: ["0.9", "3"],
        "size of the ghost queue, share of the capacity"),
    ]
  }

  @inlinable package static func queues(_ setup: PolicySetup) throws(PolicyError) -> ThreeQueues {
    try ThreeQueues(
      setup, smallShare: try setup.spec.number("small", default: 0.1, in: 0.0001...0.9999),
      ghostShare: try setup.spec.number("ghost", default: 0.9, in: 0...100))
  }

  @inlinable @inline(__always) package func contains(_ id: ObjectID) -> Bool { queues.contains(id) }

  @inlinable @inline(__always) package func remembers(_ id: ObjectID) -> Bool {
    queues.remembers(id)
  }

  @inlinable @inline(__always) package mutating func hit(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    queues.count(request.id)
  }

  @inlinable package var hitWords: HitWords? { queues.counting }

  @inlinable package var ghostsMax: Int { queues.ghostsMax }

  @inlinable @inline(__always) package mutating func withGhostQueues<Result>(
    _ body: (inout ThreeQueues) -> Result
  ) -> Result? { body(&queues) }

  @inlinable package mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    queues.count(request.id)
    queues.resize(request.id, from: sizes[request.id], to: request.size)
  }

  // Before evictions, whose ghosts could displace it.
  @inlinable @inline(__always) package mutating func admit(
    _ request: Request, _ sizes: some ObjectSizes
  ) -> Bool {
    missedGhost = queues.forgetGhost(request.id)
    return true
  }

  @inlinable @inline(__always) package mutating func insert(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    if missedGhost {
      queues.pushMain(request.id, request.size)
    } else {
      queues.pushSmall(request.id, request.size)
    }
    missedGhost = false
  }

  @inlinable @inline(__always) package var candidate: ObjectID { queues.candidate }

  @inlinable package mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    queues.remove(id, sizes)
  }

  @usableFromInline package mutating func reserve(objects: Int) { queues.reserve(objects: objects) }

  @inlinable @inline(__always) package func prefetch(_ id: ObjectID) { queues.prefetch(id) }

  @usableFromInline package var stateBytes: Int { queues.bytes }
}
