/// Caches of one policy at several capacities, simulated together in one pass over a trace of gets
/// of unit size. The counts of each equal those of a separate simulation.
///
/// The line of a policy that can do better than one simulation for each capacity names its pass:
/// see `PolicyRegistry.standard(_:)`.
public final class CapacitySweep {
  /// The largest number of capacities in one sweep: more of them are several sweeps.
  public static var capacitiesMax: Int { 8 }

  private let replayBody: (_ start: Int, _ end: Int) -> Void
  private let talliesBody: () -> [CapacityTally]
  private let bytesBody: () -> Int
  private let isDisk: Bool
  private let requests: Int
  private var before: [CapacityTally]
  private var start = 0
  /// Position of the next request.
  public private(set) var position = 0

  /// Takes ownership of a pass; its hits count as memory's, or as disk's if `isDisk`.
  init<Pass: CapacityPass & ~Copyable>(
    _ pass: consuming Pass, over columns: RequestColumns, isDisk: Bool
  ) {
    before = pass.tallies
    requests = columns.count
    self.isDisk = isDisk
    let held = Held(pass)
    replayBody = { start, end in held.with { $0.replay(columns, from: start, to: end) } }
    talliesBody = { held.with { $0.tallies } }
    bytesBody = { held.with { $0.bytes } }
  }

  /// Replays requests up to `end`, exclusive, or the last one.
  public func run(upTo end: Int) {
    let end = min(end, requests)
    guard position < end else { return }
    replayBody(position, end)
    position = end
  }

  /// Resets all counts and keeps the caches' contents: the end of a warm-up.
  public func resetCounts() {
    before = talliesBody()
    start = position
  }

  /// Counts since the start or the last `resetCounts`, for each capacity in the given order.
  public var counts: [Counts] {
    zip(before, talliesBody()).map { before, now in
      let misses = now.misses - before.misses
      var tier = TierCounts()
      tier.admissions = misses
      tier.bytesWritten = misses
      tier.evictions = misses - (now.residents - before.residents)
      var totals = SimulationTotals()
      totals.requests = UInt64(position - start)
      totals.bytesRequested = totals.requests
      totals.hits = totals.requests - misses
      totals.bytesHit = totals.hits
      return totals.counts(of: tier, isDisk: isDisk, hasCosts: false)
    }
  }

  /// Memory held in addition to the trace's columns, in bytes.
  public var stateBytes: Int { bytesBody() }
}

extension CapacitySweep {
  /// The pass of LRU.
  static let recency: SimulatedPolicy.Sweep = { setup, columns in
    guard let pass = RecencyPass(capacities: setup.capacities, over: columns) else { return nil }
    return CapacitySweep(pass, over: columns, isDisk: setup.isDisk)
  }

  /// The pass of FIFO, for several capacities only: at one it is no faster than the policy.
  static let arrivals: SimulatedPolicy.Sweep = { setup, columns in
    guard setup.capacities.count > 1,
      let pass = ArrivalPass(capacities: setup.capacities, over: columns)
    else { return nil }
    return CapacitySweep(pass, over: columns, isDisk: setup.isDisk)
  }
}

/// Capacities and tier of a sweep of one policy.
@usableFromInline struct CapacitySweepSetup: Sendable {
  /// From 1 to `PolicySetup.capacityMax` each, at most `CapacitySweep.capacitiesMax`, in any order.
  let capacities: [UInt64]
  let isDisk: Bool
}

extension SimulatedPolicy {
  /// A pass for several tiers with the policy over the same trace, where the policy has one and
  /// nothing but the capacities differs; otherwise nil.
  func makeSweep(_ tiers: [SingleTier]) -> CapacitySweep? {
    guard let sweep, let first = tiers.first, 1...CapacitySweep.capacitiesMax ~= tiers.count else {
      return nil
    }
    let areEqual = tiers.allSatisfy { tier in
      tier.setup.policy == first.setup.policy && tier.isDisk == first.isDisk
        && tier.unit == .objects && tier.time == nil
        && !tier.needsFullShape && 1...PolicySetup.capacityMax ~= tier.setup.capacity
    }
    guard areEqual else { return nil }
    let setup = CapacitySweepSetup(
      capacities: tiers.map(\.setup.capacity), isDisk: first.isDisk)
    return sweep(setup, first.columns)
  }
}

