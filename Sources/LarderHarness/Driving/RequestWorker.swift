import LarderEngine
import LarderExperiments

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The requests of one thread: makes them, checks the results, times and counts.
struct RequestWorker: Sendable {
  private let context: RunContext
  // Copies of fields of the context, to avoid reference counting for every request.
  private let reader: TraceReader
  private let versions: ObjectVersions
  private let pattern: ValuePattern
  private let verification: ExecutionSpec.Verification
  private let timedOneIn: Int
  private let seed: UInt64
  var tally = RunTally()
  private(set) var position = 0
  private(set) var call = "get"

  private static var reportInterval: Int { 1 << 14 }

  struct Mode: Sendable {
    /// The pace of an open loop; nil for a closed loop, as fast as possible.
    var pace: LoadPace?
    var isTimed: Bool
    /// Called after each request; true stops the run. Nil never stops.
    var stops: (@Sendable () -> Bool)?
  }

  init(_ context: RunContext, timedOneIn: Int) {
    self.context = context
    reader = context.reader
    versions = context.versions
    pattern = context.pattern
    verification = context.order.spec.verification
    self.timedOneIn = timedOneIn
    // Not the seed of the origin's latencies.
    seed = ~context.planned.cell.seed
  }

  mutating func work(
    on dealer: RequestDealer, _ cache: some CacheUnderTest, _ mode: Mode
  ) throws -> Bool {
    var unreported = 0
    defer { if unreported > 0 { context.order.progress(unreported) } }
    while let range = dealer.take() {
      for index in range {
        position = index
        if reader.hasTimes { context.clock.advance(to: reader.time(index)) }
        try make(index, cache, mode)
        if let stops = mode.stops, stops() {
          unreported += index - range.lowerBound + 1
          return true
        }
      }
      unreported += range.count
      if unreported >= Self.reportInterval {
        context.order.progress(unreported)
        unreported = 0
      }
      if context.order.cancellation.isRequested { return false }
    }
    return !dealer.isStopped
  }

  @inline(__always) private mutating func make(
    _ index: Int, _ cache: some CacheUnderTest, _ mode: Mode
  ) throws {
    // The delay of a request that is timed; nil for others.
    var late: UInt64?
    if let pace = mode.pace {
      let delay = context.wait(until: pace.due(index))
      if mode.isTimed { late = delay }
    } else if mode.isTimed, isSampled(index) {
      late = 0
    }
    let operation = reader.operation(index)
    if operation == .get {
      try get(index, cache, late)
    } else if operation == .set {
      tally.counts.sets += 1
      let options = reader.options(index)
      try write(index, .set, "set", late) { try cache.set($1, for: $0, options) }
    } else if operation == .delete {
      tally.counts.deletes += 1
      try write(index, .delete, "remove", late) { key, _ in try cache.remove(key) }
    } else if operation == .bypass {
      tally.get(.miss, weight: UInt64(reader.weight(index)), cost: Double(reader.cost(index)))
    } else if operation == .expire {
      tally.expires += 1
      call = "expire"
      try cache.expire(TraceReader.key(reader.id(index)), reader.options(index))
    } else {
      tally.modifies += 1
      _ = versions.advance(reader.id(index))
    }
  }

  /// Samples at irregular distances, which do not synchronise with a rhythm of the trace.
  @inline(__always) private func isSampled(_ index: Int) -> Bool {
    timedOneIn == 1
      || SplitMix64.number(UInt64(index), seed: seed) & UInt64(timedOneIn - 1) == 0
  }

  @inline(__always) private mutating func get(
    _ index: Int, _ cache: some CacheUnderTest, _ late: UInt64?
  ) throws {
    let id = reader.id(index)
    let key = TraceReader.key(id)
    let oldest = versions.floor(id)
    let current = versions.current(id)
    call = "get"
    let start = late == nil ? 0 : context.time.nowNanoseconds
    let answer = try cache.get(key)
    let spent = late.map { $0 + (context.time.nowNanoseconds - start) }
    let weight = UInt64(reader.weight(index))
    let cost = Double(reader.cost(index))
    guard let answer else {
      tally.get(.miss, weight: weight, cost: cost)
      return try fill(index, cache, spent)
    }
    let kind: OperationLatency.Kind = answer.tier == .memory ? .memoryHit : .diskHit
    tally.get(kind, weight: weight, cost: cost)
    if let spent { tally.latencies.record(kind, spent) }
    check(answer.value, index, id, key, from: oldest, current: current)
  }

  @inline(__always) private mutating func check(
    _ value: Data, _ index: Int, _ id: ObjectID, _ key: UInt64, from oldest: UInt32,
    current: UInt32
  ) {
    let isChecked = verification != .none
    // Without checks, the version is still needed if it can be out of date.
    guard isChecked || reader.hasOperations else { return }
    let newest = versions.current(id)
    let version = pattern.version(
      of: value, key: key, from: oldest, to: newest,
      checksContent: verification == .all)
    if let version, version < current { tally.counts.staleHits += 1 }
    guard isChecked else { return }
    tally.valuesChecked += 1
    if version == nil {
      tally.valuesWrong += 1
      if tally.firstWrong == nil { describe(value, index, key, oldest, newest) }
    }
  }

  @inline(never) private mutating func describe(
    _ value: Data, _ index: Int, _ key: UInt64, _ oldest: UInt32, _ newest: UInt32
  ) {
    tally.firstWrong =
      "request \(index + 1) of the trace, key \(key): \(value.count) bytes differ from its value "
      + (oldest == newest ? "of version \(oldest)" : "of any version from \(oldest) to \(newest)")
  }

  private mutating func fill(
    _ index: Int, _ cache: some CacheUnderTest, _ spent: UInt64?
  ) throws {
    let (context, options) = (context, reader.options(index))
    let fetch =
      context.origin?.nanoseconds(
        request: index, bytes: reader.bytes(index), milliseconds: reader.cost(index)) ?? 0
    let waits = fetch > 0 && context.order.spec.origin == .wait
    try write(index, .miss, "fill", spent.map { $0 + (waits ? 0 : fetch) }) { key, value in
      if waits { context.time.wait(until: context.time.nowNanoseconds + fetch) }
      try cache.fill(value, for: key, options)
    }
  }

  /// Makes a write with `body`, which is timed, and with the value of a new version, or of the
  /// current one for a miss.
  @inline(__always) private mutating func write(
    _ index: Int, _ kind: OperationLatency.Kind, _ call: String, _ spent: UInt64?,
    _ body: (_ key: UInt64, _ value: Data) throws -> Void
  ) throws {
    let id = reader.id(index)
    let key = TraceReader.key(id)
    let write = versions.begin(id)
    // A value stored after a delete has a new version, so that the deleted one would be detected.
    let version = kind == .miss ? versions.current(id) : versions.advance(id)
    var value = Data()
    if kind != .delete {
      let bytes = reader.bytes(index)
      value = try pattern.make(key: key, version: version, bytes: bytes)
      tally.valuesGiven += 1
      tally.bytesGiven += UInt64(bytes)
    }
    self.call = call
    let start = spent == nil ? 0 : context.time.nowNanoseconds
    try body(key, value)
    if let spent { tally.latencies.record(kind, spent + (context.time.nowNanoseconds - start)) }
    versions.end(write, of: id, version: version)
  }
}
