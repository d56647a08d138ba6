import LarderEngine

/// GreedyDual (Young, Algorithmica 1994) in the formulation of Cao and Irani: priority L + cost,
/// renewed by a request, where L is the priority of the last victim; ties go to the least recently
/// requested.
struct NaiveGreedyDual: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var priority: Double
  }
  var entries: [Entry] = []
  /// L in the papers.
  var inflation = 0.0

  func contains(_ id: ObjectID) -> Bool { entries.contains { $0.id == id } }
  mutating func hit(_ request: Request) {
    remove(request.id)
    insert(request)
  }
  mutating func evict() -> ObjectID {
    guard let victim = entries.firstMinimum(by: { $0.priority < $1.priority }) else { return .none }
    inflation = victim.priority
    remove(victim.id)
    return victim.id
  }
  mutating func insert(_ request: Request) {
    entries.append(Entry(id: request.id, priority: inflation + Double(request.cost)))
  }
  mutating func remove(_ id: ObjectID) { entries.removeAll { $0.id == id } }
}