extension PolicyRegistry {
  /// Returns true if simulations that differ from this one only in their capacity may be combined:
  /// see `makeSweep`, which may still have no pass for them.
  package static func sweepsCapacities(_ setup: SimulationSetup) -> Bool {
    guard let tier = setup.onlyTier else { return false }
    return (try? policy(named: tier.policy).simulation())?.sweep != nil
  }

  /// Creates one pass for several simulations, if they differ only in the capacity of their single
  /// tier and the policy supports it; otherwise nil, and each must be created separately. The
  /// counts are equal either way.
  public static func makeSweep(
    _ setups: [SimulationSetup], over columns: RequestColumns
  ) -> CapacitySweep? {
    var tiers: [SingleTier] = []
    for setup in setups {
      guard setup.segments == nil, let tier = SingleTier(setup, over: columns) else { return nil }
      tiers.append(tier)
    }
    guard let first = tiers.first else { return nil }
    return try? policy(named: first.setup.policy).simulation().makeSweep(tiers)
  }
}

extension SimulationSetup {
  /// The tier of an arrangement with a single tier; nil for a hybrid.
  var onlyTier: TierSetup? {
    switch arrangement {
    case .memory(let tier), .disk(let tier): tier
    case .hybrid: nil
    }
  }
}

/// One pass over a trace of gets of unit size that tracks the caches of one policy at several
/// capacities, in a form in which they share work.
///
/// Its tally for a capacity must equal that of a separate simulation of the policy at that
/// capacity: `CapacitySweepTests` compares the two.
protocol CapacityPass: ~Copyable {
  /// Replays requests from `start` up to `end`, exclusive.
  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int)

  /// The misses so far, each of which was stored, and the number of residents, for each capacity in
  /// the given order.
  var tallies: [CapacityTally] { get }

  /// Memory held, in bytes.
  var bytes: Int { get }
}

/// The tally of one capacity of a `CapacityPass`.
struct CapacityTally {
  /// Misses since the start, each of which was stored.
  var misses: UInt64 = 0
  /// Resident objects.
  var residents: UInt64 = 0
}

/// FIFO caches of up to eight capacities in one pass.
///
/// A FIFO cache stores an object in the slot of the object stored `capacity` misses earlier, so an
/// object is resident while fewer misses have followed its own: no queue is needed, and evictions
/// cost nothing. The numbers of an object's last miss in all caches are contiguous, so a request
/// takes a few vector instructions and no branch. Memory: 32 bytes an object.
struct ArrivalPass: CapacityPass, ~Copyable {
  /// A number for each capacity.
  typealias Lanes = SIMD8<Int32>

  private var arrivals: Column<Lanes>
  // The number of the next miss. It starts above the capacity, so that 0 is long ago.
  private var next: Lanes
  private let limits: Lanes
  private let count: Int

  private static var lookahead: Int { 16 }
  /// The largest memory of a pass.
  private static var bytesMax: Int { 1 << 30 }

  /// Creates empty caches; nil with too many objects or requests. A capacity beyond the number of
  /// objects is equivalent to that number.
  init?(capacities: [UInt64], over columns: RequestColumns) {
    let objects = columns.objects
    let bytes = objects.multipliedReportingOverflow(by: MemoryLayout<Lanes>.stride)
    guard capacities.count <= Lanes.scalarCount, !bytes.overflow,
      bytes.partialValue <= Self.bytesMax,
      objects < IDRing.entriesMax, columns.count < Int(Int32.max) - objects - 1
    else { return nil }
    var limits = Lanes(repeating: 1)
    for (lane, capacity) in capacities.enumerated() {
      limits[lane] = Int32(min(capacity, UInt64(max(objects, 1))))
    }
    self.limits = limits
    next = limits &+ 1
    count = capacities.count
    arrivals = Column(objects: objects)
  }

  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int) {
    let (ids, last, limits) = (columns.ids, columns.count - 1, limits)
    var next = next
    for index in start..<end {
      arrivals.prefetch(ids[min(index + Self.lookahead, last)])
      let id = ids[index]
      let arrived = arrivals[id]
      let isMissing = next &- arrived .> limits
      arrivals[id] = arrived.replacing(with: next, where: isMissing)
      next = next.replacing(with: next &+ 1, where: isMissing)
    }
    self.next = next
  }

  var tallies: [CapacityTally] {
    (0..<count).map { lane in
      let misses = UInt64(next[lane] - limits[lane] - 1)
      return CapacityTally(misses: misses, residents: min(misses, UInt64(limits[lane])))
    }
  }

  var bytes: Int { arrivals.bytes }
}

