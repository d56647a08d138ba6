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
  private var sampler: LatencySampler
  private(set) var tally = RunTally()
  private(set) var recorder = LatencyRecorder()
  private(set) var firstWrong: String?
  private(set) var position = 0
  private(set) var call = "get"

  private static var reportInterval: Int { 1 << 14 }

  /// The way a part of the trace is replayed.
  struct Mode: Sendable {
    /// The pace of an open loop; nil for a closed loop, as fast as possible.
    var pace: LoadPace?
    /// True if latency is recorded.
    var isTimed: Bool
    /// Called after each request; true stops the run. Nil never stops.
    var stops: (@Sendable () -> Bool)?
  }

  /// A worker that times one operation in `timedOneIn`.
  init(_ context: RunContext, timedOneIn: Int, seed: UInt64) {
    self.context = context
    reader = context.reader
    versions = context.versions
    pattern = context.pattern
    verification = context.verification
    sampler = LatencySampler(every: timedOneIn, seed: seed)
  }

  /// Clears counts and latencies at the end of the warm-up; wrong values are kept.
  mutating func reset() {
    let old = tally
    tally = RunTally()
    tally.valuesChecked = old.valuesChecked
    tally.valuesWrong = old.valuesWrong
  }

  /// Makes requests until the dealer has no more; false if it was stopped.
  mutating func work(
    on dealer: RequestDealer, _ cache: some CacheUnderTest, _ mode: Mode
  ) throws -> Bool {
    var unreported = 0
    defer { if unreported > 0 { context.progress(unreported) } }
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
        context.progress(unreported)
        unreported = 0
      }
      if context.cancellation.isRequested { return false }
    }
    return !dealer.isStopped
  }

  @inline(__always) private mutating func make(
    _ index: Int, _ cache: some CacheUnderTest, _ mode: Mode
  ) throws {
    var late: UInt64 = 0
    var isTimed = mode.isTimed
    if let pace = mode.pace {
      late = wait(for: pace.due(index))
    } else if isTimed {
      isTimed = sampler.next()
    }
    let operation = reader.operation(index)
    if operation == .get {
      try get(index, cache, isTimed, late: late)
    } else if operation == .set {
      try set(index, cache, isTimed, late: late)
    } else if operation == .delete {
      try delete(index, cache, isTimed, late: late)
    } else if operation == .bypass {
      tally.requests += 1
      tally.bytesRequested += UInt64(reader.weight(index))
      tally.costRequested += Double(reader.cost(index))
    } else if operation == .expire {
      call = "expire"
      try cache.expire(TraceReader.key(reader.id(index)), reader.options(index))
    } else {
      tally.modifies += 1
      _ = versions.advance(reader.id(index))
    }
  }

  /// Waits until a request is due, with regular checks of the flag, and returns the delay.
  private func wait(for due: UInt64) -> UInt64 {
    var now = context.time.nowNanoseconds
    while now < due, !context.cancellation.isRequested {
      context.time.wait(until: min(due, now + 100_000_000))
      now = context.time.nowNanoseconds
    }
    return now > due ? now - due : 0
  }

  @inline(__always) private mutating func get(
    _ index: Int, _ cache: some CacheUnderTest, _ isTimed: Bool, late: UInt64
  ) throws {
    let id = reader.id(index)
    let key = TraceReader.key(id)
    let weight = UInt64(reader.weight(index))
    let oldest = versions.floor(id)
    let current = versions.current(id)
    call = "get"
    let start = isTimed ? context.time.nowNanoseconds : 0
    let answer = try cache.get(key)
    let end = isTimed ? context.time.nowNanoseconds : 0
    tally.requests += 1
    tally.bytesRequested += weight
    let cost = Double(reader.cost(index))
    tally.costRequested += cost
    guard let answer else {
      try fill(index, cache, isTimed, spent: late + (end - start))
      return
    }
    tally.costSaved += cost
    if answer.tier == .memory {
      tally.memoryHits += 1
      tally.memoryBytesHit += weight
      if isTimed { recorder.record(.memoryHit, late + (end - start)) }
    } else {
      tally.diskHits += 1
      tally.diskBytesHit += weight
      if isTimed { recorder.record(.diskHit, late + (end - start)) }
    }
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
    if let version, version < current { tally.staleHits += 1 }
    guard isChecked else { return }
    tally.valuesChecked += 1
    if version == nil {
      tally.valuesWrong += 1
      if firstWrong == nil { describe(value, index, key, oldest, newest) }
    }
  }

  @inline(never) private mutating func describe(
    _ value: Data, _ index: Int, _ key: UInt64, _ oldest: UInt32, _ newest: UInt32
  ) {
    firstWrong =
      "request \(index + 1) of the trace, key \(key): \(value.count) bytes differ from its value "
      + (oldest == newest ? "of version \(oldest)" : "of any version from \(oldest) to \(newest)")
  }

  /// Fetches a missing value and stores it. `spent` is the time of the get.
  private mutating func fill(
    _ index: Int, _ cache: some CacheUnderTest, _ isTimed: Bool, spent: UInt64
  ) throws {
    let id = reader.id(index)
    let key = TraceReader.key(id)
    let bytes = reader.bytes(index)
    let write = versions.begin(id)
    let version = versions.current(id)
    let value = try pattern.make(key: key, version: version, bytes: bytes)
    tally.valuesGiven += 1
    tally.bytesGiven += UInt64(bytes)
    call = "fill"
    var fetch =
      context.origin?.nanoseconds(
        request: index, bytes: bytes, milliseconds: reader.cost(index)) ?? 0
    let start = isTimed ? context.time.nowNanoseconds : 0
    if context.waitsForOrigin, fetch > 0 {
      let now = isTimed ? start : context.time.nowNanoseconds
      context.time.wait(until: now + fetch)
      fetch = 0
    }
    try cache.fill(value, for: key, reader.options(index))
    if isTimed {
      recorder.record(.miss, spent + fetch + (context.time.nowNanoseconds - start))
    }
    versions.end(write, of: id, version: version)
  }

  private mutating func set(
    _ index: Int, _ cache: some CacheUnderTest, _ isTimed: Bool, late: UInt64
  ) throws {
    let id = reader.id(index)
    let key = TraceReader.key(id)
    let bytes = reader.bytes(index)
    let write = versions.begin(id)
    let version = versions.advance(id)
    let value = try pattern.make(key: key, version: version, bytes: bytes)
    tally.sets += 1
    tally.valuesGiven += 1
    tally.bytesGiven += UInt64(bytes)
    call = "set"
    let start = isTimed ? context.time.nowNanoseconds : 0
    try cache.set(value, for: key, reader.options(index))
    if isTimed { recorder.record(.set, late + (context.time.nowNanoseconds - start)) }
    versions.end(write, of: id, version: version)
  }

  private mutating func delete(
    _ index: Int, _ cache: some CacheUnderTest, _ isTimed: Bool, late: UInt64
  ) throws {
    let id = reader.id(index)
    let write = versions.begin(id)
    // A value stored after a delete has a new version, so that the deleted one would be detected.
    let version = versions.advance(id)
    tally.deletes += 1
    call = "remove"
    let start = isTimed ? context.time.nowNanoseconds : 0
    try cache.remove(TraceReader.key(id))
    if isTimed { recorder.record(.delete, late + (context.time.nowNanoseconds - start)) }
    versions.end(write, of: id, version: version)
  }
}
