import LarderEngine

/// LFU with dynamic ageing (Arlitt et al., Performance Evaluation Review 2000): priority age +
/// requests, where the age is the priority of the last victim; ties go to the least recently
/// requested.
struct NaiveLFUDA: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var count: Int
    var priority: Int
  }
  var entries: [Entry] = []
  var age = 0

  func contains(_ id: ObjectID) -> Bool { entries.contains { $0.id == id } }
  mutating func hit(_ request: Request) {
    guard var entry = entries.take(where: { $0.id == request.id }) else { return }
    entry.count += 1
    entry.priority = age + entry.count
    entries.append(entry)
  }
  mutating func evict() -> ObjectID {
    guard let victim = entries.firstMinimum(by: { $0.priority < $1.priority }) else { return .none }
    age = victim.priority
    remove(victim.id)
    return victim.id
  }
  mutating func insert(_ request: Request) {
    entries.append(Entry(id: request.id, count: 1, priority: age + 1))
  }
  mutating func remove(_ id: ObjectID) { entries.removeAll { $0.id == id } }
}
