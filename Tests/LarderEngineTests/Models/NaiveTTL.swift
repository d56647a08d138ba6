import LarderEngine

/// Evicts the entry that expires first, entries without expiry last; ties go to the one stored
/// first. A replacement counts as stored again.
struct NaiveTTL: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var expires: UInt64
  }
  var entries: [Entry] = []

  func contains(_ id: ObjectID) -> Bool { entries.contains { $0.id == id } }
  mutating func hit(_ request: Request) {}
  mutating func replace(_ request: Request) {
    remove(request.id)
    insert(request)
  }
  mutating func renew(_ request: Request) { replace(request) }
  mutating func evict() -> ObjectID {
    let victim = entries.firstMinimum { $0.expires < $1.expires }?.id ?? .none
    remove(victim)
    return victim
  }
  mutating func insert(_ request: Request) {
    entries.append(Entry(id: request.id, expires: request.expires))
  }
  mutating func remove(_ id: ObjectID) { entries.removeAll { $0.id == id } }
}
