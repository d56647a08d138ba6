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
/// A set or a delete of an object in flight detaches its fetches: whoever waits for them goes on
/// waiting, later gets do not wait for them, and what they bring is not stored. A get that nothing
/// may store (`bypass`) always fetches for itself.
@usableFromInline
struct TimedSimulation<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>: ~Copyable {
  @usableFromInline var tier: Tier<Policy, Shape>
  @usableFromInline let columns: RequestColumns
  @usableFromInline let reader: RequestReader
  @usableFromInline let isDisk: Bool
  @usableFromInline let model: FetchModel
  @usableFromInline var flights = FlightQueue()
  @usableFromInline var table = FlightTable()
  @usableFromInline var servers: OriginServers
  @usableFromInline var waits = WaitCounts()
  @usableFromInline var totals = SimulationTotals()
  @usableFromInline var time: TimeCounts
  @usableFromInline var now: UInt64 = 0
  @usableFromInline var fetches: UInt64 = 0
  @usableFromInline var position = 0

  @inlinable
  static var lookahead: Int { 16 }

  /// An empty cache before the first request.
  @usableFromInline
  init(
    _ setup: CacheTierSetup, isDisk: Bool, model: FetchModel, over columns: RequestColumns
  ) throws(PolicyError) {
    tier = try Tier(setup)
    self.columns = columns
    reader = RequestReader(columns, unit: setup.unit)
    self.isDisk = isDisk
    self.model = model
    servers = OriginServers(model.servers ?? 1)
    time = TimeCounts(clock: model.clock)
  }

  @usableFromInline var stateBytes: Int {
    tier.stateBytes + flights.bytes + table.bytes + waits.bytes
  }

  @usableFromInline
  var counts: Counts {
    var counts = totals.counts(of: tier.counts, isDisk: isDisk, hasCosts: columns.costs != nil)
    var time = time
    time.totalLatency = waits.total
    let percentiles = waits.percentiles([0.5, 0.9, 0.99], of: totals.requests)
    time.p50Latency = percentiles[0]
    time.p90Latency = percentiles[1]
    time.p99Latency = percentiles[2]
    counts.time = time
    return counts
  }

  @usableFromInline
  mutating func resetCounts() {
    totals = SimulationTotals()
    tier.counts = TierCounts()
    time = TimeCounts(clock: model.clock)
    time.maxInFlight = UInt64(flights.count)
    waits = WaitCounts()
  }

