import LarderEngine

/// Evicts the object whose misses are expected to cause the least delay, for the time since its
/// last request.
struct NaiveLRUMAD: NaivePolicy {
  private struct Known {
    var windows = 0.0
    var delays = 0.0
    var start: UInt64 = 0
    var last: UInt64 = 0
    var order = 0
  }

  private var residents: [ObjectID] = []
  private var known: [ObjectID: Known] = [:]
  private var observed = false
  private var now: UInt64 = 0
  private var requests = 0

  func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  mutating func observe(_ id: ObjectID, now time: UInt64, fetchLatency: UInt64) {
    observed = true
    now = max(now, time)
    requests += 1
    var object = known[id] ?? Known()
    if object.windows == 0 || now - object.start >= fetchLatency {
      object.windows += 1
      object.start = now
      object.delays += Double(fetchLatency)
    } else {
      object.delays += Double(fetchLatency - (now - object.start))
    }
    object.last = now
    object.order = requests
    known[id] = object
  }

  mutating func advance(to time: UInt64) { now = max(now, time) }

  mutating func hit(_ request: Request) { note(request.id) }

  mutating func insert(_ request: Request) {
    note(request.id)
    residents.append(request.id)
  }

  private mutating func note(_ id: ObjectID) {
    if observed, known[id] != nil { return }
    requests += 1
    known[id] = Known(last: now, order: requests)
  }

  mutating func evict() -> ObjectID {
    let victim = residents.firstMinimum { left, right in
      let (a, b) = (rank(left), rank(right))
      return a == b ? (known[left]?.order ?? 0) < (known[right]?.order ?? 0) : a < b
    }
    residents.removeAll { $0 == victim }
    return victim ?? .none
  }

  private func rank(_ id: ObjectID) -> Double {
    guard let object = known[id], object.windows > 0 else { return 0 }
    return (object.delays / object.windows) / Double(now - object.last + 1)
  }

  mutating func remove(_ id: ObjectID) {
    residents.removeAll { $0 == id }
    known[id] = nil
  }
}
