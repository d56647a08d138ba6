/// A small LRU window in front of a segmented LRU that lets in only what is requested more often
/// than what it would have to give up.
///
/// Requests stay counted after an object is removed: a sketch cannot forget one key.
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
      SketchedCounts.doorkeeperParameter,
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
  // The object being stored is larger than the window and goes to main at once.
  private var skipsWindow = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    let isAdaptive = setup.spec.values["window"] == "adaptive"
    let share = isAdaptive ? 0.01 : try setup.spec.number("window", default: 0.01, in: 0...1)
    let protectedShare = try setup.spec.number("protected", default: 0.8, in: 0...1)
    let counts = try SketchedCounts(setup)
    // Rounded as Caffeine does: main down, the window takes the rest.
    let main = min(UInt64(Double(setup.capacity) * (1 - share)), setup.capacity - 1)
    windowCapacity = setup.capacity - main
    protectedCapacity = UInt64(Double(main) * protectedShare)
    self.counts = counts
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

  /// Counts the request. What is larger than the window is its own candidate: when main would have
  /// to give something up for it, it is compared here, since afterwards it cannot be refused.
  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    counts.countMiss(request)
    if climber.isUsed { climb(isHit: false) }
    skipsWindow = UInt64(request.size) > windowCapacity
    guard skipsWindow, used + UInt64(request.size) > climber.capacity else { return true }
    let victim = mainVictim()
    return victim == .none || counts.estimate(request) > counts.estimate(victim)
  }

  /// Gives up the less requested of two: the oldest in the window, if the window must shrink for
  /// the new object, and main's victim. When the first wins it goes over to main.
  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    climber.isFull = true
    // An object whose value is replaced is counted already.
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
    // The two that are compared at the next miss.
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

  /// What main gives up first.
  @inline(__always) private func mainVictim() -> ObjectID {
    let oldest = lists.back(of: WTinyLFU.probation)
    return oldest != .none ? oldest : lists.back(of: WTinyLFU.protected)
  }

  @inline(__always) private mutating func coolProtected() {
    while lists.weight(of: WTinyLFU.protected) > protectedCapacity {
      lists.moveToFront(lists.back(of: WTinyLFU.protected), of: WTinyLFU.probation)
    }
  }

  /// What the window gives up while the cache has room needs no comparison.
  @inline(__always) private mutating func drainWindow() {
    while lists.weight(of: WTinyLFU.window) > windowCapacity {
      lists.moveToFront(lists.back(of: WTinyLFU.window), of: WTinyLFU.probation)
    }
  }

  /// Lets the climber see the request, and moves the border a little where it wants it elsewhere.
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

  /// Moves main's oldest to the window, up to a weight of `limit`. Says what they weigh, and
  /// whether nothing is left to move.
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

/// Hill climbing on the hit ratio: moves a border one way as long as a period of requests hits more
/// often than the one before, and turns round when it hits less.
///
/// Caffeine's constants: steps begin with 1/16 of the capacity and shrink by 2 % each; a change of
/// the hit ratio of 5 points or more starts over (Einziger, Eytan, Friedman and Manes, Adaptive
/// software cache management, Middleware 2018).
struct WindowClimber {
  /// How many objects change sides in one call, so that no request waits for a whole step.
  static var movesAtOnce: Int { 1000 }

  private static var stepShare: Double { 0.0625 }
  private static var stepDecay: Double { 0.98 }
  private static var restartChange: Double { 0.05 }

  /// Whether the border moves at all.
  let isUsed: Bool
  /// The capacity of the cache.
  let capacity: UInt64
  /// Whether the cache was ever full: before, hits say nothing.
  var isFull = false
  /// How far the border is still to move: positive to a larger window.
  var pending: Int64 = 0

  private var hits: UInt64 = 0
  private var requests: UInt64 = 0
  private var previousRatio = 0.0
  private var step: Double

  /// A climber for a cache of `capacity`.
  init(isUsed: Bool, capacity: UInt64) {
    self.isUsed = isUsed
    self.capacity = capacity
    step = -WindowClimber.stepShare * Double(capacity)
  }

  /// Takes note of a request, and after `period` of them sets the next step.
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
