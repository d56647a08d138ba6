import LarderEngine

extension RegisteredPolicy {
  package static let laCache = RegisteredPolicy(LACache.self)
}

/// Evicts the object with the lowest expected total wait of its requests during a fetch, per byte
/// (`ArrivalRank`), and stores only objects that were requested before. A rate is that of the last
/// 3 to 20 intervals. Without fetch times it is LRU over objects with a second request. Remembers
/// every object unless `history` sets a limit.
struct LACache: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "la-cache", family: .recency,
    summary: "Delay expected from the requests during a fetch per byte; the lowest is evicted. "
      + "Stores what is requested a second time; LRU if fetches take no time. O(log n) per "
      + "request.",
    parameters: [
      PolicyParameter(
        "admission", default: "second", inRealCaches: "all", searched: ["second", "all"],
        "admission: objects that were requested before (second), as in the authors' program, or "
          + "all"),
      PolicyParameter(
        "history", default: "0", inRealCaches: "2",
        "remembered objects that are not stored, share of the capacity; 0 for "
          + "all"),
    ],
    learns: true,
    paper: "Yan and Li, Towards latency awareness for content delivery network caching, USENIX ATC "
      + "2022")

  static var notices: PolicyNotices { .requests }

  struct History: BitwiseCopyable {
    var requests: UInt64
    var last: UInt64
    var latency: UInt64
    var order: UInt64
    var size: UInt32
  }

  private var histories: Column<History>
  private var arrivals: ArrivalTimes
  private var residents: Tournament<ArrivalRank>
  private var ghosts: GhostQueue
  let ghostsMax: Int
  private let forgets: Bool
  private let admitsAll: Bool
  private var count = 0
  private var orders: UInt64 = 0
  private var now: UInt64 = 0
  // False in real caches, where hits and misses are the requests.
  private var isObserving = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    let history = try setup.spec.number("history", default: 0, in: 0...1000)
    guard setup.objects <= ArrivalTimes.objectsMax else {
      throw .capacity(
        policy: setup.spec.name, capacity: setup.capacity,
        expected: "at most \(ArrivalTimes.objectsMax) distinct objects")
    }
    admitsAll = try setup.spec.choice("admission", "second", "all") == "all"
    let isLimited = history > 0
    forgets = isLimited
    ghostsMax = isLimited ? setup.ghostsMax(share: history) : .max
    histories = Column(objects: setup.objects)
    arrivals = ArrivalTimes(objects: setup.objects)
    residents = Tournament(objects: setup.objects, capacity: setup.expectedResidents)
    ghosts = GhostQueue(
      objects: isLimited ? setup.objects : 0,
      capacity: UInt64(min(Double(setup.capacity) * history, 0x1p62)),
      weighs: isLimited && setup.unit == .bytes)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { residents.contains(id) }
  @inline(__always) func remembers(_ id: ObjectID) -> Bool { histories[id].requests > 0 }

  mutating func notice(_ notice: PolicyNotice) {
    if case .fetchCompleted(let end) = notice { now = max(now, end) }
    guard case .request(let id, let time, let fetchLatency) = notice else { return }
    isObserving = true
    now = max(now, time)
    request(id, latency: fetchLatency)
    // Some requests for a resident object are not hits: they wait while a disk reads it.
    if contains(id) { residents.update(rank(of: id), now: now) }
  }

  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) { place(request, isNew: false) }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    place(request, isNew: false)
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    let id = request.id
    note(id)
    if admitsAll || histories[id].requests > 1 {
      // Before evictions, whose ghosts could displace it.
      if forgets, ghosts.contains(id) { ghosts.remove(id) }
      return true
    }
    remember(id, request.size)
    return false
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let victim = residents.winner(now: now)
    residents.remove(victim, now: now)
    remember(victim, sizes[victim])
    count -= 1
    return victim
  }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    count += 1
    place(request, isNew: true)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) {
      residents.remove(id, now: now)
      count -= 1
    } else if forgets, ghosts.contains(id) {
      ghosts.remove(id)
    }
    histories[id] = LACache.unknown
  }

  mutating func reserve(objects: Int) {
    precondition(objects <= ArrivalTimes.objectsMax, "too many objects for la-cache")
    histories.reserve(objects: objects)
    arrivals.reserve(objects: objects)
    residents.reserve(objects: objects)
    if forgets { ghosts.reserve(objects: objects) }
  }

  func prefetch(_ id: ObjectID) {
    histories.prefetch(id)
    residents.prefetch(id)
  }

  var stateBytes: Int {
    histories.bytes + arrivals.bytes + residents.bytes + (forgets ? ghosts.bytes : 0)
  }

  private static var unknown: History {
    History(requests: 0, last: 0, latency: 0, order: 0, size: 0)
  }

  private mutating func request(_ id: ObjectID, latency: UInt64) {
    let number = histories[id].requests
    histories[id].requests = number + 1
    histories[id].last = now
    histories[id].latency = latency
    if isObserving { arrivals.note(id, number: number, now: now) }
  }

  private mutating func note(_ id: ObjectID) {
    if !isObserving || histories[id].requests == 0 { request(id, latency: 0) }
  }

  private mutating func place(_ request: Request, isNew: Bool) {
    let id = request.id
    // A miss was counted at its admission.
    if !isNew { note(id) }
    orders += 1
    histories[id].order = orders
    histories[id].size = request.size
    if isNew {
      residents.insert(rank(of: id), now: now)
    } else {
      residents.update(rank(of: id), now: now)
    }
  }

  private func rank(of id: ObjectID) -> ArrivalRank {
    let history = histories[id]
    let number = max(history.requests, 1) - 1
    return ArrivalRank(
      id: id,
      rate: isObserving ? arrivals.rate(of: id, number: number, last: history.last) : 0,
      latency: Double(history.latency), size: Double(history.size) + 1, last: history.last,
      order: history.order)
  }

  private mutating func remember(_ id: ObjectID, _ size: UInt32) {
    guard forgets, !ghosts.contains(id) else { return }
    while true {
      let oldest = ghosts.makeRoom(for: size, residents: count)
      if oldest == .none { break }
      histories[oldest] = LACache.unknown
    }
    ghosts.push(id, size, residents: count)
    if !ghosts.contains(id) { histories[id] = LACache.unknown }
  }
}

