import LarderEngine

extension RegisteredPolicy {
  package static let s3FIFO = RegisteredPolicy(S3FIFO.self)
}

/// Three queues: a small one that most objects leave without a hit, a main one, and a ghost queue.
struct S3FIFO: EvictionPolicy, ThreeQueuePolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "s3-fifo", family: .queue,
    summary: "New objects enter a small FIFO; those requested more than once move to the main "
      + "FIFO, others leave a ghost, and a miss on a ghost enters main directly.",
    parameters: queueParameters,
    paper: "Yang, Zhang, Qiu, Yue and Rashmi, FIFO queues are all you need for cache eviction, "
      + "SOSP 2023")

  var queues: ThreeQueues
  var missedGhost = false

  init(_ setup: PolicySetup) throws(PolicyError) { queues = try Self.queues(setup) }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    if queues.mainUsed <= queues.mainCapacity {
      // An eviction that starts in the small queue stays there.
      while !queues.isSmallEmpty {
        let victim = queues.popSmall(movingAbove: 1, sizes)
        if victim != .none { return victim }
      }
    }
    return queues.popMain(sizes)
  }
}
