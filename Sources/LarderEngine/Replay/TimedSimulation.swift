/// A cache of one tier whose misses take time: requests for an object that is being fetched wait
/// for that fetch (delayed hits), and what was fetched is stored when the fetch ends.
///
/// For each get at time t: `now` is the later of t and the previous `now`; fetches that have ended
/// by then are stored, in the order of their ends, each as of its own time; then the object is
/// looked up. Stored: a hit, without a wait. In flight, with coalescing: a delayed hit; the policy
/// is not told. Otherwise a miss, which fetches: at once, or when one of the origin's servers is
/// free. What has been stored meanwhile is not stored again. A fetch that takes no time is stored
/// within its request: the counts are those of a simulation without time.
///
/// If the tier is a disk whose reads take time, a hit is a read: the policy is notified when the
/// read begins, and the object is in flight until it ends. With coalescing later requests wait for
/// the read; otherwise each is a hit with a read of its own.
///
/// A set or a delete of an object in flight detaches its flights: whoever waits for them goes on
/// waiting, later gets do not wait for them, and what they bring is not stored. A get that nothing
/// may store (`bypass`) always fetches for itself.
struct TimedSimulation: OperationReplay, ~Copyable {
  private let tier: SimulatedTier
  let reader: RequestReader
  private let isDisk: Bool
  private let model: FetchModel
  // True if hits wait as well.
  private let hasReads: Bool
  private var board: FlightBoard
  var totals = SimulationTotals()
  private var now: UInt64 = 0
  var position = 0

  init(_ tier: SimulatedTier, _ single: SingleTier, model: FetchModel) {
    self.tier = tier
    reader = RequestReader(single.columns, unit: single.unit)
    isDisk = single.isDisk
    self.model = model
    hasReads = isDisk && model.diskLatencies != nil
    board = FlightBoard(model)
  }

  var stateBytes: Int { tier.stateBytes + board.bytes }

  var choice: PolicyChoice? { tier.tier.choice }

  var counts: Counts {
    var counts = totals.counts(
      of: tier.counts, isDisk: isDisk, hasCosts: reader.columns.costs != nil)
    counts.time = board.counts(requests: totals.requests)
    return counts
  }

  mutating func resetCounts() {
    totals = SimulationTotals()
    tier.tier.resetCounts()
    board.resetCounts()
  }

  var evictions: UInt64 { tier.counts.evictions }

  @inline(__always) func prefetch(ahead position: Int) {
    let ahead = reader.ahead(of: position)
    tier.prefetch(ahead.far, ahead.near)
  }

  @inline(__always) mutating func advance(to arrival: UInt64) -> UInt64 {
    now = model.clock == .requests ? UInt64(position) : max(now, arrival)
    land(until: now)
    return now
  }

  @inline(__always) mutating func get(_ object: TimedRequest) {
    let request = object.request
    if let observe = tier.observe {
      let bytes = reader.bytes(at: position)
      observe(request.id, now, model.service(request: UInt64(position), bytes: bytes))
    }
    if hasReads { return getFromDisk(request) }
    if let copy = tier.use(request, now) {
      return totals.hit(request, isStale: copy.isStale)
    }
    let place = board.table.place(of: request.id)
    if board.canJoin(at: place) {
      board.join(request, at: place, now: now)
    } else {
      fetch(request, stores: true, at: place)
    }
  }

  @inline(never) private mutating func getFromDisk(_ request: Request) {
    let place = board.table.place(of: request.id)
    if board.canJoin(at: place) {
      board.join(request, at: place, now: now)
      // Of an object that is being read, the policy knows when it is requested next.
      if tier.needsNextUse, tier.tier.contains(request.id) { tier.foresee(request) }
      return
    }
    guard let copy = tier.use(request, now) else {
      return fetch(request, stores: true, at: place)
    }
    totals.hit(request, isStale: copy.isStale)
    if board.read(request, at: place, now: now) { land(until: now) }
  }

  mutating func set(_ object: TimedRequest) {
    board.detach(object.request.id)
    put(object)
  }

  mutating func delete(_ object: TimedRequest) {
    board.detach(object.request.id)
    tier.tier.remove(object.request.id)
  }

  mutating func modify(_ request: Request) {
    if tier.tier.contains(request.id) { tier.setStale(request.id, true) }
  }

  mutating func bypass(_ object: TimedRequest) {
    let request = object.request
    fetch(request, stores: false, at: board.table.place(of: request.id))
  }

  mutating func expire(_ object: TimedRequest) { tier.changeExpiry(of: object) }

  private func put(_ object: TimedRequest) {
    var request = object.request
    request.expires = tier.tier.expiryFrom(object.now, object.timeToLive)
    _ = tier.tier.set(request, object.now)
  }

  @inline(__always) private mutating func fetch(
    _ request: Request, stores: Bool, at place: UInt32
  ) {
    let bytes = reader.bytes(at: position)
    if board.fetch(request, bytes: bytes, stores: stores, at: place, now: now) { land(until: now) }
  }

  @inline(__always) private mutating func land(until now: UInt64) {
    if board.queue.nextCompletion <= now { landDue(now) }
  }

  @inline(never) private mutating func landDue(_ now: UInt64) {
    while board.isDue(now) { land(board.takeNext()) }
  }

  @inline(__always) private mutating func land(_ landed: FlightBoard.Landed) {
    let flight = landed.flight
    guard flight.stores, landed.isCurrent else { return }
    if tier.tier.contains(flight.id) {
      if tier.holds(flight.id, flight.completion) { return }
      tier.tier.remove(flight.id)
    }
    tier.advance?(flight.completion, board.landing(of: flight))
    put(reader.landed(landed))
  }
}

extension RequestReader {
  func landed(_ landed: FlightBoard.Landed) -> TimedRequest {
    let index = Int(truncatingIfNeeded: landed.flight.index)
    var object = timed(at: index, now: landed.flight.completion)
    object.request.nextUse = landed.nextUse
    return object
  }
}
