import LarderEngine

/// Evicts the lowest count; ties go to the object that reached that count first. The count is 1 on
/// insertion and is lost on eviction.
struct NaiveLFU: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var count: Int
  }
  /// In the order in which they reached their current counts, the earliest first.
  var entries: [Entry] = []

  func contains(_ id: ObjectID) -> Bool { entries.contains { $0.id == id } }
  mutating func hit(_ request: Request) {
    guard var entry = entries.take(where: { $0.id == request.id }) else { return }
    entry.count += 1
    entries.append(entry)
  }
  mutating func evict() -> ObjectID {
    let victim = entries.firstMinimum { $0.count < $1.count }?.id ?? .none
    remove(victim)
    return victim
  }
  mutating func insert(_ request: Request) { entries.append(Entry(id: request.id, count: 1)) }
  mutating func remove(_ id: ObjectID) { entries.removeAll { $0.id == id } }
}
