import LarderEngine

extension RegisteredPolicy {
  package static let wTinyLFU = RegisteredPolicy(WTinyLFU.self)
}

/// A small LRU window in front of a segmented LRU that admits an object only if it is requested
/// more often than its victim. Requests stay counted after an object is removed, because a sketch
/// cannot forget one key.
struct WTinyLFU: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "w-tinylfu", family: .frequency,
    summary: "New objects enter an LRU window; its victims enter a segmented LRU only if a sketch "
      + "of recent requests counts more for them than for the victim there.",
    parameters: [
      PolicyParameter(
        "window", default: "0.01", searched: ["0.01", "0.05", "0.2", "0.5", "adaptive"],
        "share of the window, from 0 to 1 and at least 1 object or byte; or adaptive: starts at "
          + "0.01 and adapts by hill climbing"),
      PolicyParameter("protected", default: "0.8", "share of main for objects requested again"),
    ],
    learns: true,
    paper: "Einziger, Friedman and Manes, TinyLFU: a highly efficient cache admission policy, ACM "
      + "Transactions on Storage 2017; adaptive: Einziger, Eytan, Friedman and Manes, Adaptive "
      + "software cache management, Middleware 2018, with Caffeine's constants")

  private static var window: UInt32 { 0 }
  private static var probation: UInt32 { 1 }
  private static var protected: UInt32 { 2 }

  private var lists: WeightedLists
  private var counts: SketchedCounts
  private var climber: WindowClimber
  private var windowCapacity: UInt64
  private var protectedCapacity: UInt64
  // The object being stored is larger than the window and enters main directly.
  private var skipsWindow = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    let isAdaptive = setup.spec.values["window"] == "adaptive"
    let share = isAdaptive ? 0.01 : try setup.spec.number("window", default: 0.01, in: 0...1)
    let protectedShare = try setup.spec.number("protected", default: 0.8, in: 0...1)
    // Rounded like Caffeine: main down, the window has the rest.
    let main = min(UInt64(Double(setup.capacity) * (1 - share)), setup.capacity - 1)
    windowCapacity = setup.capacity - main
    protectedCapacity = UInt64(Double(main) * protectedShare)
    counts = SketchedCounts(setup)
    climber = WindowClimber(isUsed: isAdaptive, capacity: setup.capacity)
    lists = WeightedLists(lists: 3, objects: setup.objects, weighs: setup.unit == .bytes)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { lists.place(id) != 0 }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    counts.countHit(request.id)
    if lists.contains(request.id, in: WTinyLFU.window) {
      lists.moveToFront(request.id, of: WTinyLFU.window)
    } else {
      lists.moveToFront(request.id, of: WTinyLFU.protected)
      coolProtected()
    }
    if climber.isUsed { climb(isHit: true) }
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    lists.reweigh(request.id, request.size)
    hit(request, sizes)
  }

  /// Counts the request. An object larger than the window is its own candidate: if main would have
  /// to evict for it, it is compared here, because it cannot be rejected later.
  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    counts.countMiss(request)
    if climber.isUsed { climb(isHit: false) }
    skipsWindow = UInt64(request.size) > windowCapacity
    guard skipsWindow, used + UInt64(request.size) > climber.capacity else { return true }
    let victim = mainVictim()
    return victim == .none || counts.estimate(request) > counts.estimate(victim)
  }

  /// Evicts the less frequent of two objects: the oldest of the window, if the window must shrink
  /// for the new object, and main's victim. If the oldest of the window wins, it moves to main.
  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    climber.isFull = true
    // The weight of an object whose value is replaced is counted already.
    let isNew = request.id != .none && !contains(request.id)
    let needed = isNew && !skipsWindow ? UInt64(request.size) : 0
    let isOver = lists.weight(of: WTinyLFU.window) + needed > windowCapacity
    let candidate = isOver ? lists.back(of: WTinyLFU.window) : .none
    var victim = candidate == .none ? mainVictim() : lists.back(of: WTinyLFU.probation)
    if victim == .none {
      victim = lists.back(of: WTinyLFU.window)
    } else if candidate != .none {
      if counts.estimate(candidate) > counts.estimate(victim) {
        lists.moveToFront(candidate, of: WTinyLFU.probation)
      } else {
        victim = candidate
      }
    }
    lists.remove(victim)
    counts.leave()
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    counts.enter(request)
    let list = skipsWindow ? WTinyLFU.probation : WTinyLFU.window
    lists.pushFront(request.id, to: list, weight: request.size)
    skipsWindow = false
    drainWindow()
    // The two objects that the next miss compares.
    prefetchNext(of: WTinyLFU.window)
    prefetchNext(of: WTinyLFU.probation)
  }

  @inline(__always) private func prefetchNext(of list: UInt32) {
    counts.prefetchCounters(lists.back(of: list))
    counts.prefetch(lists.ahead(of: lists.back(of: list)))
    lists.prefetchBack(of: list)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard contains(id) else { return }
    lists.remove(id)
    counts.leave()
  }

  mutating func takeOver(_ object: KnownObject) -> Bool {
    counts.raise(object)
    guard object.isResident else { return true }
    var request = Request(id: object.id, size: object.size)
    request.fingerprint = object.fingerprint
    counts.enter(request)
    lists.pushFront(object.id, to: WTinyLFU.probation, weight: object.size)
    return true
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    counts.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    counts.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) {
    lists.prefetchNeighbours(id)
    counts.prefetchCounters(fingerprint: Request.fingerprint(of: id))
  }

  var stateBytes: Int { lists.bytes + counts.bytes }

  private var used: UInt64 {
    lists.weight(of: WTinyLFU.window) + lists.weight(of: WTinyLFU.probation)
      + lists.weight(of: WTinyLFU.protected)
  }

  @inline(__always) private func mainVictim() -> ObjectID {
    let oldest = lists.back(of: WTinyLFU.probation)
    return oldest != .none ? oldest : lists.back(of: WTinyLFU.protected)
  }

  @inline(__always) private mutating func coolProtected() {
    while lists.weight(of: WTinyLFU.protected) > protectedCapacity {
      lists.moveToFront(lists.back(of: WTinyLFU.protected), of: WTinyLFU.probation)
    }
  }

  @inline(__always) private mutating func drainWindow() {
    while lists.weight(of: WTinyLFU.window) > windowCapacity {
      lists.moveToFront(lists.back(of: WTinyLFU.window), of: WTinyLFU.probation)
    }
  }

  @inline(__always) private mutating func climb(isHit: Bool) {
    climber.count(isHit: isHit, period: counts.period)
    if climber.pending != 0 { moveBorder() }
  }

  @inline(never) private mutating func moveBorder() {
    if climber.pending > 0 {
      let (moved, isDone) = fillWindow(min(UInt64(climber.pending), protectedCapacity))
      protectedCapacity -= moved
      windowCapacity += moved
      coolProtected()
      climber.pending = isDone ? 0 : climber.pending - Int64(moved)
    } else {
      let lost = min(climber.pending.magnitude, windowCapacity - 1)
      let kept = windowCapacity - lost
      var moves = WindowClimber.movesAtOnce
      while lists.weight(of: WTinyLFU.window) > kept, moves > 0 {
        lists.moveToFront(lists.back(of: WTinyLFU.window), of: WTinyLFU.probation)
        moves -= 1
      }
      let reached = min(windowCapacity, max(kept, lists.weight(of: WTinyLFU.window)))
      let moved = windowCapacity - reached
      protectedCapacity += moved
      windowCapacity = reached
      climber.pending = reached == kept ? 0 : climber.pending + Int64(moved)
    }
  }

  private mutating func fillWindow(_ limit: UInt64) -> (moved: UInt64, isDone: Bool) {
    var moved: UInt64 = 0
    for _ in 0..<WindowClimber.movesAtOnce {
      let oldest = mainVictim()
      guard oldest != .none, moved + UInt64(lists.weight(oldest)) <= limit else {
        return (moved, true)
      }
      moved += UInt64(lists.weight(oldest))
      lists.moveToFront(oldest, of: WTinyLFU.window)
    }
    return (moved, moved == limit)
  }
}

