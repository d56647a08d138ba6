import LarderEngine

/// Evicts the least recently used object, or the most recently used one.
struct NaiveLRU: NaivePolicy {
  var isMRU = false
  var stack: [ObjectID] = []

  func contains(_ id: ObjectID) -> Bool { stack.contains(id) }
  mutating func hit(_ request: Request) {
    remove(request.id)
    stack.append(request.id)
  }
  mutating func evict() -> ObjectID { isMRU ? stack.removeLast() : stack.removeFirst() }
  mutating func insert(_ request: Request) { stack.append(request.id) }
  mutating func remove(_ id: ObjectID) { stack.removeAll { $0 == id } }
}
