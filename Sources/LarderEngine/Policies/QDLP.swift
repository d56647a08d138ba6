/// QD-LP-FIFO: quick demotion by a small queue, lazy promotion by a clock.
///
/// The paper's two parts are caches of fixed size. Here small may hold more than its share as long
/// as main holds less than its own, so that nothing is evicted before the cache is full; from then
/// on main makes room for what enters it, and small for the rest. (The authors' simulator evicts
/// from small for everything, which leaves a hole after each missed ghost.)
struct QDLP: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "qd-lp", family: .queue,
    summary: "New objects enter a small FIFO; those requested again go on to a clock with 2-bit "
      + "counters, others leave a ghost behind, and a miss on a ghost enters the clock at once.",
    parameters: [
      PolicyParameter("small", default: "0.1", "share of the small queue, above 0 and below 1"),
      PolicyParameter("ghost", default: "0.9", "size of the ghost queue, share of the capacity"),
    ],
    paper: "Yang, Qiu, Zhang, Yue and Rashmi, FIFO can be better than LRU: the power of lazy "
      + "promotion and quick demotion, HotOS 2023")

  private var queues: ThreeQueues
  private var missedGhost = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    queues = try ThreeQueues(
      setup, smallShare: try setup.spec.number("small", default: 0.1, in: 0.0001...0.9999),
      ghostShare: try setup.spec.number("ghost", default: 0.9, in: 0...100))
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { queues.contains(id) }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool { queues.remembers(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) { queues.count(request.id) }

  static var hitsConcurrently: Bool { true }

  @inline(__always)
  func hitConcurrently(_ id: ObjectID) -> Bool { queues.countConcurrently(id) }

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
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let entering = missedGhost ? UInt64(request.size) : 0
    while !queues.isSmallEmpty {
      let isOver = queues.mainUsed + entering > queues.mainCapacity
      if isOver, !queues.isMainEmpty { break }
      let victim = queues.popSmall(movingAbove: 0, sizes)
      if victim != .none { return victim }
    }
    return queues.popMain(sizes)
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

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) { queues.remove(id, sizes) }

  mutating func reserve(objects: Int) { queues.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { queues.prefetch(id) }

  var stateBytes: Int { queues.bytes }
}
