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
/// is fetched by the cache's own single flight from an origin with the latency of the cell. Reads
/// of the disk take their real time.
///
/// One thread makes the requests. It answers a hit in a cache of memory alone; everything else
/// continues in a task. The speed of the load applies to everything: at `10x` fetches take a tenth
/// of their time, too, and waits are reported in the trace's time.
final class TimedRun: Sendable {
  private let context: RunContext
  private let cache: any LoadingCache
  private let origin: TimedOrigin
  private let speed: Double
  private let state = Locked(State())
  private let underWay = DispatchGroup()

  private static let reportInterval = 1 << 10

  private struct State {
    var tally = RunTally()
    /// In microseconds of the trace.
    var waits: [UInt64] = []
    var failure: ExecutionError?
  }

  /// - Throws: `making`, or `load` if the workload lacks a setting that a run with time needs.
  init(_ context: RunContext, _ model: FetchModel) throws(ExecutionError) {
    guard case .trace(let speed) = context.order.spec.load else {
      throw .load("with time, the load must be that of the trace: 'load: {trace: 1x}'")
    }
    guard !context.reader.hasOperations else {
      throw .load("with time, only traces of gets can be executed, and this one has writes")
    }
    cache = try context.makeCache { try $0.loadingCache() }
    origin = TimedOrigin(model, speed: speed)
    self.context = context
    self.speed = speed
  }

  func execute(repetition: Int, simulated: Counts?) throws(ExecutionError) -> Execution? {
    let (order, reader) = (context.order, context.reader)
    guard let warmUp = order.warmUp.requests(of: UInt64(reader.count)).map({ Int($0) }) else {
      throw .load("with time, 'warm-up' must be a number or a share of the requests, or none")
    }
    let begin = context.time.nowNanoseconds
    guard let pace = try LoadPace(order.spec.load, reader, first: 0, start: begin) else {
      return nil
    }
    var countedFrom = begin
    for index in 0..<reader.count {
      let due = pace.due(index)
      _ = context.wait(until: due)
      if order.cancellation.isRequested { return nil }
      if index == warmUp {
        countedFrom = due
        cache.resetCounts()
      }
      context.clock.advance(to: reader.time(index))
      get(index, due: due, isCounted: index >= warmUp)
      if (index + 1) % Self.reportInterval == 0 { order.progress(Self.reportInterval) }
    }
    order.progress(reader.count % Self.reportInterval)
    // Fetches in progress at the end are awaited, because their waits count.
    underWay.wait()
    if warmUp == reader.count {
      countedFrom = context.time.nowNanoseconds
      cache.resetCounts()
    }
    var execution = Execution(threads: 1, repetition: repetition)
    execution.warmUpRequests = UInt64(warmUp)
    execution.seconds = Double(context.time.nowNanoseconds - countedFrom) / 1e9
    try takeResults(&execution, simulated)
    do { try cache.close() } catch { throw context.failed("close", error) }
    return execution
  }

  private func get(_ index: Int, due: UInt64, isCounted: Bool) {
    let key = TraceReader.key(context.reader.id(index))
    if let value = cache.held(key) { return note(index, value, .memoryHit, due: due, isCounted) }
    underWay.enter()
    // Before other work of the program: the wait of a request is the measurement.
    Task.detached(priority: .high) { [self] in
      do {
        let (value, tier) = try await cache.value(for: key, context.reader.options(index)) {
          [self] in try await load(key, index, isCounted: isCounted)
        }
        let kind: OperationLatency.Kind =
          switch tier {
          case .memory: .memoryHit
          case .disk: .diskHit
          case nil: .miss
          }
        note(index, value, kind, due: due, isCounted)
      } catch {
        let failure = context.failed("value for a key", request: index, error)
        state.withLock { $0.failure = $0.failure ?? failure }
      }
      underWay.leave()
    }
  }

  private func load(_ key: UInt64, _ index: Int, isCounted: Bool) async throws -> Data {
    let bytes = context.reader.bytes(index)
    let end = origin.begin(
      request: index, bytes: UInt32(clamping: bytes), now: context.time.nowNanoseconds,
      isCounted: isCounted)
    defer { origin.end() }
    try await Task.sleep(nanoseconds: end - min(end, context.time.nowNanoseconds))
    return try context.pattern.make(key: key, version: 1, bytes: bytes)
  }

