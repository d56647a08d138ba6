/// Evicts the object whose requests in the time of a fetch are expected to wait least in all, per
/// byte, and stores only what was requested before.
///
/// The rate at which an object is requested is that of its last 20 intervals at most, and unknown
/// with fewer than 3; `ArrivalRank` has the formula. Where fetches take no time all ranks are 0: it
/// is LRU over what is requested a second time. The authors' program remembers the requests of
/// every object for ever, as the simulation does unless `history` says otherwise.
struct LACache: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "la-cache", family: .recency,
    summary: "Delay expected from the requests during a fetch per byte; the lowest is evicted. "
      + "Stores what is requested a second time; LRU where fetches take no time. O(log n) per "
      + "request.",
    parameters: [
      PolicyParameter(
        "admission", default: "second", inRealCaches: "all", searched: ["second", "all"],
        "what is stored: objects that were requested before (second), as in the authors' program, "
          + "or all"),
      PolicyParameter(
        "history", default: "0", inRealCaches: "2",
        "objects that are not stored whose requests are remembered, share of the capacity; 0 for "
          + "all"),
    ],
    learns: true,
    paper: "Yan and Li, Towards latency awareness for content delivery network caching, USENIX ATC "
      + "2022")

  static var observesRequests: Bool { true }

  /// What is known of an object, resident or not.
  struct History: BitwiseCopyable {
    var requests: UInt64
    /// The time of the last request, and what a fetch took then.
    var last: UInt64
    var latency: UInt64
    /// The number of the last hit or of the insertion, and what is stored, in the capacity's unit.
    var order: UInt64
    var size: UInt32
  }

  private var histories: Column<History>
  private var arrivals: ArrivalTimes
  private var residents: RankTournament<ArrivalRank>
  private var ghosts: GhostQueue
  private let forgets: Bool
  private let admitsAll: Bool
  private var count = 0
  private var orders: UInt64 = 0
  private var now: UInt64 = 0
  // Without it, as in a real cache, hits and misses are the requests.
  private var isObserving = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    let history = try setup.spec.number("history", default: 0, in: 0...1000)
    guard setup.objects <= ArrivalTimes.objectsMax else {
      throw .capacity(
        policy: setup.spec.name, capacity: setup.capacity,
        expected: "at most \(ArrivalTimes.objectsMax) distinct objects")
    }
    switch setup.spec.values["admission"] {
    case nil, "second": admitsAll = false
    case "all": admitsAll = true
    case .some(let text):
      throw .badValue(
        policy: setup.spec.name, parameter: "admission", value: text, expected: "second or all")
    }
    let isLimited = history > 0
    forgets = isLimited
    histories = Column(objects: setup.objects)
    arrivals = ArrivalTimes(objects: setup.objects)
    residents = RankTournament(objects: setup.objects, capacity: setup.expectedResidents)
    ghosts = GhostQueue(
      objects: isLimited ? setup.objects : 0,
      capacity: UInt64(min(Double(setup.capacity) * history, 0x1p62)),
      weighs: isLimited && setup.unit == .bytes)
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool { histories[id].requests > 0 }

  mutating func observe(_ id: ObjectID, now: UInt64, fetchLatency: UInt64) {
    isObserving = true
    self.now = max(self.now, now)
    request(id, latency: fetchLatency)
    // Not every request of a resident object is a hit: some wait while a disk reads it.
    if contains(id) { residents.update(rank(of: id), now: self.now) }
  }

  mutating func advance(to now: UInt64) { self.now = max(self.now, now) }

  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    place(request, isNew: false)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    place(request, isNew: false)
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    let id = request.id
    note(id)
    if admitsAll || histories[id].requests > 1 {
      // Before others leave, who might push it out.
      if forgets, ghosts.contains(id) { ghosts.remove(id) }
      return true
    }
    remember(id, request.size)
    return false
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let victim = residents.lowest(now: now)
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

  /// Counts a request at this moment.
  private mutating func request(_ id: ObjectID, latency: UInt64) {
    let number = histories[id].requests
    histories[id].requests = number + 1
    histories[id].last = now
    histories[id].latency = latency
    if isObserving { arrivals.note(id, number: number, now: now) }
  }

  /// Counts a request that was not observed: any in a real cache, otherwise the first after the
  /// object was removed, or a set of one that nobody requested.
  private mutating func note(_ id: ObjectID) {
    if !isObserving || histories[id].requests == 0 { request(id, latency: 0) }
  }

  /// Ranks what is or becomes resident anew.
  private mutating func place(_ request: Request, isNew: Bool) {
    let id = request.id
    // A miss was noted when it was admitted.
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

  /// Keeps the history of an object that is not resident, as long as there is room.
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