/// Hill climbing on the hit ratio: moves the border in one direction while each period of requests
/// has a higher hit ratio than the one before, and turns round when it has a lower one, with
/// Caffeine's constants.
struct WindowClimber {
  /// Objects moved in one call, so that no request waits for a whole step.
  static var movesAtOnce: Int { 1000 }

  private static var stepShare: Double { 0.0625 }
  private static var stepDecay: Double { 0.98 }
  private static var restartChange: Double { 0.05 }

  let isUsed: Bool
  let capacity: UInt64
  var isFull = false
  var pending: Int64 = 0

  private var hits: UInt64 = 0
  private var requests: UInt64 = 0
  private var previousRatio = 0.0
  private var step: Double

  init(isUsed: Bool, capacity: UInt64) {
    self.isUsed = isUsed
    self.capacity = capacity
    step = -WindowClimber.stepShare * Double(capacity)
  }

  @inline(__always) mutating func count(isHit: Bool, period: UInt64) {
    guard isFull else { return }
    requests += 1
    if isHit { hits += 1 }
    if requests >= period { climb() }
  }

  @inline(never) private mutating func climb() {
    let ratio = Double(hits) / Double(requests)
    let change = ratio - previousRatio
    let amount = change >= 0 ? step : -step
    if abs(change) >= WindowClimber.restartChange {
      let first = WindowClimber.stepShare * Double(capacity)
      step = amount >= 0 ? first : -first
    } else {
      step = amount * WindowClimber.stepDecay
    }
    previousRatio = ratio
    pending = Int64(amount)
    hits = 0
    requests = 0
  }
}
