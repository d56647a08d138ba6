import LarderEngine

/// LeCaR (Vietri and others, HotStorage 2018), Algorithm 1, with details from the authors' program:
/// an object that returns from a history keeps its count.
struct NaiveLeCaR: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var requests: Int
  }
  var residents: [Entry] = []
  var experts = NaiveExperts()
  var size: NaiveCacheSize
  var clock = 0
  var countToRestore = 0
  var random: SeededGenerator
  let rate: Double
  let discount: Double
  let ghostShare: Double

  init(
    size: NaiveCacheSize, rate: Double, discount: Double, ghostShare: Double, seed: UInt64
  ) {
    self.size = size
    self.rate = rate
    self.discount = discount
    self.ghostShare = ghostShare
    random = SeededGenerator(seed: seed)
  }

  func contains(_ id: ObjectID) -> Bool { residents.contains { $0.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { experts.isGhost(id) }

  mutating func hit(_ request: Request) {
    clock += 1
    guard var entry = residents.take(where: { $0.id == request.id }) else { return }
    entry.requests += 1
    residents.append(entry)
  }

  mutating func admit(_ request: Request) -> Bool {
    clock += 1
    countToRestore = 0
    if let (victim, expert) = experts.take(request.id) {
      let age = Double(clock - victim.time)
      let regret = DeterministicMath.exp(
        DeterministicMath.log(discount) * age / Double(size.objects))
      experts.penalise(expert, loss: rate * regret)
      countToRestore = victim.requests
    }
    return true
  }

  mutating func insert(_ request: Request) {
    residents.append(Entry(id: request.id, requests: countToRestore + 1))
    countToRestore = 0
    size.note(residents.count)
  }

  mutating func evict() -> ObjectID {
    let rarest = residents.firstMinimum { $0.requests < $1.requests }
    let expert = random.nextUnit() < experts.weights[0] ? 0 : 1
    guard let oldest = residents.first, let rarest else { return .none }
    let victim = expert == 0 ? oldest : rarest
    residents.removeAll { $0.id == victim.id }
    if oldest.id != rarest.id {
      experts.remember(
        .init(id: victim.id, requests: victim.requests, time: clock), of: expert,
        atMost: Int(Double(size.objects) * ghostShare))
    }
    return victim.id
  }

  mutating func remove(_ id: ObjectID) {
    _ = experts.take(id)
    residents.removeAll { $0.id == id }
  }
}
