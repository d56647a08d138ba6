/// Search for an order of the events of one key that explains every result.
///
/// **The model.** A key is a register that holds at most one value. A call takes effect at one
/// instant between its invocation and its response (Herlihy and Wing, Linearizability, TOPLAS
/// 1990); the search tries the orders that real time allows and remembers the states it has been in
/// (Wing and Gong, Testing and verifying concurrent objects, JPDC 1993; Lowe, Testing for
/// linearizability, 2017).
///
/// - A *set* writes its value, an *update* writes a value that follows the one it saw, a *removal*
///   empties the register.
/// - A *get* returns the value, unless it has certainly expired. It may miss if the register is
///   empty, if the value may have expired, or, with `mayLose`, after an eviction, which empties the
///   register. A *look* checks if there is a value in the same way, but is no access: with idle
///   expiry, gets keep entries alive and looks do not.
/// - A *load* has two instants. It *begins* between the invocation of the request whose loader it
///   is and the call of the loader, and only if no other load of the key is running that may still
///   be joined: one load per key at a time. It *lands* between the end of the loader and the first
///   response to a request that waited for it, and writes its value, empties the register
///   ("absent") or renews the value that was there when it began ("not modified").
/// - A removal (in a hybrid cache also a set) between the two *overtakes* the load: its landing
///   changes nothing, and later requests do not join it. A load whose requests may all have been
///   cancelled may be abandoned: its landing may change nothing, and others may begin.
/// - A *request* is answered with the present value, or by a load that it joins at an instant at
///   which the load is running and not overtaken. An expired value is a valid result only for
///   strategies and caches that permit it, and only the present one, never an older one. An error
///   is that of a load that was joined; "cancelled" is a valid result for cancelled requests.
/// - In a *memory cache* a request registers its load and then looks once more. A value found then
///   is passed to requests that have joined in between, and a removal in between has overtaken the
///   load. No request joins a load whose own request has been answered by it.
/// - A memory cache may *remember* for a while that there is no value: from the landing of a load
///   with that result, unless the key was set since it began, until the next write or removal.
///   Requests with negative caching may then receive that result while the register is empty.
package struct HistorySearch {
  enum Point {
    case call(Int)
    case begin(Int)
    case land(Int)
  }

  struct Write {
    var value: Int?
    var load = 0
    var expiresFirst = UInt64.max
    var expiresLast = UInt64.max
    var storedFirst: UInt64 = 0
    var storedLast: UInt64 = 0
  }

  struct State: Hashable {
    var passed: UInt64 = 0
    var write: UInt8 = 0
    var found: UInt64 = 0
    var overtaken: UInt16 = 0
    var outdated: UInt16 = 0
    var absence: UInt8 = 0
    var accessedFirst: UInt64 = 0
    var accessedLast: UInt64 = 0
    /// For each load the write that was present when it began.
    var candidates = SIMD16<UInt8>(repeating: 0)
  }

  let rules: HistoryRules
  let calls: [HistoryEvent]
  let loads: [HistoryLoad]
  private(set) var owners: [Int?] = []
  private(set) var numbers: [Int] = []
  private(set) var points: [Point] = []
  private(set) var first: [Int] = []
  private(set) var last: [Int] = []
  private(set) var writes = [Write()]
  private(set) var writeOfCall: [Int: UInt8] = [:]
  private(set) var writeOfLoad: [Int: UInt8] = [:]
  private(set) var beginPoint: [Int] = []
  private(set) var landPoint: [Int] = []
  private(set) var answered: [Int] = []
  private(set) var absentUntil: [UInt64] = []
  private(set) var mayBeAbandoned: [Bool] = []
  private var seen: Set<State> = []

  package init(_ history: History, _ key: Int, _ rules: HistoryRules) {
    self.rules = rules
    let chosen = history.events.indices.filter { history.events[$0].key == key }
    calls = chosen.map { history.events[$0] }
    let chosenLoads = history.loads.indices.filter { history.loads[$0].key == key }
    loads = chosenLoads.map { history.loads[$0] }
    numbers = chosenLoads
    owners = loads.map { load in chosen.firstIndex(of: load.owner) }
    for (number, call) in calls.enumerated() {
      add(.call(number), call.invoked, call.responded)
      noteWrite(of: call, number)
    }
    for number in loads.indices { noteLoad(number) }
    noteExpiriesOfUpdates()
  }

  private mutating func noteExpiriesOfUpdates() {
    for _ in calls {
      for (number, call) in calls.enumerated() {
        guard case .update(let old?, _) = call.action, let write = writeOfCall[number],
          let replaced = writes.first(where: { $0.value == old })
        else { continue }
        writes[Int(write)].expiresFirst = replaced.expiresFirst
        writes[Int(write)].expiresLast = replaced.expiresLast
      }
    }
  }

  private mutating func add(_ point: Point, _ from: Int, _ to: Int) {
    points.append(point)
    first.append(from)
    last.append(to)
  }

  private mutating func noteWrite(of call: HistoryEvent, _ number: Int) {
    switch call.action {
    case .set(let value, let life, _):
      writeOfCall[number] = add(value, life, call.clockInvoked, call.clockResponded)
    case .update(_, let new):
      writeOfCall[number] = add(new, nil, call.clockInvoked, call.clockResponded)
    case .get, .look, .remove, .request, .nothing: break
    }
  }

  private mutating func add(
    _ value: Int, _ life: UInt64?, _ from: UInt64, _ to: UInt64
  ) -> UInt8 {
    var write = Write(value: value, storedFirst: from, storedLast: to)
    if let life { (write.expiresFirst, write.expiresLast) = (from + life, to + life) }
    writes.append(write)
    return UInt8(writes.count - 1)
  }

  private mutating func noteLoad(_ number: Int) {
    let load = loads[number]
    let owner = owners[number].map { calls[$0] }
    beginPoint.append(points.count)
    add(.begin(number), owner?.invoked ?? 0, load.started)
    var (end, clock) = (Int.max, rules.clockEnd)
    for call in calls where call.responded < end {
      // A client that has the value got it from the cache or after it was stored there.
      guard call.knows(load.answer, of: numbers[number]) else { continue }
      (end, clock) = (call.responded, call.clockResponded)
    }
    let isAnswered = owner?.isAnswered(by: load.answer, of: numbers[number]) ?? false
    answered.append(isAnswered ? owner?.responded ?? .max : .max)
    if rules.isMemoryCache, let owner, isAnswered, owner.responded < end {
      (end, clock) = (owner.responded, owner.clockResponded)
    }
    absentUntil.append(clock + rules.absenceLife)
    landPoint.append(points.count)
    add(.land(number), load.ended, end)
    switch load.answer {
    case .value(let value, let life):
      writeOfLoad[number] = add(value, life, load.clockEnded, clock)
    case .notModified:
      writes.append(Write(value: nil, load: number, expiresFirst: 0))
      writeOfLoad[number] = UInt8(writes.count - 1)
    case .absent, .failed, .cancelled: break
    }
    mayBeAbandoned.append(
      calls.contains { call in
        guard case .request = call.action, call.wasCancelled else { return false }
        return call.invoked < end && call.responded > (owner?.invoked ?? 0)
      })
  }

  // MARK: The search

  /// Returns true if there is an order. A key with more points than the search can hold counts as
  /// explained; see `isTooLarge`.
  package mutating func hasOrder() -> Bool {
    if isTooLarge { return true }
    return search(State())
  }

  package var isTooLarge: Bool { points.count > 64 || loads.count > 16 || writes.count > 250 }

  private mutating func search(_ state: State) -> Bool {
    if state.passed.nonzeroBitCount == points.count { return true }
    guard seen.insert(state).inserted else { return false }
    var limit = Int.max
    for point in points.indices where state.passed >> UInt64(point) & 1 == 0 {
      limit = min(limit, last[point])
    }
    for point in points.indices
    where state.passed >> UInt64(point) & 1 == 0 && first[point] <= limit {
      for var next in after(points[point], state) {
        next.passed |= 1 << UInt64(point)
        if search(next) { return true }
      }
    }
    return false
  }
}
