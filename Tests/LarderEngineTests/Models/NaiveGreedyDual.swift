import LarderEngine

/// GreedyDual (Young, Algorithmica 1994) in the formulation of Cao and Irani: priority L + value,
/// renewed by a request, where L is the priority of the last victim; ties go to the least recently
/// requested. With the value as a parameter also GreedyDual-Size (Cao and Irani, USITS 1997), GDSF
/// (Cherkasova, HPL-98-69, 1998) and LFU with dynamic ageing (Arlitt et al., Performance Evaluation
/// Review 2000).
struct NaiveGreedyDual: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var frequency: Double
    var priority: Double
  }
  var entries: [Entry] = []
  var inflation = 0.0
  let value: @Sendable (_ request: Request, _ frequency: Double) -> Double

  static let values: [String: @Sendable (_ request: Request, _ frequency: Double) -> Double] = [
    "greedydual": { request, _ in Double(request.cost) },
    "cost": { request, _ in Double(request.cost) * 1e6 / Double(max(request.size, 1)) },
    "gdsf": { request, frequency in
      frequency * Double(request.cost) * 1e6 / Double(max(request.size, 1))
    },
    "lfuda": { _, frequency in frequency },
  ]

  func contains(_ id: ObjectID) -> Bool { entries.contains { $0.id == id } }

  mutating func hit(_ request: Request) {
    guard let entry = entries.take(where: { $0.id == request.id }) else { return }
    add(request, frequency: entry.frequency + 1)
  }
  mutating func evict() -> ObjectID {
    guard let victim = entries.firstMinimum(by: { $0.priority < $1.priority }) else { return .none }
    inflation = victim.priority
    remove(victim.id)
    return victim.id
  }
  mutating func insert(_ request: Request) { add(request, frequency: 1) }
  mutating func remove(_ id: ObjectID) { entries.removeAll { $0.id == id } }

  private mutating func add(_ request: Request, frequency: Double) {
    let priority = inflation + value(request, frequency)
    entries.append(Entry(id: request.id, frequency: frequency, priority: priority))
  }
}
