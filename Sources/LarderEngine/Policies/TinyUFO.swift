/// A small queue and a main one, and a count of misses that decides between a newcomer and what
/// would have to leave for it.
///
/// The program of the reference counts with a sketch whose hashes differ from run to run. Here they
/// are the same in every run; `counters=exact` has a counter for each object, and counts what the
/// reference does. That is defined for objects of one size: where the capacity is in bytes, the
/// share of the small queue is one of bytes, a newcomer is compared with the first object that
/// would have to leave, and the cache's size in objects is the most that it held so far.
struct TinyUFO: EvictionPolicy, ThreeQueuePolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "tinyufo", family: .frequency,
    summary: "A small and a main FIFO; when the cache is full, a new object is stored only if a "
      + "sketch counts as many recent misses of it as of the victim, which otherwise stays.",
    parameters: [
      PolicyParameter(
        "counters", default: "sketch",
        "sketch: an approximate count of misses; exact: a counter for each object")
    ],
    learns: true,
    paper: "TinyUFO of Cloudflare's Pingora, 2024; after S3-FIFO and TinyLFU")

  /// The queue whose oldest object is the victim.
  private enum Chosen { case nothing, small, main }

  var queues: ThreeQueues
  // There are no ghosts.
  var missedGhost = false
  private var counts: MissCounts
  private let capacity: UInt64
  private var chosen = Chosen.nothing

  init(_ setup: PolicySetup) throws(PolicyError) {
    let words = ["sketch", "exact"]
    let counters = setup.spec.values["counters"] ?? words[0]
    guard words.contains(counters) else {
      throw .badValue(
        policy: setup.spec.name, parameter: "counters", value: counters,
        expected: "sketch or exact")
    }
    queues = try ThreeQueues(
      setup, small: min(setup.capacity / 10 + 1, setup.capacity), ghosts: 0)
    capacity = setup.capacity
    counts = MissCounts(setup, isExact: counters == "exact")
  }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool { queues.contains(id) || counts.remembers(id) }

  /// Decides between the newcomer and the first victim, which becomes the newest of the small queue
  /// where it wins.
  @inline(__always)
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    let misses = counts.countMiss(request)
    chosen = .nothing
    guard queues.smallUsed + queues.mainUsed + UInt64(request.size) > capacity else { return true }
    guard counts.estimate(choose(sizes)) > misses else { return true }
    queues.renewOldest(inSmall: chosen == .small, sizes)
    chosen = .nothing
    return false
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    if chosen == .nothing { _ = choose(sizes) }
    let victim = chosen == .small ? queues.dropSmall(sizes) : queues.popMain(sizes)
    chosen = .nothing
    counts.leave()
    return victim
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    counts.enter(request)
    queues.pushSmall(request.id, request.size)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    chosen = .nothing
    if queues.contains(id) { counts.leave() }
    queues.remove(id, sizes)
    counts.forget(id)
  }

  @inline(__always)
  var candidate: ObjectID {
    queues.smallUsed >= queues.smallCapacity ? queues.smallCandidate : queues.mainCandidate
  }

  /// What exact counters remember.
  var ghostsMax: Int { counts.ghostsMax }

  /// The queues have no ghosts, but misses may be counted by id.
  mutating func withGhostQueues<Result>(_ body: (inout ThreeQueues) -> Result) -> Result? { nil }

  mutating func reserve(objects: Int) {
    queues.reserve(objects: objects)
    counts.reserve(objects: objects)
  }

  @inline(__always)
  func prefetch(_ id: ObjectID) {
    queues.prefetch(id)
    counts.prefetch(id)
  }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { counts.prefetchCounters(id) }

  var stateBytes: Int { queues.bytes + counts.bytes }

  /// Finds the victim, which stays where it is: the oldest of the queue that is chosen.
  @inline(__always)
  private mutating func choose(_ sizes: some ObjectSizes) -> ObjectID {
    if queues.smallUsed >= queues.smallCapacity || queues.isMainEmpty {
      let victim = queues.spareSmall(above: 1, sizes)
      if victim != .none {
        chosen = .small
        return victim
      }
    }
    chosen = .main
    return queues.spareMain()
  }
}
