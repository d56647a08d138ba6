import LarderEngine

extension RegisteredPolicy {
  package static let qdLP = RegisteredPolicy(QDLP.self)
}

/// QD-LP-FIFO: quick demotion by a small queue, lazy promotion by a clock. The small queue may
/// exceed its share while main is below its own; from then on main evicts for objects that enter
/// it, and the small queue for all others.
struct QDLP: EvictionPolicy, ThreeQueuePolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "qd-lp", family: .queue,
    summary: "New objects enter a small FIFO; those requested again move to a clock with 2-bit "
      + "counters, others leave a ghost, and a miss on a ghost enters the clock directly.",
    parameters: queueParameters,
    paper: "Yang, Qiu, Zhang, Yue and Rashmi, FIFO can be better than LRU: the power of lazy "
      + "promotion and quick demotion, HotOS 2023")

  var queues: ThreeQueues
  var missedGhost = false

  init(_ setup: PolicySetup) throws(PolicyError) { queues = try Self.queues(setup) }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let entering = missedGhost ? UInt64(request.size) : 0
    while !queues.isSmallEmpty {
      let isOver = queues.mainUsed + entering > queues.mainCapacity
      if isOver, !queues.isMainEmpty { break }
      let victim = queues.popSmall(movingAbove: 0, sizes)
      if victim != .none { return victim }
    }
    return queues.popMain(sizes)
  }
}