  private func note(
    _ index: Int, _ value: Data, _ kind: OperationLatency.Kind, due: UInt64, _ isCounted: Bool
  ) {
    let now = context.time.nowNanoseconds
    let wait = UInt64(Double(now - min(now, due)) * speed / 1000)
    let verification = context.order.spec.verification
    let isWrong =
      verification != .none
      && context.pattern.version(
        of: value, key: TraceReader.key(context.reader.id(index)), from: 1, to: 1,
        checksContent: verification == .all) == nil
    state.withLock { state in
      if verification != .none { state.tally.valuesChecked += 1 }
      if isWrong {
        state.tally.valuesWrong += 1
        state.tally.firstWrong = state.tally.firstWrong ?? "request \(index + 1) of the trace"
      }
      guard isCounted else { return }
      state.tally.get(kind, weight: UInt64(context.reader.weight(index)))
      state.tally.latencies.record(kind, wait.multipliedReportingOverflow(by: 1000).0)
      state.waits.append(wait)
    }
  }

  private func takeResults(
    _ execution: inout Execution, _ simulated: Counts?
  ) throws(ExecutionError) {
    let state = state.withLock { $0 }
    if let failure = state.failure { throw failure }
    try context.checkValues(state.tally)
    state.tally.put(into: &execution, cache.tierCounts(), hasCosts: false)
    let origin = origin.counts
    execution.counts.time = TimeCounts(
      waits: state.waits, misses: execution.counts.misses, fetches: origin.fetches,
      inFlightMax: origin.inFlightMax)
    if let simulated,
      let agreement = TimedAgreement(measured: execution.counts, simulated: simulated)
    {
      execution.notes.append("\(context.planned.cell.cacheName): \(agreement.text)")
    }
  }
}

extension TimeCounts {
  /// The counts of a simulation with time, from waits in microseconds of the trace. O(n log n).
  init(waits: [UInt64], misses: UInt64, fetches: UInt64, inFlightMax: UInt64) {
    self.init(clock: .trace)
    let sorted = waits.sorted()
    func percentile(_ share: Double) -> UInt64 {
      let index = Int((share * Double(sorted.count)).rounded(.up)) - 1
      return sorted.isEmpty ? 0 : sorted[min(max(index, 0), sorted.count - 1)]
    }
    originFetches = fetches
    delayedHits = misses - min(fetches, misses)
    totalLatency = sorted.reduce(0, &+)
    maxInFlight = inFlightMax
    (p50Latency, p90Latency) = (percentile(0.5), percentile(0.9))
    p99Latency = percentile(0.99)
  }
}

/// An origin with latency: each fetch ends at an instant of the run's clock, which is known when it
/// begins. With a limited number of servers, fetches wait for the first free one, in order of
/// arrival.
final class TimedOrigin: Sendable {
  private struct State {
    /// The instant when each server becomes free, in nanoseconds; empty for unlimited servers.
    var free: [UInt64]
    var fetches: UInt64 = 0
    var inFlight: UInt64 = 0
    var inFlightMax: UInt64 = 0
  }

  private let model: FetchModel
  private let scale: Double
  private let state: Locked<State>

  init(_ model: FetchModel, speed: Double) {
    self.model = model
    scale = 1000 / speed
    state = Locked(State(free: [UInt64](repeating: 0, count: model.servers ?? 0)))
  }

  /// Begins the fetch for a request of the trace and returns the instant when it ends. O(servers).
  func begin(request index: Int, bytes: UInt32, now: UInt64, isCounted: Bool) -> UInt64 {
    let service = Double(model.service(request: UInt64(index), bytes: bytes)) * scale
    return state.withLock { state in
      var start = now
      let server = state.free.indices.min { state.free[$0] < state.free[$1] }
      if let server { start = max(start, state.free[server]) }
      let end = start &+ UInt64(min(service, 1e18))
      if let server { state.free[server] = end }
      state.inFlight += 1
      if isCounted {
        state.fetches += 1
        state.inFlightMax = max(state.inFlightMax, state.inFlight)
      }
      return end
    }
  }

  func end() { state.withLock { $0.inFlight -= 1 } }

  var counts: (fetches: UInt64, inFlightMax: UInt64) {
    state.withLock { ($0.fetches, $0.inFlightMax) }
  }
}

/// A comparison of a run with time with the simulation of its cell. The run is a measurement, so
/// the two are close and not equal.
package struct TimedAgreement: Sendable {
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

  /// The differences as shares of the simulated values.
  private var differences: (wait: Double, fetches: Double) {
    func difference(_ measured: Double, _ simulated: Double) -> Double {
      simulated > 0 ? measured / simulated - 1 : measured > 0 ? .infinity : 0
    }
    return (
      difference(waits.measured, waits.simulated),
      difference(Double(fetches.measured), Double(fetches.simulated))
    )
  }

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
