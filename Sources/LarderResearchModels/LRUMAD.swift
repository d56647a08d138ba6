import LarderEngine

extension RegisteredPolicy {
  package static let lruMAD = RegisteredPolicy(LRUMAD.self)
}

/// Evicts the object with the lowest expected total wait of its next requests, divided by the time
/// since its last request: the mean delay that a fetch at the start of a fetch-long window of its
/// requests would have caused. LRU if fetches take no time.
struct LRUMAD: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lru-mad", family: .recency,
    summary: "Estimated aggregate delay of missing an object / time since its last request; the "
      + "lowest is evicted. LRU if fetches take no time. O(log n) per request.",
    paper: "Atre, Sherry, Wang and Berger, Caching with delayed hits, SIGCOMM 2020")

  static var notices: PolicyNotices { .requests }

  struct History: BitwiseCopyable {
    var windows: UInt64
    var delays: UInt64
    var start: UInt64
    /// The last request: its time, and its number from 1.
    var last: UInt64
    var order: UInt64
  }

  private var histories: Column<History>
  private var residents: Tournament<DelayRank>
  // The residents before the first observation: all ranks are 0, so a list is enough.
  private var recency: LinkedLists
  private var requests: UInt64 = 0
  private var now: UInt64 = 0
  // False in real caches, where hits and insertions are the requests.
  private var isObserving = false

  init(_ setup: PolicySetup) {
    histories = Column(objects: setup.objects)
    residents = Tournament(objects: setup.objects, capacity: setup.expectedResidents)
    recency = LinkedLists(objects: setup.objects)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool {
    isObserving ? residents.contains(id) : recency.contains(id)
  }

  mutating func notice(_ notice: PolicyNotice) {
    if case .fetchCompleted(let end) = notice { now = max(now, end) }
    guard case .request(let id, let time, let fetchLatency) = notice else { return }
    if !isObserving { beginObserving() }
    now = max(now, time)
    let history = histories[id]
    requests += 1
    let elapsed = now - history.start
    if history.windows == 0 || elapsed >= fetchLatency {
      histories[id].windows += 1
      histories[id].start = now
      histories[id].delays &+= fetchLatency
    } else {
      histories[id].delays &+= fetchLatency - elapsed
    }
    histories[id].last = now
    histories[id].order = requests
    // Some requests for a resident object are not hits: they wait while a disk reads it.
    if contains(id) { residents.update(player(id), now: now) }
  }

  @inline(never) private mutating func beginObserving() {
    isObserving = true
    while recency.back() != .none {
      let id = recency.back()
      recency.remove(id)
      residents.insert(player(id), now: now)
    }
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    guard note(request.id) else { return }
    if isObserving {
      residents.update(player(request.id), now: now)
    } else {
      recency.moveToFront(request.id)
    }
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    if !isObserving {
      let victim = recency.back()
      recency.remove(victim)
      return victim
    }
    let victim = residents.winner(now: now)
    residents.remove(victim, now: now)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    _ = note(request.id)
    if isObserving {
      residents.insert(player(request.id), now: now)
    } else {
      recency.pushFront(request.id)
    }
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) {
      if isObserving { residents.remove(id, now: now) } else { recency.remove(id) }
    }
    histories[id] = History(windows: 0, delays: 0, start: 0, last: 0, order: 0)
  }

  @inline(__always) private mutating func note(_ id: ObjectID) -> Bool {
    if isObserving, histories[id].order != 0 { return false }
    requests += 1
    histories[id] = History(windows: 0, delays: 0, start: 0, last: now, order: requests)
    return true
  }

  private func player(_ id: ObjectID) -> DelayRank {
    let history = histories[id]
    let rate = history.windows == 0 ? 0 : Double(history.delays) / Double(history.windows)
    return DelayRank(id: id, rate: rate, last: history.last, order: history.order)
  }

  mutating func reserve(objects: Int) {
    histories.reserve(objects: objects)
    residents.reserve(objects: objects)
    recency.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    histories.prefetch(id)
    if isObserving { residents.prefetch(id) } else { recency.prefetch(id) }
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) {
    if !isObserving { recency.prefetchNeighbours(id) }
  }

  var stateBytes: Int { histories.bytes + residents.bytes + recency.bytes }
}

/// The rank of LRU-MAD: a rate divided by the time since the object's last request, plus 1. Equal
/// ranks go to the least recently requested object.
struct DelayRank: TournamentPlayer {
  var id: ObjectID
  var rate: Double
  var last: UInt64
  var order: UInt64

  func beats(_ other: DelayRank, at now: UInt64) -> Bool {
    let (first, second) = (value(at: now), other.value(at: now))
    return first == second ? order < other.order : first < second
  }

  func overtaking(_ winner: DelayRank, at now: UInt64) -> UInt64 {
    guard rate < winner.rate else { return .max }
    let (own, other) = (Double(winner.age(at: now)), Double(age(at: now)))
    return time((rate * own - winner.rate * other) / (winner.rate - rate), after: now)
  }

  private func value(at now: UInt64) -> Double { rate / Double(age(at: now)) }

  private func age(at now: UInt64) -> UInt64 { max(now, last) - last + 1 }
}
