import LarderEngine

/// Evicts the least recently used object.
struct NaiveLRU: NaivePolicy {
  var stack: [ObjectID] = []

  func contains(_ id: ObjectID) -> Bool { stack.contains(id) }
  mutating func hit(_ request: Request) {
    remove(request.id)
    stack.append(request.id)
  }
  mutating func evict() -> ObjectID { stack.removeFirst() }
  mutating func insert(_ request: Request) { stack.append(request.id) }
  mutating func remove(_ id: ObjectID) { stack.removeAll { $0 == id } }
}
