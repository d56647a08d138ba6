import LarderEngine

/// Evicts the object whose requests during a fetch are expected to wait least, per byte.
struct NaiveLACache: NaivePolicy {
  private struct Known {
    var times: [UInt64] = []
    var latency = 0.0
  }

  let capacity: UInt64
  /// Share of the capacity for objects that are not resident, or 0 for no limit.
  let history: Double
  let unit: CapacityUnit
  let admitsAll: Bool

  // Least recently hit or inserted first.
  private var residents: [(id: ObjectID, size: Double)] = []
  private var known: [ObjectID: Known] = [:]
  private var ghosts: [(id: ObjectID, size: Double)] = []
  private var observed = false
  private var now: UInt64 = 0

  init(capacity: UInt64, history: Double, unit: CapacityUnit, admitsAll: Bool) {
    self.capacity = capacity
    self.history = history
    self.unit = unit
    self.admitsAll = admitsAll
  }

  func contains(_ id: ObjectID) -> Bool { residents.contains { $0.id == id } }

  func isGhost(_ id: ObjectID) -> Bool { !contains(id) && known[id] != nil }

  mutating func observe(_ id: ObjectID, now time: UInt64, fetchLatency: UInt64) {
    observed = true
    now = max(now, time)
    known[id, default: Known()].times.append(now)
    known[id]?.latency = Double(fetchLatency)
  }

  mutating func advance(to time: UInt64) { now = max(now, time) }

  private mutating func note(_ id: ObjectID) {
    if observed, known[id] != nil { return }
    known[id, default: Known()].times.append(now)
    known[id]?.latency = 0
  }

  mutating func hit(_ request: Request) {
    note(request.id)
    residents.removeAll { $0.id == request.id }
    residents.append((request.id, Double(request.size)))
  }

  mutating func admit(_ request: Request) -> Bool {
    note(request.id)
    if admitsAll || known[request.id, default: Known()].times.count > 1 {
      ghosts.removeAll { $0.id == request.id }
      return true
    }
    remember(request.id, Double(request.size))
    return false
  }

  mutating func insert(_ request: Request) { residents.append((request.id, Double(request.size))) }

  mutating func evict() -> ObjectID {
    guard let victim = residents.firstMinimum(by: { rank($0) < rank($1) }) else { return .none }
    residents.removeAll { $0.id == victim.id }
    remember(victim.id, victim.size)
    return victim.id
  }

  private mutating func remember(_ id: ObjectID, _ size: Double) {
    guard history > 0, !ghosts.contains(where: { $0.id == id }) else { return }
    let limit = (Double(capacity) * history).rounded(.down)
    ghosts.append((id, unit == .objects ? 1 : size))
    guard ghosts[ghosts.count - 1].size <= limit else {
      ghosts.removeLast()
      known[id] = nil
      return
    }
    while ghosts.reduce(0, { $0 + $1.size }) > limit { known[ghosts.removeFirst().id] = nil }
  }

  private func rank(_ resident: (id: ObjectID, size: Double)) -> Double {
    guard let object = known[resident.id], object.times.count > 3 else { return 0 }
    let last = object.times[object.times.count - 1]
    let intervals = min(object.times.count - 1, 20)
    let time = max(last - object.times[object.times.count - 1 - intervals], 1)
    var rate = 1 / (Double(time) / Double(intervals))
    let age = Double(now - last + 1)
    if age >= 12 / rate { rate = 1 / age }
    let arrivals = rate * object.latency
    return arrivals * (arrivals + 1) / (arrivals + 2) / (resident.size + 1)
  }

  mutating func remove(_ id: ObjectID) {
    residents.removeAll { $0.id == id }
    ghosts.removeAll { $0.id == id }
    known[id] = nil
  }
}
