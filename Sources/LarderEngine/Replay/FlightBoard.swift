/// The flights of a simulation with time: fetches from the origin and reads from disk, the requests
/// that may wait for them, and the waits so far.
///
/// Independent of tiers and policies: a simulation starts flights, lets requests join them, and
/// stores the objects of those that have ended. Memory is proportional to the largest number in
/// flight.
struct FlightBoard: ~Copyable {
  /// A flight that has ended, with the data needed to store its object.
  struct Landed: BitwiseCopyable {
    var flight: Flight
    /// The next get of the object, as of its latest request.
    var nextUse: UInt32
    /// True if the object was neither set nor deleted since the flight began.
    var isCurrent: Bool

    init(_ flight: Flight, nextUse: UInt32, isCurrent: Bool) {
      self.flight = flight
      self.nextUse = nextUse
      self.isCurrent = isCurrent
    }
  }

  let model: FetchModel
  var queue = FlightQueue()
  var table = FlightTable()
  var servers: OriginServers
  var waits = WaitCounts()
  var time: TimeCounts
  // Flights started so far, and reads from disk in flight.
  var begun: UInt64 = 0
  var reads = 0

  init(_ model: FetchModel) {
    self.model = model
    servers = OriginServers(model.servers ?? 1)
    time = TimeCounts(clock: model.clock)
  }

  var bytes: Int { queue.bytes + table.bytes + waits.bytes }

  func counts(requests: UInt64) -> TimeCounts {
    var time = time
    time.totalLatency = waits.total
    let percentiles = waits.percentiles([0.5, 0.9, 0.99], of: requests)
    time.p50Latency = percentiles[0]
    time.p90Latency = percentiles[1]
    time.p99Latency = percentiles[2]
    return time
  }

  mutating func resetCounts() {
    time = TimeCounts(clock: model.clock)
    time.maxInFlight = UInt64(queue.count - reads)
    waits = WaitCounts()
  }

  // MARK: Waiting

  @inline(__always) func canJoin(at place: UInt32) -> Bool {
    model.coalesces && table.isTaken(place) && table.places[place].order != FlightTable.noOrder
  }

  @inline(__always) mutating func join(_ request: Request, at place: UInt32, now: UInt64) {
    time.delayedHits += 1
    waits.add(table.places[place].completion - now)
    table.places[place].nextUse = request.nextUse
  }

  // MARK: Flights

  /// Starts a fetch from the origin for a request, whose object is at `place` of the table, and
  /// returns true if it has ended at once.
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

  @inline(__always) func isDue(_ now: UInt64) -> Bool {
    queue.nextCompletion <= now && queue.count > 0
  }

  @inline(__always) mutating func takeNext() -> Landed {
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

  @inline(__always) mutating func detach(_ id: ObjectID) {
    let place = table.place(of: id)
    guard table.isTaken(place) else { return }
    table.places[place].current = begun
    table.places[place].order = FlightTable.noOrder
  }

  @inline(__always) func landing(of flight: Flight) -> UInt64 {
    model.clock == .requests && flight.completion > 0 ? flight.completion - 1 : flight.completion
  }
}

/// A fetch from the origin, or a read from disk, in flight.
struct Flight: BitwiseCopyable, Comparable {
  var completion: UInt64
  /// Its number among all flights, which orders those that end at the same time.
  var order: UInt64
  var index: UInt64
  var id: ObjectID
  /// True if its object may be stored: fetched for a request that a cache may answer.
  var stores: Bool
  var isRead: Bool

  /// The flight that ends first is the largest, for a heap.
  @inline(__always) static func < (one: Flight, other: Flight) -> Bool {
    one.completion == other.completion
      ? one.order > other.order : one.completion > other.completion
  }
}

/// The objects in flight, by id: a hash table with linear probing whose size is proportional to the
/// largest number in flight. O(1).
struct FlightTable: ~Copyable {
  /// An object in flight.
  struct Entry: BitwiseCopyable {
    var id: ObjectID
    var flights: UInt32
    /// The next get of the object that the fetch's copy could answer.
    var nextUse: UInt32
    /// The number of the fetch that requests wait for; `noOrder` for none.
    var order: UInt64
    var completion: UInt64
    /// Fetches with lower numbers started before the object was set or deleted: their objects are
    /// not stored.
    var current: UInt64

