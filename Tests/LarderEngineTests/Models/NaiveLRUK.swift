import LarderEngine

/// LRU-K (O'Neil, O'Neil, Weikum, SIGMOD 1993), Figure 2.1, with the Retained Information Period
/// as a share of the capacity. Time counts requests.
struct NaiveLRUK: NaivePolicy {
  struct Block {
    var object: NaiveWeighted
    /// HIST: times of the last k requests, the latest first; 0 for missing ones.
    var history: [Int]
  }
  var residents: [Block] = []
  var ghosts: [Block] = []
  var returning: Block?
  var clock = NaiveRequestClock()

  let k: Int
  let ghostLimit: UInt64

  init(capacity: UInt64, k: Int, history: Double) {
    self.k = k
    ghostLimit = UInt64(history * Double(capacity))
  }

  func contains(_ id: ObjectID) -> Bool { residents.contains { $0.object.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { ghosts.contains { $0.object.id == id } }

  mutating func hit(_ request: Request) {
    clock.tick(request.id)
    guard var block = residents.take(where: { $0.object.id == request.id }) else { return }
    block.object = NaiveWeighted(request)
    block.history = [clock.now] + block.history.dropLast()
    residents.append(block)
  }

  mutating func admit(_ request: Request) -> Bool {
    clock.tick(request.id)
    returning = ghosts.take { $0.object.id == request.id }
    return true
  }

  mutating func insert(_ request: Request) {
    let history = returning?.history ?? Array(repeating: 0, count: k)
    residents.append(
      Block(object: NaiveWeighted(request), history: [clock.now] + history.dropLast()))
    returning = nil
  }

  mutating func evict() -> ObjectID {
    let few = residents.filter { $0.history[k - 1] == 0 }
    let victim =
      few.isEmpty
      ? residents.firstMinimum { $0.history[k - 1] < $1.history[k - 1] }
      : few.firstMinimum { $0.history[0] < $1.history[0] }
    guard let victim else { return .none }
    residents.removeAll { $0.object.id == victim.object.id }
    if ghostLimit > 0, victim.object.size <= ghostLimit {
      ghosts.append(victim)
      while ghosts.map(\.object).weight > ghostLimit { ghosts.removeFirst() }
    }
    return victim.object.id
  }

  mutating func remove(_ id: ObjectID) {
    clock.retract(id)
    residents.removeAll { $0.object.id == id }
    ghosts.removeAll { $0.object.id == id }
  }
}
