import LarderEngine

extension RegisteredPolicy {
  package static let sieve = RegisteredPolicy(Sieve.self)
}

/// Lazy promotion and quick demotion with one queue and one hand.
struct Sieve: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "sieve", family: .queue,
    summary: "A hand moves from the oldest to the newest object; objects requested since it last "
      + "passed stay in place, and the first other one is evicted.",
    paper: "Zhang, Yang, Yue, Vigfusson and Rashmi, SIEVE is simpler than LRU, NSDI 2024")

  private var queue: SweepQueue

  init(_ setup: PolicySetup) throws(PolicyError) {
    try setup.requireQueueable()
    queue = SweepQueue(objects: setup.objects, capacity: setup.expectedResidents)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { queue.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    queue.setMark(request.id)
  }

  var hitWords: HitWords? { queue.marking }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    queue.popUnmarked()
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    queue.push(request.id)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { queue.remove(id) }
  }

  @inline(__always) var candidate: ObjectID { queue.atHand }
  mutating func reserve(objects: Int) { queue.reserve(objects: objects) }
  @inline(__always) func prefetch(_ id: ObjectID) { queue.prefetch(id) }
  var stateBytes: Int { queue.bytes }
}
