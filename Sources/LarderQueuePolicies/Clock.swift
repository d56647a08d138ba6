import LarderEngine

extension RegisteredPolicy {
  package static let clock = RegisteredPolicy(Clock.self)
}

/// FIFO that reinserts requested objects.
struct Clock: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "clock", family: .queue,
    summary: "Checks the object stored longest ago: if it was requested since, it stays for "
      + "another round with its counter lowered by 1; otherwise it is evicted.",
    parameters: [
      PolicyParameter(
        "bits", default: "1", searched: ["1", "2", "3"],
        "bits of each object's request counter, 1 to 3")
    ],
    paper: "Corbato, A paging experiment with the Multics system, MIT Project MAC 1968")

  private static var resident: UInt32 { 1 << 31 }
  private static var one: UInt32 { 1 << 28 }
  private static var counterMask: UInt32 { 7 << 28 }

  private var queue: IDRing
  // Residency in the top bit, the counter in three more, the position in the queue below.
  private var words: SharedColumn
  private let highest: UInt32

  init(_ setup: PolicySetup) throws(PolicyError) {
    try setup.requireQueueable()
    let bits = try setup.spec.integer("bits", default: 1, in: 1...3)
    highest = UInt32((1 << bits) - 1) * Clock.one
    queue = IDRing(capacity: setup.expectedResidents)
    words = SharedColumn(objects: setup.objects)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { words[id] != 0 }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    // Branchless, because the branch would be mispredicted half of the time.
    let word = words[request.id]
    words[request.id] = word &+ (word & Clock.counterMask < highest ? Clock.one : 0)
  }

  var hitWords: HitWords? {
    HitWords(
      words.base, objects: words.objects, residents: Clock.resident ... .max,
      counter: Clock.counterMask, highest: highest, step: Clock.one)
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    while true {
      let oldest = queue.popOldest()
      let counter = words[oldest] & Clock.counterMask
      if counter == 0 {
        words[oldest] = 0
        return oldest
      }
      words[oldest] = Clock.resident | (counter - Clock.one) | queue.push(oldest, words)
    }
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    words[request.id] = Clock.resident | queue.push(request.id, words)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard contains(id) else { return }
    queue.remove(at: words[id] & (IDRing.positionLimit - 1))
    words[id] = 0
  }

  @inline(__always) var candidate: ObjectID { queue.oldestPlace }
  mutating func reserve(objects: Int) { words.reserve(objects: objects) }
  @inline(__always) func prefetch(_ id: ObjectID) { words.prefetch(id) }
  var stateBytes: Int { queue.bytes + words.bytes }
}
