/// What is in flight in a simulation with time: fetches from the origin and reads from disk, who
/// may wait for them, and how long everybody has waited.
///
/// It knows neither tiers nor policies: a simulation begins flights, lets requests join them, and
/// stores what those bring that have ended. Memory follows the largest number in flight.
@usableFromInline
struct FlightBoard: ~Copyable {
  /// A flight that has ended, as far as storing what it brings is concerned.
  @usableFromInline
  struct Landed: BitwiseCopyable {
    @usableFromInline var flight: Flight
    /// The next get of the object, as its latest request knew it.
    @usableFromInline var nextUse: UInt32
    /// Whether the object was neither set nor deleted since the flight began.
    @usableFromInline var isCurrent: Bool

    @inlinable
    init(_ flight: Flight, nextUse: UInt32, isCurrent: Bool) {
      self.flight = flight
      self.nextUse = nextUse
      self.isCurrent = isCurrent
    }
  }

  @usableFromInline let model: FetchModel
  @usableFromInline var queue = FlightQueue()
  @usableFromInline var table = FlightTable()
  @usableFromInline var servers: OriginServers
  @usableFromInline var waits = WaitCounts()
  @usableFromInline var time: TimeCounts
  // Flights begun so far, and reads from disk among those that have not ended.
  @usableFromInline var begun: UInt64 = 0
  @usableFromInline var reads = 0

  /// Nothing is in flight.
  @usableFromInline
  init(_ model: FetchModel) {
    self.model = model
    servers = OriginServers(model.servers ?? 1)
    time = TimeCounts(clock: model.clock)
  }

  /// Memory held, in bytes.
  @usableFromInline var bytes: Int { queue.bytes + table.bytes + waits.bytes }

  /// What has happened; gets that were not told of here waited for nothing.
  @usableFromInline
  func counts(requests: UInt64) -> TimeCounts {
    var time = time
    time.totalLatency = waits.total
    let percentiles = waits.percentiles([0.5, 0.9, 0.99], of: requests)
    time.p50Latency = percentiles[0]
    time.p90Latency = percentiles[1]
    time.p99Latency = percentiles[2]
    return time
  }

  /// Sets all counts to zero. What is in flight stays there.
  @usableFromInline
  mutating func resetCounts() {
    time = TimeCounts(clock: model.clock)
    time.maxInFlight = UInt64(queue.count - reads)
    waits = WaitCounts()
  }

  // MARK: Waiting

  /// Whether a request for the object at a place of the table waits for its flight.
  @inlinable
  @inline(__always)
  func canJoin(at place: UInt32) -> Bool {
    model.coalesces && table.isTaken(place) && table.places[place].order != FlightTable.noOrder
  }

  /// A request waits for the flight of its object.
  @inlinable
  @inline(__always)
  mutating func join(_ request: Request, at place: UInt32, now: UInt64) {
    time.delayedHits += 1
    waits.add(table.places[place].completion - now)
    table.places[place].nextUse = request.nextUse
  }

  // MARK: Flights

  /// Begins a fetch from the origin for a request, whose object is at `place` of the table, and
  /// says whether it has ended at once.
  ///
  /// - Parameter stores: Whether others may wait for it, and a cache may store what it brings.
  @usableFromInline
  mutating func fetch(
    _ request: Request, bytes: UInt32, stores: Bool, at place: UInt32, now: UInt64
  ) -> Bool {
    let duration = model.service(request: request.index, bytes: bytes)
    let completion: UInt64
    if model.servers == nil {
      completion = Self.end(of: duration, from: now)
    } else {
      completion = servers.serve(at: now, for: duration)
    }
    let hasEnded = begin(
      Flight(
        completion: completion, order: begun, index: request.index, id: request.id,
        stores: stores, isRead: false),
      request, at: place, now: now)
    time.originFetches += 1
    time.maxInFlight = max(time.maxInFlight, UInt64(queue.count - reads))
    return hasEnded
  }

  /// Begins to read the object of a request, which is at `place` of the table, from disk, and says
  /// whether that has ended at once.
  @usableFromInline
  mutating func read(_ request: Request, at place: UInt32, now: UInt64) -> Bool {
    reads += 1
    return begin(
      Flight(
        completion: Self.end(of: model.diskRead(request: request.index), from: now), order: begun,
        index: request.index, id: request.id, stores: false, isRead: true),
      request, at: place, now: now)
  }

  private static func end(of duration: UInt64, from now: UInt64) -> UInt64 {
    let (end, isBeyondTime) = now.addingReportingOverflow(duration)
    return isBeyondTime ? .max : end
  }

  private mutating func begin(
    _ flight: Flight, _ request: Request, at place: UInt32, now: UInt64
  ) -> Bool {
    var place = place
    if !table.isTaken(place) {
      place = table.add(
        FlightTable.Entry(id: request.id, nextUse: request.nextUse), at: place)
    }
    table.places[place].flights += 1
    if flight.stores || flight.isRead {
      table.places[place].order = flight.order
      table.places[place].completion = flight.completion
      table.places[place].nextUse = request.nextUse
    }
    queue.add(flight)
    begun += 1
    if flight.completion > now { waits.add(flight.completion - now) }
    return flight.completion <= now
  }

  /// Whether something has ended by a time.
  @inlinable
  @inline(__always)
  func isDue(_ now: UInt64) -> Bool { queue.nextCompletion <= now && queue.count > 0 }

  /// Takes out the flight that ends first; there must be one.
  @inlinable
  @inline(__always)
  mutating func takeNext() -> Landed {
    let flight = queue.takeNext()
    if flight.isRead { reads -= 1 }
    let place = table.place(of: flight.id)
    let entry = table.places[place]
    if entry.flights == 1 {
      table.remove(at: place)
    } else {
      table.places[place].flights -= 1
      if entry.order == flight.order { table.places[place].order = FlightTable.noOrder }
    }
    return Landed(
      flight, nextUse: entry.nextUse, isCurrent: flight.order >= entry.current)
  }

  /// Whatever is in flight of an object is out of date: those who wait for it go on waiting, nobody
  /// joins them, and what it brings is not stored.
  @inlinable
  @inline(__always)
  mutating func detach(_ id: ObjectID) {
    let place = table.place(of: id)
    guard table.isTaken(place) else { return }
    table.places[place].current = begun
    table.places[place].order = FlightTable.noOrder
  }

  /// The time that policies are told of for a flight that has ended: with requests as the clock it
  /// ends within the last request that waits for it.
  @inlinable
  @inline(__always)
  func landing(of flight: Flight) -> UInt64 {
    model.clock == .requests && flight.completion > 0 ? flight.completion - 1 : flight.completion
  }
}
