/// A policy of a small queue, a main one and a ghost: what S3-FIFO and QD-LP-FIFO have in common
/// beside the queues. A policy says which of them gives something up.
protocol ThreeQueuePolicy: EvictionPolicy, ~Copyable {
  /// The resident objects and the ghosts.
  var queues: ThreeQueues { get set }
  /// Whether the object that is about to be stored was a ghost.
  var missedGhost: Bool { get set }
}

extension ThreeQueuePolicy where Self: ~Copyable {
  /// The parameters of `queues(_:)`.
  static var queueParameters: [PolicyParameter] {
    [
      PolicyParameter("small", default: "0.1", "share of the small queue, above 0 and below 1"),
      PolicyParameter("ghost", default: "0.9", "size of the ghost queue, share of the capacity"),
    ]
  }

  /// Empty queues as the parameters say.
  static func queues(_ setup: PolicySetup) throws(PolicyError) -> ThreeQueues {
    try ThreeQueues(
      setup, smallShare: try setup.spec.number("small", default: 0.1, in: 0.0001...0.9999),
      ghostShare: try setup.spec.number("ghost", default: 0.9, in: 0...100))
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { queues.contains(id) }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool { queues.remembers(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) { queues.count(request.id) }

  var hitWords: HitWords? { queues.counting }

  var ghostsMax: Int { queues.ghostsMax }

  @inline(__always)
  mutating func takeForgotten() -> ObjectID { queues.takeForgotten() }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    queues.count(request.id)
    queues.resize(request.id, from: sizes[request.id], to: request.size)
  }

  /// Takes a ghost out before anything is evicted, so that the victims' ghosts cannot push it out.
  @inline(__always)
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    missedGhost = queues.forgetGhost(request.id)
    return true
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    if missedGhost {
      queues.pushMain(request.id, request.size)
    } else {
      queues.pushSmall(request.id, request.size)
    }
    missedGhost = false
  }

  @inline(__always)
  var candidate: ObjectID { queues.candidate }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) { queues.remove(id, sizes) }

  mutating func reserve(objects: Int) { queues.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { queues.prefetch(id) }

  var stateBytes: Int { queues.bytes }
}
