import LarderEngine

/// First in, first out: a hit changes nothing.
struct NaiveFIFO: NaivePolicy {
  var queue: [ObjectID] = []

  func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
  mutating func hit(_ request: Request) {}
  mutating func evict() -> ObjectID { queue.removeFirst() }
  mutating func insert(_ request: Request) { queue.append(request.id) }
  mutating func remove(_ id: ObjectID) { queue.removeAll { $0 == id } }
}
