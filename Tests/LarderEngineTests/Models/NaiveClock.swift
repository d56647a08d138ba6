import LarderEngine

/// CLOCK (Corbato, MIT Project MAC, 1968), generalised to counters of several bits, written as FIFO
/// with reinsertion: the hand checks the oldest object, and a counter above zero reinserts it.
struct NaiveClock: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var counter: Int
  }
  let maximum: Int
  var queue: [Entry] = []

  init(bits: Int) { maximum = (1 << bits) - 1 }

  func contains(_ id: ObjectID) -> Bool { queue.contains { $0.id == id } }
  mutating func hit(_ request: Request) {
    guard let place = queue.firstIndex(where: { $0.id == request.id }) else { return }
    queue[place].counter = min(queue[place].counter + 1, maximum)
  }
  mutating func evict() -> ObjectID {
    while queue[0].counter > 0 {
      var spared = queue.removeFirst()
      spared.counter -= 1
      queue.append(spared)
    }
    return queue.removeFirst().id
  }
  mutating func insert(_ request: Request) { queue.append(Entry(id: request.id, counter: 0)) }
  mutating func remove(_ id: ObjectID) { queue.removeAll { $0.id == id } }
}
