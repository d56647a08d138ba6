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
struct TimedSimulation: Replay, ~Copyable {
  private let tier: SimulatedTier
  private let columns: RequestColumns
  private let reader: RequestReader
  private let isDisk: Bool
  private let model: FetchModel
  // True if hits wait as well.
  private let hasReads: Bool
  private var board: FlightBoard
  private var totals = SimulationTotals()
  private var now: UInt64 = 0
  private(set) var position = 0

  /// An empty cache before the first request.
  init(_ tier: SimulatedTier, _ single: SingleTier, model: FetchModel) {
    self.tier = tier
    columns = single.columns
    reader = RequestReader(columns, unit: single.unit)
    isDisk = single.isDisk
    self.model = model
    hasReads = isDisk && model.diskLatencies != nil
    board = FlightBoard(model)
  }

  var outcomes: OutcomeSizes? { nil }

  var stateBytes: Int { tier.stateBytes + board.bytes }

  var counts: Counts {
    var counts = totals.counts(of: tier.counts, isDisk: isDisk, hasCosts: columns.costs != nil)
    counts.time = board.counts(requests: totals.requests)
    return counts
  }

  mutating func resetCounts() {
    totals = SimulationTotals()
    tier.tier.resetCounts()
    board.resetCounts()
  }

  mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let end = min(end, columns.count)
    while position < end {
      tier.prefetch(ahead: position, in: columns)
      let (operation, arrival, ttl) = reader.context(at: position)
      now = model.clock == .requests ? UInt64(position) : max(now, arrival)
      land(until: now)
      apply(operation, reader.request(at: position), ttl: ttl)
      position += 1
      if untilFirstEviction, tier.counts.evictions > 0 { return true }
    }
    return false
  }

  @inline(__always) private mutating func apply(
    _ operation: Operation, _ request: Request, ttl: UInt32
  ) {
    switch operation {
    case .get: get(request)
    case .set:
      var request = request
      totals.sets += 1
      board.detach(request.id)
      request.expires = expiry(at: now, ttl)
      _ = tier.tier.set(request, now)
    case .delete:
      totals.deletes += 1
      board.detach(request.id)
      tier.tier.remove(request.id)
    case .modify:
      if tier.tier.contains(request.id) { tier.setStale(request.id, true) }
    case .bypass:
      totals.request(request)
      fetch(request, stores: false, at: board.table.place(of: request.id))
    case .expire: tier.changeExpiry(request.id, to: expiry(at: now, ttl), now: now)
    }
  }

  @inline(__always) private mutating func get(_ request: Request) {
    totals.request(request)
    if let observe = tier.observe {
      let bytes = reader.bytes(at: position)
      observe(request.id, now, model.service(request: UInt64(position), bytes: bytes))
    }
    if hasReads { return getFromDisk(request) }
    if let copy = tier.use(request, now) {
      totals.hit(request)
      if copy.isStale { totals.staleHits += 1 }
      return
    }
    let place = board.table.place(of: request.id)
    if board.canJoin(at: place) {
      board.join(request, at: place, now: now)
    } else {
      fetch(request, stores: true, at: place)
    }
  }

  /// A get from a disk whose reads take time.
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
    totals.hit(request)
    if copy.isStale { totals.staleHits += 1 }
    if board.read(request, at: place, now: now) { land(until: now) }
  }

  /// Begins a fetch for the request at `position`; `place` is that of its object in the table.
  @inline(__always) private mutating func fetch(
    _ request: Request, stores: Bool, at place: UInt32
  ) {
    let bytes = reader.bytes(at: position)
    if board.fetch(request, bytes: bytes, stores: stores, at: place, now: now) { land(until: now) }
  }

  /// Stores what has been fetched by a time.
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
    let index = Int(truncatingIfNeeded: flight.index)
    var request = reader.request(at: index)
    request.nextUse = landed.nextUse
    request.expires = expiry(at: flight.completion, columns.ttls?[index] ?? 0)
    tier.advance?(flight.completion, board.landing(of: flight))
    _ = tier.tier.set(request, flight.completion)
  }

  @inline(__always) private func expiry(at now: UInt64, _ ttl: UInt32) -> UInt64 {
    tier.tier.expiryFrom(now, UInt64(ttl) * 1_000_000)
  }
}
