import LarderEngine

extension RegisteredPolicy {
  package static let clockPro = RegisteredPolicy(ClockPro.self)
}

/// CLOCK-Pro: LIRS with reference bits in place of lists that every hit would reorder. The clock is
/// a list from the newest page, at the front; the hands move to the front. As in the authors'
/// program, an empty cache fills with hot pages first, cold and hot pages keep at least 1 % of the
/// capacity, and a cold page becomes hot only if the hot hand finds an unreferenced hot page before
/// it.
struct ClockPro: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "clock-pro", family: .adaptive,
    summary:
      "A clock of hot and cold objects with three hands: a new object is cold, and becomes hot "
      + "if requested in its test period, which may outlast its residency. The cold share adapts.",
    paper: "Jiang, Chen and Zhang, CLOCK-Pro: an effective improvement of the CLOCK replacement, "
      + "USENIX ATC 2005")

  private enum State {
    static var hot: UInt8 { 1 }
    static var cold: UInt8 { 2 }
    static var coldInTest: UInt8 { 3 }
    static var ghost: UInt8 { 4 }
    static var kindMask: UInt8 { 7 }
    static var mark: UInt8 { 8 }
  }

  /// The objects of one kind: their number, their weight, and the hand, which points to the last of
  /// them or to an object behind it.
  struct Kind {
    var count = 0
    var used: UInt64 = 0
    var hand = ObjectID.none

    @inline(__always) mutating func add(_ id: ObjectID, _ weight: UInt64) {
      if count == 0 { hand = id }
      count += 1
      used += weight
    }

    @inline(__always) mutating func subtract(_ weight: UInt64) {
      count -= 1
      used -= weight
    }
  }

  private var list: LinkedLists
  private var states: Column<UInt8>
  private var weights: Column<UInt32>
  private let weighs: Bool
  private let capacity: UInt64
  let ghostsMax: Int
  private var hot = Kind()
  // Resident cold objects, in or out of their test period.
  private var cold = Kind()
  // Objects in their test period, resident or not.
  private var test = Kind()
  private var ghostUsed: UInt64 = 0
  private var ghostCount = 0
  private var limit = GhostLimit()
  private var coldTarget: UInt64
  private let coldTargetMin: UInt64
  private let coldTargetMax: UInt64

  init(_ setup: PolicySetup) {
    capacity = setup.capacity
    ghostsMax = setup.ghostsMax(share: 1)
    weighs = setup.unit == .bytes
    coldTargetMin = max(setup.capacity / 100, 1)
    coldTargetMax = max(coldTargetMin, setup.capacity - coldTargetMin)
    coldTarget = coldTargetMin
    list = LinkedLists(objects: setup.objects)
    states = Column(objects: setup.objects)
    weights = Column(objects: weighs ? setup.objects : 0)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool {
    let kind = kind(id)
    return kind != 0 && kind != State.ghost
  }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool { states[id] != 0 }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    states[request.id] |= State.mark
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    hit(request, sizes)
    guard weighs else { return }
    let (kind, old, new) = (kind(id), weight(id), UInt64(request.size))
    if kind == State.hot { hot.used = hot.used - old + new }
    if kind != State.hot { cold.used = cold.used - old + new }
    if kind == State.coldInTest { test.used = test.used - old + new }
    weights[id] = request.size
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    while true {
      guard cold.count > 0 else {
        // After size changes or removals, only hot objects are left.
        _ = demoteHot(before: .none)
        continue
      }
      while !isColdResident(cold.hand) { cold.hand = forward(cold.hand) }
      let id = cold.hand
      if states[id] & State.mark == 0 { return leave(id) }
      let isPromoted = kind(id) == State.coldInTest && canPromote(id, weight(id))
      take(id)
      put(id, isPromoted ? State.hot : State.coldInTest)
    }
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    let size = weighs ? UInt64(request.size) : 1
    var isHot = hot.used + cold.used + size <= capacity - coldTarget
    if kind(id) == State.ghost {
      isHot = canPromote(id, size)
      // The hot hand may have removed it.
      if states[id] != 0 { take(id) }
    }
    if weighs { weights[id] = request.size }
    put(id, isHot ? State.hot : State.coldInTest)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard states[id] != 0 else { return }
    let isUnderHotHand = id == hot.hand
    take(id)
    if isUnderHotHand { stopAtHot() }
  }

  mutating func reserve(objects: Int) {
    list.reserve(objects: objects)
    states.reserve(objects: objects)
    if weighs { weights.reserve(objects: objects) }
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    states.prefetch(id)
    list.prefetch(id)
  }

  var stateBytes: Int { list.bytes + states.bytes + (weighs ? weights.bytes : 0) }

  @inline(__always) private func kind(_ id: ObjectID) -> UInt8 { states[id] & State.kindMask }

  @inline(__always) private func weight(_ id: ObjectID) -> UInt64 {
    weighs ? UInt64(weights[id]) : 1
  }

  @inline(__always) private func isColdResident(_ id: ObjectID) -> Bool {
    kind(id) == State.cold || kind(id) == State.coldInTest
  }

  @inline(__always) private func isInTest(_ id: ObjectID) -> Bool {
    kind(id) == State.coldInTest || kind(id) == State.ghost
  }

  @inline(__always) private func forward(_ id: ObjectID) -> ObjectID {
    id == .none ? list.back() : list.ahead(of: id)
  }

  @inline(__always) private mutating func put(_ id: ObjectID, _ state: UInt8) {
    let weight = weight(id)
    list.pushFront(id)
    states[id] = state
    if state == State.hot {
      hot.add(id, weight)
    } else {
      cold.add(id, weight)
      if state == State.coldInTest { test.add(id, weight) }
    }
  }

  @inline(__always) private mutating func take(_ id: ObjectID) {
    let (kind, weight) = (kind(id), weight(id))
    if kind == State.hot { hot.subtract(weight) }
    if kind == State.cold || kind == State.coldInTest { cold.subtract(weight) }
    if kind == State.coldInTest || kind == State.ghost { test.subtract(weight) }
    if kind == State.ghost {
      ghostUsed -= weight
      ghostCount -= 1
    }
    // A hand may also point to an object from which it has yet to move on.
    if hot.hand == id { hot.hand = list.ahead(of: id) }
    if cold.hand == id { cold.hand = list.ahead(of: id) }
    if test.hand == id { test.hand = list.ahead(of: id) }
    list.remove(id)
    states[id] = 0
  }

  @inline(__always) private mutating func leave(_ id: ObjectID) -> ObjectID {
    guard kind(id) == State.coldInTest else {
      take(id)
      return id
    }
    let weight = weight(id)
    cold.subtract(weight)
    states[id] = State.ghost
    ghostUsed += weight
    ghostCount += 1
    limit.note(residents: Int(hot.count + cold.count) + 1)
    while ghostUsed > capacity || (weighs && ghostCount > limit.ghosts) { endOldestTest() }
    return id
  }

  @inline(__always) private mutating func endOldestTest() {
    while !isInTest(test.hand) { test.hand = forward(test.hand) }
    endTest(test.hand)
  }

  @inline(__always) private mutating func endTest(_ id: ObjectID) {
    guard isInTest(id) else { return }
    let weight = weight(id)
    adapt(toRequest: states[id] & State.mark != 0, weight)
    if kind(id) == State.ghost {
      take(id)
    } else {
      test.subtract(weight)
      states[id] = State.cold | (states[id] & State.mark)
    }
  }

  @inline(__always) private mutating func adapt(toRequest isRequested: Bool, _ weight: UInt64) {
    if isRequested {
      coldTarget = min(coldTarget + weight, coldTargetMax)
    } else {
      coldTarget = max(coldTarget - min(weight, coldTarget), coldTargetMin)
    }
  }

  private mutating func canPromote(_ id: ObjectID, _ weight: UInt64) -> Bool {
    adapt(toRequest: true, weight)
    while hot.used + weight > capacity - coldTarget {
      guard isInTest(id), demoteHot(before: id) else { return false }
    }
    return true
  }

  /// Runs the hot hand: turns an unreferenced hot object cold unless it reaches `limit` first, and
  /// returns whether it did. Skips referenced objects and ends test periods on its way.
  private mutating func demoteHot(before limit: ObjectID) -> Bool {
    var isDemoted = false
    while hot.count > 0, !isDemoted, hot.hand != limit || limit == .none {
      let id = hot.hand
      guard id != .none else { break }
      let next = list.ahead(of: id)
      if kind(id) == State.hot {
        isDemoted = states[id] & State.mark == 0
        take(id)
        put(id, isDemoted ? State.cold : State.hot)
        // The only hot object moved the hand along to the front.
        if next != .none { hot.hand = next }
      } else {
        hot.hand = next
        endTest(id)
      }
    }
    stopAtHot()
    return isDemoted
  }

  @inline(__always) private mutating func stopAtHot() {
    while hot.count > 0, kind(hot.hand) != State.hot {
      let id = forward(hot.hand)
      if hot.hand != .none { endTest(hot.hand) }
      hot.hand = id
    }
  }
}
