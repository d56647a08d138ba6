import Dispatch
import Larder
import LarderEngine
import LarderExperiments
import LarderSupport
import LarderTraces
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Executes a cell with time: requests come at the trace's times, each waits on its own, and a miss
/// is fetched by the cache's own single flight (`MemoryCache.value(for:load:)`, or
/// `HybridCache.result(for:load:)` with a disk) from an origin with the latency of the cell. Reads
/// of the disk take their real time.
///
/// One thread makes the requests. It answers a hit in a cache of memory alone; everything else
/// continues in a task. The speed of the load applies to everything: at `10x` fetches take a tenth
/// of their time, too, and waits are reported in the trace's time.
final class TimedRun: Sendable {
  private let order: DrivingOrder
  private let planned: PlannedCell
  private let reader: TraceReader
  private let context: RunContext
  private let cache: any TimedCache
  /// The folder of the cache's files; nil if it has none.
  let folder: RunFolder?
  private let origin: TimedOrigin
  private let speed: Double
  private let tally = Locked(TimedTally())
  private let underWay = DispatchGroup()

  private static let reportInterval = 1 << 10

  /// A run that has not begun.
  ///
  /// - Throws: `making`, or `load` if the workload lacks a setting that a run with time needs.
  init(
    _ executor: CellExecutor, _ planned: PlannedCell, _ model: FetchModel, _ trace: PreparedTrace
  ) throws(ExecutionError) {
    let (order, seed) = (executor.order, planned.cell.seed)
    guard case .trace(let speed) = order.spec.load else {
      throw .load("with time, the load must be that of the trace: 'load: {trace: 1x}'")
    }
    let memory = HarnessMemory()
    reader = TraceReader(
      trace.requests, unit: planned.setup.unit, valueBytes: order.spec.valueBytes)
    guard !reader.hasOperations else {
      throw .load("with time, only traces of gets can be executed, and this one has writes")
    }
    context = RunContext(
      memory: memory, trace: trace, reader: reader,
      versions: ObjectVersions(objects: 0, isShared: true, in: memory),
      pattern: ValuePattern(seed: seed, allowsEmpty: reader.hasEmptyValues(), in: memory),
      clock: TraceClock(), time: executor.time, origin: nil, waitsForOrigin: true,
      verification: order.spec.verification, cancellation: order.cancellation,
      progress: order.progress)
    let isOnDisk = planned.cell.kind != .memory
    let folder = isOnDisk ? try RunFolder(under: order.folder) : nil
    self.folder = folder
    do {
      cache = try Self.cache(
        CacheSetup(
          simulation: planned.setup, execution: order.spec, threads: 1,
          folder: folder?.path ?? "", clock: context.clock))
    } catch {
      folder?.remove()
      throw .making(cache: planned.contender, message: "\(error)")
    }
    origin = TimedOrigin(model, speed: speed)
    self.order = order
    self.planned = planned
    self.speed = speed
  }

  private static func cache(_ setup: CacheSetup) throws -> any TimedCache {
    switch setup.simulation.arrangement {
    case .memory(let tier): try TimedMemory(tier, setup)
    case .disk(let tier):
      try TimedHybrid(memory: nil, disk: tier, rules: HybridRules(), setup)
    case .hybrid(let memory, let disk, let rules):
      try TimedHybrid(memory: memory, disk: disk, rules: rules, setup)
    }
  }

  /// Executes the whole run; nil if it was stopped.
  func execute(repetition: Int, simulated: Counts?) throws(ExecutionError) -> Execution? {
    guard let warmUp = order.warmUp.requests(of: UInt64(reader.count)).map({ Int($0) }) else {
      throw .load("with time, 'warm-up' must be a number or a share of the requests, or none")
    }
    let begin = context.time.nowNanoseconds
    guard let pace = try LoadPace(order.spec.load, reader, first: 0, start: begin) else {
      throw .load("with time, the load must be that of the trace: 'load: {trace: 1x}'")
    }
    var countedFrom = begin
    for index in 0..<reader.count {
      if order.cancellation.isRequested { return nil }
      let due = pace.due(index)
      wait(until: due)
      if order.cancellation.isRequested { return nil }
      if index == warmUp {
        countedFrom = due
        cache.resetCounts()
      }
      context.clock.advance(to: reader.time(index))
      get(index, due: due, isCounted: index >= warmUp)
      if index % Self.reportInterval == Self.reportInterval - 1 {
        order.progress(Self.reportInterval)
      }
    }
    order.progress(reader.count % Self.reportInterval)
    // Fetches in progress at the end are awaited, because their waits count.
    underWay.wait()
    return try results(
      repetition, warmUp: warmUp, seconds: Double(context.time.nowNanoseconds - countedFrom) / 1e9,
      simulated)
  }

