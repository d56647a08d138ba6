/// The flights of a simulation with time (fetches from the origin and reads from disk), the
/// requests that may wait for them, and the waits so far. Independent of tiers and policies.
struct FlightBoard: ~Copyable {
  struct Landed: BitwiseCopyable {
    var flight: Flight
    var nextUse: UInt32
    /// True if the object was neither set nor deleted since the flight began.
    var isCurrent: Bool
  }

  struct InFlight {
    var flights = 0
    var nextUse: UInt32
    /// The number and the end of the flight that requests wait for; nil for none.
    var joinable: (order: UInt64, completion: UInt64)?
    /// Fetches with lower numbers are from before a set or delete, and are not stored.
    var current: UInt64 = 0
  }

  let model: FetchModel
  var queue = FlightQueue()
  private(set) var objects: [ObjectID: InFlight] = [:]
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

  var bytes: Int { queue.bytes + objects.capacity * MemoryLayout<InFlight>.stride + waits.bytes }

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

  /// Lets a request wait for the flight of its object; returns false if there is none to wait for.
  @inline(__always) mutating func join(_ request: Request, now: UInt64) -> Bool {
    guard model.coalesces, let joinable = objects[request.id]?.joinable else { return false }
    time.delayedHits += 1
    waits.add(joinable.completion - now)
    objects[request.id]?.nextUse = request.nextUse
    return true
  }

  mutating func fetch(_ request: Request, bytes: UInt32, stores: Bool, now: UInt64) -> Bool {
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
      request, now: now)
    time.originFetches += 1
    time.maxInFlight = max(time.maxInFlight, UInt64(queue.count - reads))
    return hasEnded
  }

  mutating func read(_ request: Request, now: UInt64) -> Bool {
    reads += 1
    return begin(
      Flight(
        completion: Self.end(of: model.diskRead(request: request.index), from: now), order: begun,
        index: request.index, id: request.id, stores: false, isRead: true),
      request, now: now)
  }

  private static func end(of duration: UInt64, from now: UInt64) -> UInt64 {
    let (end, isBeyondTime) = now.addingReportingOverflow(duration)
    return isBeyondTime ? .max : end
  }

  private mutating func begin(_ flight: Flight, _ request: Request, now: UInt64) -> Bool {
    var object = objects[request.id] ?? InFlight(nextUse: request.nextUse)
    object.flights += 1
    if flight.stores || flight.isRead {
      object.joinable = (flight.order, flight.completion)
      object.nextUse = request.nextUse
    }
    objects[request.id] = object
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
    guard var object = objects[flight.id] else {
      preconditionFailure("a flight of \(flight.id) that did not begin")
    }
    object.flights -= 1
    if object.joinable?.order == flight.order { object.joinable = nil }
    objects[flight.id] = object.flights == 0 ? nil : object
    return Landed(
      flight: flight, nextUse: object.nextUse, isCurrent: flight.order >= object.current)
  }

  @inline(__always) mutating func detach(_ id: ObjectID) {
    objects[id]?.current = begun
    objects[id]?.joinable = nil
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

/// Fetches in flight by their ends: in a ring if they end in order, as most do, or in a heap.
struct FlightQueue: ~Copyable {
  var ring = Column<Flight>(objects: 63)
  var first: UInt32 = 0
  var ringCount: UInt32 = 0
  var heap = MaxHeap<Flight>()
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

  init(_ count: Int) { for _ in 0..<count { free.insert(.max) } }

  mutating func serve(at now: UInt64, for duration: UInt64) -> UInt64 {
    let (end, isBeyondTime) = max(now, ~free.largest).addingReportingOverflow(duration)
    let completion = isBeyondTime ? .max : end
    free.replaceLargest(by: ~completion)
    return completion
  }
}

/// Counts of each distinct wait. Beyond a million distinct ones, as with an origin that cannot keep
/// up, they are rounded down to 12 bits, less than 0.05 %.
struct WaitCounts {
  private var counts: [UInt64: UInt64] = [:]
  private(set) var total: UInt64 = 0

  static var exactMax: Int { 1 << 20 }
  var bytes: Int { counts.capacity * 16 }

  mutating func add(_ wait: UInt64) {
    let (sum, isBeyond) = total.addingReportingOverflow(wait)
    total = isBeyond ? .max : sum
    counts[counts.count < Self.exactMax ? wait : Self.rounded(wait), default: 0] += 1
  }

  private static func rounded(_ wait: UInt64) -> UInt64 {
    let bits = max(0, 64 - wait.leadingZeroBitCount - 12)
    return (wait >> bits) << bits
  }

  private static func group(of wait: UInt64) -> Int {
    let dropped = max(0, 64 - wait.leadingZeroBitCount - 6)
    return dropped << 6 + Int(wait >> dropped)
  }

  /// The waits at these shares of `requests` waits in ascending order, with indexes rounded up;
  /// uncounted waits are 0. O(n) in the distinct waits, and a sort of those with the same first six
  /// bits as a result.
  func percentiles(_ shares: [Double], of requests: UInt64) -> [UInt64] {
    var groups = [UInt64](repeating: 0, count: 64 << 6)
    for (wait, count) in counts { groups[Self.group(of: wait)] += count }
    let counted = groups.reduce(0, +)
    return shares.map { share in
      var rank = UInt64((share * Double(requests)).rounded(.up))
      if requests > counted { rank -= min(rank, requests - counted) }
      var group = 0
      while groups[group] < rank {
        rank -= groups[group]
        group += 1
      }
      guard rank > 0 else { return 0 }
      let waits = counts.lazy.filter { Self.group(of: $0.key) == group }
      for wait in waits.sorted(by: { $0.key < $1.key }) {
        if wait.value >= rank { return wait.key }
        rank -= wait.value
      }
      return 0
    }
  }
}
