import LarderEngine

extension RegisteredPolicy {
  package static let fifo = RegisteredPolicy(FIFO.self)
}

/// Evicts the object that was stored first.
struct FIFO: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "fifo", family: .queue, traits: .namesVictim,
    summary: "Evicts the object that was stored first; hits change nothing.",
    paper: "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems "
      + "Journal 1966")

  private static var resident: UInt32 { 1 << 31 }

  private var queue: IDRing
  // Position in the queue, with the top bit set while resident.
  private var words: SharedColumn

  init(_ setup: PolicySetup) throws(PolicyError) {
    try setup.requireQueueable()
    queue = IDRing(capacity: setup.expectedResidents)
    words = SharedColumn(objects: setup.objects)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { words[id] != 0 }
  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {}

  var hitWords: HitWords? {
    HitWords(words.base, objects: words.objects, residents: FIFO.resident ... .max)
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let victim = queue.popOldest()
    words[victim] = 0
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    words[request.id] = queue.push(request.id, words) | FIFO.resident
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard contains(id) else { return }
    queue.remove(at: words[id] & ~FIFO.resident)
    words[id] = 0
  }

  var victim: ObjectID { queue.oldestEntry }
  @inline(__always) var candidate: ObjectID { queue.oldestPlace }
  mutating func reserve(objects: Int) { words.reserve(objects: objects) }
  @inline(__always) func prefetch(_ id: ObjectID) { words.prefetch(id) }
  var stateBytes: Int { queue.bytes + words.bytes }
}