  private func wait(until due: UInt64) {
    while context.time.nowNanoseconds < due, !order.cancellation.isRequested {
      context.time.wait(until: min(due, context.time.nowNanoseconds + 100_000_000))
    }
  }

  private func get(_ index: Int, due: UInt64, isCounted: Bool) {
    let key = TraceReader.key(reader.id(index))
    if let value = cache.held(key) {
      note(index, TimedAnswer(value: value, tier: .memory), due: due, isCounted)
      return
    }
    underWay.enter()
    // Before other work of the program: the wait of a request is the measurement.
    Task.detached(priority: .high) { [self] in
      await fetch(index, key, due: due, isCounted: isCounted)
      underWay.leave()
    }
  }

  /// Handles a request that was not answered at once.
  private func fetch(_ index: Int, _ key: UInt64, due: UInt64, isCounted: Bool) async {
    do {
      let answer = try await cache.value(for: key, reader.options(index)) { [self] in
        try await load(key, index, isCounted: isCounted)
      }
      note(index, answer, due: due, isCounted)
    } catch {
      tally.withLock { if $0.failure == nil { $0.failure = ("\(error)", index + 1) } }
    }
  }

  /// Returns the value from the origin after its latency.
  private func load(_ key: UInt64, _ index: Int, isCounted: Bool) async throws -> Data {
    let bytes = reader.bytes(index)
    let end = origin.begin(
      request: index, bytes: UInt32(clamping: bytes), now: context.time.nowNanoseconds,
      isCounted: isCounted)
    defer { origin.end() }
    try await Task.sleep(nanoseconds: end - min(end, context.time.nowNanoseconds))
    return try context.pattern.make(key: key, version: 1, bytes: bytes)
  }

  private func note(_ index: Int, _ answer: TimedAnswer, due: UInt64, _ isCounted: Bool) {
    let now = context.time.nowNanoseconds
    let wait = UInt64(Double(now - min(now, due)) * speed / 1000)
    let isWrong =
      order.spec.verification != .none
      && context.pattern.version(
        of: answer.value, key: TraceReader.key(reader.id(index)), from: 1, to: 1,
        checksContent: order.spec.verification == .all) == nil
    tally.withLock { tally in
      if order.spec.verification != .none { tally.valuesChecked += 1 }
      if isWrong {
        tally.valuesWrong += 1
        tally.firstWrong = tally.firstWrong ?? "request \(index + 1) of the trace"
      }
      guard isCounted else { return }
      tally.note(answer.tier, weight: UInt64(reader.weight(index)), wait: wait)
    }
  }

  private func results(
    _ repetition: Int, warmUp: Int, seconds: Double, _ simulated: Counts?
  ) throws(ExecutionError) -> Execution {
    let tally = tally.withLock { $0 }
    if let failure = tally.failure {
      throw .failed(
        cache: planned.contender, call: "value for a key", request: failure.request,
        message: failure.message)
    }
    if tally.valuesWrong > 0 {
      throw .wrongValues(
        cache: planned.contender, wrong: tally.valuesWrong, checked: tally.valuesChecked,
        first: tally.firstWrong ?? "a request of the trace")
    }
    var execution = Execution(threads: 1, repetition: repetition)
    let origin = origin.counts
    execution.counts.requests = tally.requests
    execution.counts.memoryHits = tally.memoryHits
    execution.counts.diskHits = tally.diskHits
    execution.counts.bytesRequested = tally.bytesRequested
    execution.counts.memoryBytesHit = tally.memoryBytesHit
    execution.counts.diskBytesHit = tally.diskBytesHit
    let tiers = cache.tierCounts()
    (execution.counts.memory, execution.counts.disk) = (tiers.memory, tiers.disk)
    (execution.counts.promotions, execution.counts.demotions) = (tiers.promotions, tiers.demotions)
    execution.counts.time = tally.time(
      fetches: origin.fetches, inFlightMax: origin.inFlightMax)
    execution.warmUpRequests = UInt64(warmUp)
    execution.requests = tally.requests
    execution.seconds = seconds
    execution.valuesChecked = tally.valuesChecked
    execution.latencies = [OperationLatency.Kind.memoryHit, .diskHit, .miss].compactMap { kind in
      tally.latencies.latency(kind).map {
        OperationLatency(kind: kind, count: tally.latencies.measured(kind), latency: $0)
      }
    }
    execution.getLatency = tally.latencies.getLatency
    if let simulated,
      let agreement = TimedAgreement(measured: execution.counts, simulated: simulated)
    {
      execution.notes.append("\(planned.cell.cacheName): \(agreement.text)")
    }
    return execution
  }
}

