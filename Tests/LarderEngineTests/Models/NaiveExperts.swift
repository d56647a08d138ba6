import LarderEngine

/// State shared by LeCaR and Cacheus: residents with their counts, two histories of victims, and
/// the weights of the two experts, LRU first.
struct NaiveExperts {
  struct Victim {
    var id: ObjectID
    var requests: Int
    var time: Int
    /// Cacheus: it entered a full cache without a history.
    var isNew = false
  }
  var histories: [[Victim]] = [[], []]
  var weights = [0.5, 0.5]

  func isGhost(_ id: ObjectID) -> Bool { histories.joined().contains { $0.id == id } }

  mutating func remember(_ victim: Victim, of expert: Int, atMost limit: Int) {
    histories[expert].append(victim)
    while histories[expert].count > limit { histories[expert].removeFirst() }
  }

  mutating func take(_ id: ObjectID) -> (victim: Victim, expert: Int)? {
    for expert in histories.indices {
      if let victim = histories[expert].take(where: { $0.id == id }) { return (victim, expert) }
    }
    return nil
  }

  mutating func penalise(_ expert: Int, loss: Double) {
    weights[expert] *= DeterministicMath.exp(-loss)
    let share = min(max(weights[0] / (weights[0] + weights[1]), 0.01), 0.99)
    weights = [share, 1 - share]
  }
}

/// The number of objects in a full cache: its capacity, or its maximum so far.
struct NaiveCacheSize {
  let capacity: Int?
  var most = 1

  init(_ capacity: UInt64, _ unit: CapacityUnit) {
    self.capacity = unit == .objects ? Int(capacity) : nil
  }

  var objects: Int { capacity ?? most }
  mutating func note(_ residents: Int) { most = max(most, residents) }
}
