import LarderEngine

/// GreedyDual-Size-Frequency (Cherkasova, HPL-98-69, 1998); without the frequency it is
/// GreedyDual-Size (Cao and Irani, USITS 1997).
struct NaiveGDSF: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var frequency: Double
    var priority: Double
  }
  var entries: [Entry] = []
  /// L in the papers: the priority of the last victim.
  var inflation = 0.0
  /// True if requests are counted (GDSF), false for GreedyDual-Size.
  let countsRequests: Bool

  init(countsRequests: Bool) { self.countsRequests = countsRequests }

  func contains(_ id: ObjectID) -> Bool { entries.contains { $0.id == id } }

  func priority(_ request: Request, frequency: Double) -> Double {
    let cost = Double(request.cost)
    let size = Double(max(request.size, 1))
    let value = countsRequests ? (frequency * cost * 1e6) / size : (cost * 1e6) / size
    return inflation + value
  }

  mutating func hit(_ request: Request) {
    guard var entry = entries.take(where: { $0.id == request.id }) else { return }
    entry.frequency += 1
    entry.priority = priority(request, frequency: entry.frequency)
    entries.append(entry)
  }
  mutating func evict() -> ObjectID {
    guard let victim = entries.firstMinimum(by: { $0.priority < $1.priority }) else { return .none }
    inflation = victim.priority
    remove(victim.id)
    return victim.id
  }
  mutating func insert(_ request: Request) {
    entries.append(
      Entry(id: request.id, frequency: 1, priority: priority(request, frequency: 1)))
  }
  mutating func remove(_ id: ObjectID) { entries.removeAll { $0.id == id } }
}
