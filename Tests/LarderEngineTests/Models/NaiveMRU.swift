import LarderEngine

/// Evicts the most recently used object.
struct NaiveMRU: NaivePolicy {
  var stack: [ObjectID] = []

  func contains(_ id: ObjectID) -> Bool { stack.contains(id) }
  mutating func hit(_ request: Request) {
    remove(request.id)
    stack.append(request.id)
  }
  mutating func evict() -> ObjectID { stack.removeLast() }
  mutating func insert(_ request: Request) { stack.append(request.id) }
  mutating func remove(_ id: ObjectID) { stack.removeAll { $0 == id } }
}