    init(id: ObjectID, nextUse: UInt32) {
      self.id = id
      flights = 0
      self.nextUse = nextUse
      order = FlightTable.noOrder
      completion = 0
      current = 0
    }
  }

  static var noOrder: UInt64 { .max }

  var places = Column<Entry>(objects: 63)
  private(set) var count = 0

  init() {}

  var bytes: Int { places.bytes }

  @inline(__always) var mask: UInt32 { UInt32(truncatingIfNeeded: places.objects) }

  @inline(__always) func place(of id: ObjectID) -> UInt32 {
    var place = home(of: id)
    while places[place].id != id, places[place].id != .none { place = (place &+ 1) & mask }
    return place
  }

  @inline(__always) func home(of id: ObjectID) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(id) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
  }

  @inline(__always) func isTaken(_ place: UInt32) -> Bool { places[place].id != .none }

  @inline(__always) mutating func add(_ entry: Entry, at place: UInt32) -> UInt32 {
    var place = place
    if count * 2 > places.objects {
      grow()
      place = self.place(of: entry.id)
    }
    places[place] = entry
    count += 1
    return place
  }

  @inline(__always) mutating func remove(at place: UInt32) {
    var hole = place
    var next = (hole &+ 1) & mask
    while places[next].id != .none {
      // Its distance from its home slot, compared with that of the hole.
      if (next &- home(of: places[next].id)) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = (next &+ 1) & mask
    }
    places[hole] = Entry(id: .none, nextUse: 0)
    count -= 1
  }

  @inline(never) mutating func grow() {
    var old = Column<Entry>(objects: (places.objects + 1) * 2 - 1)
    swap(&places, &old)
    for number in 0...UInt32(truncatingIfNeeded: old.objects) where old[number].id != .none {
      places[place(of: old[number].id)] = old[number]
    }
  }
}

/// Fetches in flight, in the order in which they end.
///
/// Fetches usually end in the order in which they start, and always if all have the same latency:
/// those are in a ring, at O(1). The others are in a heap, at O(log n). Memory is proportional to
/// the largest number in flight.
struct FlightQueue: ~Copyable {
  var ring = Column<Flight>(objects: 63)
  var first: UInt32 = 0
  var ringCount: UInt32 = 0
  var heap = MaxHeap<Flight>()
  /// The end of the next one; `.max` if there is none.
  private(set) var nextCompletion = UInt64.max

  init() {}

  @inline(__always) var count: Int { Int(ringCount) + heap.count }

  @inline(__always) var mask: UInt32 { UInt32(truncatingIfNeeded: ring.objects) }

  var bytes: Int { ring.bytes + heap.bytes }

  @inline(__always) mutating func add(_ flight: Flight) {
    if ringCount == 0 || flight.completion >= ring[(first &+ ringCount &- 1) & mask].completion {
      if ringCount > mask { growRing() }
      ring[(first &+ ringCount) & mask] = flight
      ringCount += 1
    } else {
      heap.insert(flight)
    }
    nextCompletion = min(nextCompletion, flight.completion)
  }

  @inline(__always) mutating func takeNext() -> Flight {
    let flight: Flight
    if heap.isEmpty || ringCount > 0 && ring[first & mask] > heap.largest {
      flight = ring[first & mask]
      first = (first &+ 1) & mask
      ringCount -= 1
    } else {
      flight = heap.largest
      heap.removeLargest()
    }
    var next = ringCount > 0 ? ring[first & mask].completion : .max
    if !heap.isEmpty { next = min(next, heap.largest.completion) }
    nextCompletion = next
    return flight
  }

