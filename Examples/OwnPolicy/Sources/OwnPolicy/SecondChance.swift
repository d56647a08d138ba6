import LarderEngine

/// FIFO with a second chance for what was requested: what Larder's `clock` decides, written with
/// the public interface alone.
struct SecondChance: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "second-chance", family: .queue,
    summary: "Evicts the object that was stored first, unless it was requested since: then it is "
      + "the newest again.",
    paper: "after Corbato, A paging experiment with the Multics system, MIT Project MAC 1968")

  private static var resident: UInt32 { 1 << 31 }
  private static var requested: UInt32 { 1 << 30 }

  // Ids in the order in which they were stored.
  private var queue: IDRing
  // A word for each id: the two flags above, and the position in the queue in the lowest bits.
  private var words: SharedColumn

  init(_ setup: PolicySetup) throws(PolicyError) {
    try setup.requireQueueable()
    queue = IDRing(capacity: setup.expectedResidents)
    words = SharedColumn(objects: setup.objects)
  }

  func contains(_ id: ObjectID) -> Bool { words[id] != 0 }

  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    words[request.id] |= Self.requested
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    while true {
      let oldest = queue.popOldest()
      if words[oldest] & Self.requested == 0 {
        words[oldest] = 0
        return oldest
      }
      words[oldest] = Self.resident | queue.push(oldest, words)
    }
  }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    words[request.id] = Self.resident | queue.push(request.id, words)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard contains(id) else { return }
    queue.remove(at: words[id] & (IDRing.positionLimit - 1))
    words[id] = 0
  }

  mutating func reserve(objects: Int) { words.reserve(objects: objects) }

  func prefetch(_ id: ObjectID) { words.prefetch(id) }

  var stateBytes: Int { queue.bytes + words.bytes }
}