/// The results of a run with time. Waits are in microseconds of the trace.
struct TimedTally: Sendable {
  var requests: UInt64 = 0
  var memoryHits: UInt64 = 0
  var diskHits: UInt64 = 0
  var bytesRequested: UInt64 = 0
  var memoryBytesHit: UInt64 = 0
  var diskBytesHit: UInt64 = 0
  var valuesChecked: UInt64 = 0
  var valuesWrong: UInt64 = 0
  var firstWrong: String?
  var failure: (message: String, request: Int)?
  var waits: [UInt64] = []
  var latencies = LatencyRecorder()

  mutating func note(_ tier: HybridTier?, weight: UInt64, wait: UInt64) {
    requests += 1
    bytesRequested += weight
    let kind: OperationLatency.Kind
    switch tier {
    case .memory:
      memoryHits += 1
      memoryBytesHit += weight
      kind = .memoryHit
    case .disk:
      diskHits += 1
      diskBytesHit += weight
      kind = .diskHit
    case nil: kind = .miss
    }
    waits.append(wait)
    latencies.record(kind, wait.multipliedReportingOverflow(by: 1000).0)
  }

  /// The counts of a simulation with time. O(n log n).
  func time(fetches: UInt64, inFlightMax: UInt64) -> TimeCounts {
    var time = TimeCounts(clock: .trace)
    let sorted = waits.sorted()
    func percentile(_ share: Double) -> UInt64 {
      let place = Int((share * Double(sorted.count)).rounded(.up)) - 1
      return sorted.isEmpty ? 0 : sorted[min(max(place, 0), sorted.count - 1)]
    }
    time.originFetches = fetches
    let others = requests - memoryHits - diskHits
    time.delayedHits = others - min(fetches, others)
    time.totalLatency = sorted.reduce(0, &+)
    time.maxInFlight = inFlightMax
    (time.p50Latency, time.p90Latency) = (percentile(0.5), percentile(0.9))
    time.p99Latency = percentile(0.99)
    return time
  }
}

/// A comparison of a run with time with the simulation of its cell. The run is a measurement, so
/// the two are close and not equal.
package struct TimedAgreement: Sendable {
  /// Mean waits over all requests in microseconds of the trace: measured and simulated.
  package let waits: (measured: Double, simulated: Double)
  package let fetches: (measured: UInt64, simulated: UInt64)

  package static let limits = (wait: 0.05, fetches: 0.01)

  /// The comparison; nil if there is nothing to compare.
  package init?(measured: Counts, simulated: Counts) {
    guard let found = measured.time, let expected = simulated.time, measured.requests > 0,
      measured.requests == simulated.requests
    else { return nil }
    let requests = Double(measured.requests)
    waits = (Double(found.totalLatency) / requests, Double(expected.totalLatency) / requests)
    fetches = (found.originFetches, expected.originFetches)
  }

  package var differences: (wait: Double, fetches: Double) {
    (
      Self.difference(waits.measured, waits.simulated),
      Self.difference(Double(fetches.measured), Double(fetches.simulated))
    )
  }

  private static func difference(_ measured: Double, _ simulated: Double) -> Double {
    guard simulated > 0 else { return measured > 0 ? .infinity : 0 }
    return measured / simulated - 1
  }

  /// True if both are within their limits.
  package var isClose: Bool {
    let differences = differences
    // A quotient of whole numbers may miss a limit by its last bits.
    return abs(differences.wait) <= Self.limits.wait + 1e-9
      && abs(differences.fetches) <= Self.limits.fetches + 1e-9
  }

  package var text: String {
    func percent(_ share: Double) -> String {
      guard share.isFinite else { return "from nothing" }
      let text = NumberText.fixed(abs(share) * 100, decimals: 1) ?? "?"
      return (share < 0 ? "\u{2212}" : "+") + text + " %"
    }
    func milliseconds(_ microseconds: Double) -> String {
      NumberText.fixed(microseconds / 1000, decimals: 2) ?? "?"
    }
    let limits = Self.limits
    let (wait, origin) = (Int(limits.wait * 100), Int(limits.fetches * 100))
    return "mean wait \(milliseconds(waits.measured)) ms executed, "
      + "\(milliseconds(waits.simulated)) ms simulated (\(percent(differences.wait))); "
      + "\(self.fetches.measured) fetches executed, \(self.fetches.simulated) simulated "
      + "(\(percent(differences.fetches))): \(isClose ? "within" : "not within") \(wait) % and "
      + "\(origin) %."
  }
}