  @inline(never) mutating func growRing() {
    let old = ring.objects + 1
    var larger = Column<Flight>(objects: old * 2 - 1)
    for place in 0..<ringCount { larger[place] = ring[(first &+ place) & mask] }
    swap(&ring, &larger)
    first = 0
  }
}

/// The servers of an origin with limited concurrency: one queue, first come, first served.
struct OriginServers {
  // The complement of the time at which each is free, so that the earliest is the largest.
  var free = MaxHeap<UInt64>()

  init(_ count: Int) {
    for _ in 0..<count { free.insert(.max) }
  }

  /// Serves a fetch that arrives at `now`, and returns its end. O(log servers).
  mutating func serve(at now: UInt64, for duration: UInt64) -> UInt64 {
    let (end, isBeyondTime) = max(now, ~free.largest).addingReportingOverflow(duration)
    let completion = isBeyondTime ? .max : end
    free.replaceLargest(by: ~completion)
    return completion
  }
}

/// Counts of each distinct wait: a hash table, which seldom has more entries than a fetch has
/// microseconds. If the waits grow without bound, as with an origin that cannot keep up, those
/// beyond a million distinct ones are rounded down to 12 bits, less than 0.05 %.
struct WaitCounts: ~Copyable {
  struct Entry: BitwiseCopyable {
    var wait: UInt64
    // 0 for an empty slot.
    var count: UInt64
  }

  var places = Column<Entry>(objects: 255)
  var distinct = 0
  // The last slot: waits for fetches of equal latency repeat.
  var last: UInt32 = 0
  private(set) var total: UInt64 = 0

  init() {}

  var bytes: Int { places.bytes }

  /// Counts a wait above 0. O(1).
  mutating func add(_ exact: UInt64) {
    let wait = distinct < Self.exactMax ? exact : Self.rounded(exact)
    let (sum, isBeyond) = total.addingReportingOverflow(exact)
    total = isBeyond ? .max : sum
    if places[last].wait == wait, places[last].count > 0 {
      places[last].count += 1
      return
    }
    if distinct * 2 > places.objects { grow() }
    last = place(of: wait)
    if places[last].count == 0 {
      places[last].wait = wait
      distinct += 1
    }
    places[last].count += 1
  }

  static var exactMax: Int { 1 << 20 }

  private static func rounded(_ wait: UInt64) -> UInt64 {
    let bits = max(0, 64 - wait.leadingZeroBitCount - 12)
    return (wait >> bits) << bits
  }

  private func place(of wait: UInt64) -> UInt32 {
    let mask = UInt32(truncatingIfNeeded: places.objects)
    var place = UInt32(truncatingIfNeeded: (wait &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while places[place].count > 0, places[place].wait != wait { place = (place &+ 1) & mask }
    return place
  }

  private mutating func grow() {
    var old = Column<Entry>(objects: (places.objects + 1) * 2 - 1)
    swap(&places, &old)
    for number in 0...UInt32(truncatingIfNeeded: old.objects) where old[number].count > 0 {
      places[place(of: old[number].wait)] = old[number]
    }
    last = 0
  }

  /// The waits at these shares of `requests` waits in ascending order, with indexes rounded up;
  /// uncounted waits are 0. Shares ascend. O(n log n) in the distinct waits.
  func percentiles(_ shares: [Double], of requests: UInt64) -> [UInt64] {
    var waits: [Entry] = []
    for number in 0...UInt32(truncatingIfNeeded: places.objects) where places[number].count > 0 {
      waits.append(places[number])
    }
    waits.sort { $0.wait < $1.wait }
    let counted = waits.reduce(UInt64(0)) { $0 + $1.count }
    var reached = requests > counted ? requests - counted : 0
    var next = 0
    var value: UInt64 = 0
    return shares.map { share in
      let rank = UInt64((share * Double(requests)).rounded(.up))
      while reached < rank, next < waits.count {
        value = waits[next].wait
        reached += waits[next].count
        next += 1
      }
      return value
    }
  }
}
