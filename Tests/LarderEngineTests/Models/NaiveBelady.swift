import LarderEngine

/// MIN (Belady, IBM Systems Journal 1966) with forced admission: evicts the object whose next
/// request is furthest away. Objects without one are furthest; among those, the least recently
/// requested is evicted.
struct NaiveBelady: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var nextUse: UInt32
  }
  var entries: [Entry] = []

  func contains(_ id: ObjectID) -> Bool { entries.contains { $0.id == id } }
  mutating func hit(_ request: Request) {
    remove(request.id)
    insert(request)
  }
  mutating func foresee(_ request: Request) { hit(request) }
  mutating func evict() -> ObjectID {
    let victim = entries.firstMinimum { $0.nextUse > $1.nextUse }?.id ?? .none
    remove(victim)
    return victim
  }
  mutating func insert(_ request: Request) {
    entries.append(Entry(id: request.id, nextUse: request.nextUse))
  }
  mutating func remove(_ id: ObjectID) { entries.removeAll { $0.id == id } }
}