  @inlinable
  mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let end = min(end, columns.count)
    let last = columns.count - 1
    while position < end {
      tier.prefetch(columns.ids[min(position + Self.lookahead, last)])
      tier.prefetchNeighbours(columns.ids[min(position + Self.lookahead / 2, last)])
      let (operation, arrival, ttl) = reader.context(at: position)
      now = model.clock == .requests ? UInt64(position) : max(now, arrival)
      land(until: now)
      apply(operation, reader.request(at: position), ttl: ttl)
      position += 1
      if untilFirstEviction, tier.counts.evictions > 0 { return true }
    }
    return false
  }

  @inlinable
  @inline(__always)
  mutating func apply(_ operation: Operation, _ request: Request, ttl: UInt32) {
    switch operation {
    case .get: get(request)
    case .set:
      var request = request
      totals.sets += 1
      detach(request.id)
      request.expires = expiry(at: now, ttl)
      _ = tier.set(request, now: now) { _ in }
    case .delete:
      totals.deletes += 1
      detach(request.id)
      tier.remove(request.id)
    case .modify:
      if tier.contains(request.id) { tier.setStale(request.id, true) }
    case .bypass:
      totals.request(request)
      fetch(request, stores: false, at: table.place(of: request.id))
    }
  }

  @inlinable
  @inline(__always)
  mutating func get(_ request: Request) {
    totals.request(request)
    if Policy.observesRequests {
      let bytes = reader.bytes(at: position)
      let latency = model.service(request: UInt64(position), bytes: bytes)
      tier.policy.observe(request.id, now: now, fetchLatency: latency)
    }
    if case .hit = tier.access(request, now: now, evicted: { _ in }) {
      totals.hit(request)
      if tier.isStale(request.id) { totals.staleHits += 1 }
      return
    }
    let place = table.place(of: request.id)
    if model.coalesces, table.isTaken(place), table.places[place].order != FlightTable.noOrder {
      time.delayedHits += 1
      waits.add(table.places[place].completion - now)
      table.places[place].nextUse = request.nextUse
    } else {
      fetch(request, stores: true, at: place)
    }
  }

  /// Begins a fetch for the request at `position`; `place` is that of its object in the table.
  @inlinable
  @inline(never)
  mutating func fetch(_ request: Request, stores: Bool, at place: UInt32) {
    let index = UInt64(position)
    let duration = model.service(request: index, bytes: reader.bytes(at: position))
    let completion: UInt64
    if model.servers == nil {
      let (end, isBeyondTime) = now.addingReportingOverflow(duration)
      completion = isBeyondTime ? .max : end
    } else {
      completion = servers.serve(at: now, for: duration)
    }
    var place = place
    if !table.isTaken(place) {
      place = table.add(
        FlightTable.Entry(id: request.id, nextUse: request.nextUse), at: place)
    }
    table.places[place].flights += 1
    if stores {
      table.places[place].order = fetches
      table.places[place].completion = completion
      table.places[place].nextUse = request.nextUse
    }
    flights.add(
      Flight(
        completion: completion, order: fetches, index: index, id: request.id, stores: stores))
    fetches += 1
    time.originFetches += 1
    time.maxInFlight = max(time.maxInFlight, UInt64(flights.count))
    if completion > now { waits.add(completion - now) } else { land(until: now) }
  }

  /// Stores what has been fetched by a time.
  @inlinable
  @inline(__always)
  mutating func land(until now: UInt64) {
    if flights.nextCompletion <= now { landDue(now) }
  }

  // A function of its own: what a policy does to store an object is there once, and not at each
  // call.
  @inlinable
  @inline(never)
  mutating func landDue(_ now: UInt64) {
    while flights.nextCompletion <= now, flights.count > 0 { land(flights.takeNext()) }
  }

  @inlinable
  @inline(__always)
  mutating func land(_ flight: Flight) {
    let place = table.place(of: flight.id)
    let entry = table.places[place]
    if entry.flights == 1 {
      table.remove(at: place)
    } else {
      table.places[place].flights -= 1
      if entry.order == flight.order { table.places[place].order = FlightTable.noOrder }
    }
    guard flight.stores, flight.order >= entry.current else { return }
    if tier.contains(flight.id) {
      guard tier.isOver(flight.id, now: flight.completion) else { return }
      tier.remove(flight.id)
    }
    let index = Int(truncatingIfNeeded: flight.index)
    var request = reader.request(at: index)
    request.nextUse = entry.nextUse
    request.expires = expiry(at: flight.completion, columns.ttls?[index] ?? 0)
    if Policy.observesRequests {
      // With requests as the clock a fetch ends within the last request that waits for it.
      let isCounting = model.clock == .requests && flight.completion > 0
      tier.policy.advance(to: isCounting ? flight.completion - 1 : flight.completion)
    }
    if Policy.followsTime { tier.policy.follow(flight.completion) }
    _ = tier.store(request) { _ in }
  }

  @inlinable
  @inline(__always)
  func expiry(at now: UInt64, _ ttl: UInt32) -> UInt64 {
    tier.expiry(now: now, timeToLive: UInt64(ttl) * 1_000_000)
  }

  /// What is being fetched of an object is out of date.
  @inlinable
  @inline(__always)
  mutating func detach(_ id: ObjectID) {
    let place = table.place(of: id)
    guard table.isTaken(place) else { return }
    table.places[place].current = fetches
    table.places[place].order = FlightTable.noOrder
  }
}