/// The rank of LA-Cache: x (x + 1) / (x + 2) / (size + 1), where x = rate * latency. An object
/// without a request for 12 times its mean interval has a rate of one request in the time since its
/// last. Ties go to the object that was inserted or hit least recently.
struct ArrivalRank: TournamentPlayer {
  var id: ObjectID
  var rate: Double
  var latency: Double
  var size: Double
  var last: UInt64
  var order: UInt64

  private static var patience: Double { 12 }

  func beats(_ other: ArrivalRank, at now: UInt64) -> Bool {
    let (first, second) = (value(at: now), other.value(at: now))
    return first == second ? order < other.order : first < second
  }

  func overtaking(_ winner: ArrivalRank, at now: UInt64) -> UInt64 {
    let aim = winner.value(at: now) * size
    guard aim > 0, rate > 0 else { return .max }
    let own = age(at: now)
    let isAged = hasAged(own)
    if isAged, winner.hasAged(winner.age(at: now)), latency == winner.latency, size == winner.size,
      last >= winner.last
    {
      return .max
    }
    let needed = latency / ArrivalRank.arrivals(ofDelay: aim)
    return time(max(needed, isAged ? 0 : ArrivalRank.patience / rate) - own, after: now)
  }

  private func value(at now: UInt64) -> Double {
    let age = age(at: now)
    let arrivals = (hasAged(age) ? 1 / age : rate) * latency
    return arrivals * (arrivals + 1) / (arrivals + 2) / size
  }

  private func hasAged(_ age: Double) -> Bool { rate > 0 && age >= ArrivalRank.patience / rate }
  private func age(at now: UInt64) -> Double { Double(max(now, last) - last + 1) }

  private static func arrivals(ofDelay delay: Double) -> Double {
    let root = ((1 - delay) * (1 - delay) + 8 * delay).squareRoot()
    // Two forms of the same root: each is exact where the other suffers from cancellation.
    return delay < 1 ? 4 * delay / (root + 1 - delay) : (root + delay - 1) / 2
  }
}

/// The times of the last requests of each object, and the rates that follow from them.
struct ArrivalTimes: ~Copyable {
  private static var intervalsMax: UInt64 { 20 }
  private static var intervalsMin: UInt64 { 3 }
  private static var places: UInt64 { intervalsMax + 1 }
  static var objectsMax: Int { Int(UInt32.max / UInt32(places)) - 1 }

  private var times = Column<UInt64>(objects: 0)
  private var objects: Int

  init(objects: Int) { self.objects = objects }

  mutating func note(_ id: ObjectID, number: UInt64, now: UInt64) {
    if times.objects == 0 { times.reserve(objects: ArrivalTimes.slots(objects)) }
    times[ArrivalTimes.slot(id, number)] = now
  }

  func rate(of id: ObjectID, number: UInt64, last: UInt64) -> Double {
    let intervals = min(number, ArrivalTimes.intervalsMax)
    guard intervals >= ArrivalTimes.intervalsMin else { return 0 }
    let first = times[ArrivalTimes.slot(id, number - intervals)]
    // Requests at the same time count as if they were a microsecond apart.
    return 1 / (Double(max(last - first, 1)) / Double(intervals))
  }

  mutating func reserve(objects: Int) {
    self.objects = objects
    if times.objects > 0 { times.reserve(objects: ArrivalTimes.slots(objects)) }
  }

  var bytes: Int { times.objects > 0 ? times.bytes : 0 }
  private static func slots(_ objects: Int) -> Int { (objects + 1) * Int(places) - 1 }

  private static func slot(_ id: ObjectID, _ number: UInt64) -> UInt32 {
    id * UInt32(places) + UInt32(number % places)
  }
}