/// LRU caches of up to eight capacities in one pass.
///
/// No list is kept: the trace is the list. An object is resident while its last request is not
/// older than that of the cache's least recently requested object, so a cache is represented by one
/// position of the trace. On an eviction, that position moves to the next request that was its
/// object's last; a bit for each request marks those that were not. Memory: 4 bytes an object and a
/// bit a request.
struct RecencyPass: CapacityPass, ~Copyable {
  // The last request of each object, counted from 1.
  private var latest: Column<UInt32>
  private var outdated: Column<UInt64>
  // The capacities in ascending order.
  private let lanes: Column<Lane>
  /// The rank of each given capacity in ascending order.
  private let places: [Int]

  /// One cache. Not private: the compiler of Swift 6.3.1 fails on that in debug builds.
  struct Lane: BitwiseCopyable {
    var capacity: UInt64
    var misses: UInt64 = 0
    // The request at which to look for the next victim: objects requested from there on are
    // resident.
    var oldest: UInt32 = 1
  }

  private static var lookahead: Int { 48 }

  /// Creates empty caches; nil with too many requests. A capacity beyond the number of objects is
  /// equivalent to that number.
  init?(capacities: [UInt64], over columns: RequestColumns) {
    guard columns.count < Int(UInt32.max) else { return nil }
    let order = capacities.indices.sorted { (capacities[$0], $0) < (capacities[$1], $1) }
    var places = Array(repeating: 0, count: capacities.count)
    lanes = Column(objects: capacities.count)
    for (place, index) in order.enumerated() {
      places[index] = place
      lanes[UInt32(place)] = Lane(capacity: capacities[index])
    }
    self.places = places
    latest = Column(objects: columns.objects)
    outdated = Column(objects: columns.count / 64 + 1)
  }

  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int) {
    let (ids, last, count) = (columns.ids, columns.count - 1, places.count)
    let lanes = lanes.row(from: 0, count: count)
    for index in start..<end {
      latest.prefetch(ids[min(index + Self.lookahead, last)])
      outdated.prefetch(latest[ids[min(index + Self.lookahead / 3, last)]] / 64)
      let id = ids[index]
      let before = latest[id]
      latest[id] = UInt32(truncatingIfNeeded: index + 1)
      outdated[before / 64] |= 1 &<< UInt64(before % 64)
      // Objects that a cache misses are missing in smaller ones as well.
      var lane = 0
      while lane < count, before < lanes[lane].oldest {
        if lanes[lane].misses >= lanes[lane].capacity {
          lanes[lane].oldest = victim(from: lanes[lane].oldest) + 1
        }
        lanes[lane].misses += 1
        lane += 1
      }
    }
  }

  /// The first request from `position` on that was the last of its object.
  @inline(__always) private func victim(from position: UInt32) -> UInt32 {
    var word = position / 64
    var current = ~outdated[word] & (UInt64.max &<< UInt64(position % 64))
    while current == 0 {
      word += 1
      current = ~outdated[word]
    }
    return word * 64 + UInt32(truncatingIfNeeded: current.trailingZeroBitCount)
  }

  var tallies: [CapacityTally] {
    places.map { place in
      let lane = lanes[UInt32(place)]
      return CapacityTally(misses: lane.misses, residents: min(lane.misses, lane.capacity))
    }
  }

  var bytes: Int { latest.bytes + outdated.bytes }
}
