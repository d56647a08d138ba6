import Larder
import LarderEngine
import LarderExperiments
import LarderTraces

/// One run of a cell through a cache with a given number of threads.
final class ExecutionRun {
  let executor: CellExecutor
  let planned: PlannedCell
  let contender: CacheContender
  let folder: RunFolder
  let threads: Int
  let reader: TraceReader
  let context: RunContext
  let slots: [WorkerSlot]
  var execution: Execution
  private let events: [(index: Int, level: MemoryPressureLevel)]
  private var eventsDelivered = 0
  private var position = 0
  private var nanoseconds: UInt64 = 0

  /// The least number of requests for which one in `sampling` is timed, if only memory is driven.
  private static var sampledRequestsMin: Int { 1 << 18 }
  private static var sampling: Int { 16 }

  init(
    _ executor: CellExecutor, _ planned: PlannedCell, _ contender: CacheContender,
    _ trace: PreparedTrace, _ folder: RunFolder, threads: Int, repetition: Int
  ) {
    let (spec, seed) = (executor.order.spec, planned.cell.seed)
    let reader = TraceReader(
      trace.requests, unit: planned.setup.unit, valueBytes: spec.valueBytes)
    let memory = HarnessMemory()
    context = RunContext(
      memory: memory, trace: trace, reader: reader,
      versions: ObjectVersions(
        objects: reader.hasOperations ? reader.objects : 0, isShared: threads > 1, in: memory),
      pattern: ValuePattern(seed: seed, allowsEmpty: reader.hasEmptyValues(), in: memory),
      clock: TraceClock(), time: executor.time,
      origin: executor.order.latency.map { OriginLatency($0, seed: seed) },
      waitsForOrigin: spec.origin == .wait, verification: spec.verification,
      cancellation: executor.order.cancellation, progress: executor.order.progress)
    let isSampled =
      planned.cell.kind == .memory && spec.load == .closed
      && reader.count >= Self.sampledRequestsMin
    execution = Execution(threads: threads, repetition: repetition)
    execution.timedOneIn = isSampled ? Self.sampling : 1
    let (context, timedOneIn) = (context, execution.timedOneIn)
    slots = (0..<threads).map {
      WorkerSlot(RequestWorker(context, timedOneIn: timedOneIn, seed: seed &+ UInt64($0)))
    }
    events = spec.pressure.map { (Int($0.at.of(UInt64(reader.count))), $0.level) }
      .sorted { $0.0 < $1.0 }
    self.executor = executor
    self.planned = planned
    self.contender = contender
    self.folder = folder
    self.threads = threads
    self.reader = reader
  }

  /// Executes the whole run; nil if it was stopped.
  func execute(simulated: Counts?) throws(ExecutionError) -> Execution? {
    let memoryBefore = AllocatedMemory.bytes
    let cache = try makeCache()
    do throws(ExecutionError) {
      let writesBefore = try warmUp(cache)
      guard let writesBefore, try drive(cache) else {
        try? cache.close()
        return nil
      }
      try takeResults(
        cache, memoryBefore: memoryBefore, writesBefore: writesBefore, simulated: simulated)
    } catch {
      // The first error is the one to report.
      try? cache.close()
      throw error
    }
    try calling("close") { try cache.close() }
    if execution.valuesWrong > 0 {
      let first = slots.lazy.compactMap(\.worker.firstWrong).first
      throw .wrongValues(
        cache: contender.name, wrong: execution.valuesWrong, checked: execution.valuesChecked,
        first: first ?? "a request of the trace")
    }
    return execution
  }

  /// The counts of all threads so far.
  var tally: RunTally {
    slots.reduce(into: RunTally()) { $0.add($1.worker.tally) }
  }

  /// Wall-clock seconds of the requests after the warm-up.
  var seconds: Double { Double(nanoseconds) / 1e9 }

  private func makeCache() throws(ExecutionError) -> any CacheUnderTest {
    var setup = CacheSetup(
      simulation: planned.setup, preset: planned.preset, execution: executor.order.spec,
      threads: threads, folder: folder.path, clock: context.clock)
    setup.process = planned.process
    do {
      return try contender.make(setup)
    } catch {
      throw .making(cache: contender.name, message: Self.line(error))
    }
  }

  /// Bytes that the process had written at the end of the warm-up.
  struct Writes {
    let disk = ProcessWrites.bytes(.disk)
    let calls = ProcessWrites.bytes(.calls)
  }

  /// Everything before the counted requests; nil if it was stopped.
  private func warmUp(_ cache: any CacheUnderTest) throws(ExecutionError) -> Writes? {
    let count = UInt64(reader.count)
    if let requests = executor.order.warmUp.requests(of: count) {
      guard try advance(to: Int(requests), cache) else { return nil }
    } else if cache.tierCounts() != nil {
      let isDisk = planned.cell.kind != .memory
      let stops: @Sendable () -> Bool = {
        guard let counts = cache.tierCounts() else { return true }
        return (isDisk ? counts.disk : counts.memory).evictions > 0
      }
      guard try advance(to: reader.count, cache, stops: stops) else { return nil }
    } else {
      execution.notes.append(
        "no warm-up: this cache does not report when it is full, so every request counts")
    }
    execution.warmUpRequests = UInt64(position)
    if executor.order.warmUp != .none {
      cache.resetCounts()
      for slot in slots { slot.worker.reset() }
    }
    if position > 0 { try checkCapacity(cache) }
    if planned.cell.kind != .memory {
      // Flushed now, so that writes of the warm-up are not counted later.
      if position > 0 { try calling("flush") { try cache.flush() } }
      if executor.order.spec.pageCache == .dropped, !folder.dropFromPageCache() {
        execution.notes.append("the page cache stays warm: this system cannot drop it")
      }
    }
    nanoseconds = 0
    return Writes()
  }

  /// Runs the warm-up up to a request, in one thread.
  private func advance(
    to end: Int, _ cache: any CacheUnderTest, stops: (@Sendable () -> Bool)? = nil
  ) throws(ExecutionError) -> Bool {
    let mode = RequestWorker.Mode(pace: nil, isTimed: false, stops: stops)
    while position < end {
      if try deliverPressure(cache) { continue }
      let stop = nextStop(before: end)
      guard try make(position..<stop, cache, mode, threads: 1) else { return false }
      let made = slots[0].worker.position + 1
      position = made
      if made < stop || stops?() ?? false { return true }
    }
    return true
  }

  /// Runs the counted requests; false if it was stopped.
  private func drive(_ cache: any CacheUnderTest) throws(ExecutionError) -> Bool {
    let pace = try LoadPace(
      executor.order.spec.load, reader, first: min(position, reader.count - 1),
      start: executor.time.nowNanoseconds)
    let mode = RequestWorker.Mode(
      pace: pace, isTimed: executor.order.recordsLatency, stops: nil)
    while true {
      let start = executor.time.nowNanoseconds
      while try deliverPressure(cache) {}
      nanoseconds += executor.time.nowNanoseconds - start
      guard position < reader.count else { return true }
      let stop = nextStop(before: reader.count)
      guard try make(position..<stop, cache, mode, threads: threads) else { return false }
      position = stop
    }
  }

  /// Makes requests with all threads; false if it was stopped.
  private func make(
    _ range: Range<Int>, _ cache: any CacheUnderTest, _ mode: RequestWorker.Mode, threads: Int
  ) throws(ExecutionError) -> Bool {
    // Threads that are blocks apart are minutes apart in many traces with times: the slower one
    // would hit fresh entries that, by the trace, had not been fetched yet.
    let isClose = mode.pace != nil || (threads > 1 && reader.hasTimes)
    let dealer = RequestDealer(range, block: isClose ? 1 : threads == 1 ? 4096 : 64)
    let slots = slots
    let taken = RunThreads.perform(threads, executor.time) { index in
      slots[index].work(on: dealer, cache, mode)
    }
    nanoseconds += taken
    for slot in slots {
      guard let failure = slot.failure else { continue }
      // Not a failure of the cache.
      if let failure = failure as? ValueMemoryError {
        throw .load("request \(slot.worker.position + 1) of the trace: \(failure)")
      }
      throw .failed(
        cache: contender.name, call: slot.worker.call, request: slot.worker.position + 1,
        message: Self.line(failure))
    }
    return !dealer.isStopped
  }

  private func nextStop(before end: Int) -> Int {
    eventsDelivered < events.count ? min(end, events[eventsDelivered].index) : end
  }

  /// Delivers the next memory pressure if it is due now.
  private func deliverPressure(_ cache: any CacheUnderTest) throws(ExecutionError) -> Bool {
    guard eventsDelivered < events.count, events[eventsDelivered].index <= position else {
      return false
    }
    cache.handle(events[eventsDelivered].level)
    eventsDelivered += 1
    try checkCapacity(cache)
    return true
  }

  func calling<Result>(
    _ call: String, _ body: () throws -> Result
  ) throws(ExecutionError) -> Result {
    do {
      return try body()
    } catch {
      throw .failed(
        cache: contender.name, call: call, request: nil, message: Self.line(error))
    }
  }

  private static func line(_ error: any Error) -> String {
    "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

extension ExecutionRun {
  /// Checks that the cache does not exceed its capacity, if it reports its contents.
  func checkCapacity(_ cache: any CacheUnderTest) throws(ExecutionError) {
    let usage = try calling("usage") { try cache.usage() }
    let isOver: Bool?
    switch planned.setup.arrangement {
    case .memory(let tier):
      isOver = Self.exceeds(tier, usage.memoryEntries, usage.memoryWeight, planned.setup.unit)
    case .disk(let tier):
      isOver = Self.exceeds(tier, usage.diskEntries, usage.diskWeight, planned.setup.unit)
    case .hybrid(let memory, let disk, _):
      let both = [
        Self.exceeds(memory, usage.memoryEntries, usage.memoryWeight, planned.setup.unit),
        Self.exceeds(disk, usage.diskEntries, usage.diskWeight, planned.setup.unit),
      ].compactMap { $0 }
      isOver = both.isEmpty ? nil : both.contains(true)
    }
    guard let isOver else { return }
    execution.capacityChecks += 1
    if isOver { execution.capacityExceeded += 1 }
  }

  /// True if a tier exceeds its capacity; nil if unknown.
  private static func exceeds(
    _ tier: TierSetup, _ entries: Int?, _ weight: UInt64?, _ unit: CapacityUnit
  ) -> Bool? {
    guard entries != nil || weight != nil else { return nil }
    let objects = entries.map { UInt64(clamping: $0) }
    if let weight, weight > tier.capacity { return true }
    guard let objects else { return false }
    return unit == .objects && objects > tier.capacity || objects > tier.objectsMax ?? .max
  }

  /// Completes the execution after all requests.
  func takeResults(
    _ cache: any CacheUnderTest, memoryBefore: UInt64?, writesBefore: Writes,
    simulated: Counts?
  ) throws(ExecutionError) {
    let tally = tally
    try checkCapacity(cache)
    let tierCounts = cache.tierCounts()
    execution.counts = Self.counts(tally, tierCounts, hasCosts: reader.hasCosts)
    execution.countsTiers = tierCounts != nil
    // A simulation knows no memory pressure.
    if executor.order.spec.pressure.isEmpty, tierCounts != nil {
      execution.equalsSimulated = simulated.map { $0 == execution.counts }
    }
    execution.requests = tally.operations
    execution.seconds = seconds
    execution.valuesChecked = tally.valuesChecked
    execution.valuesWrong = tally.valuesWrong
    takeLatencies(tally)
    let usage = try calling("usage") { try cache.usage() }
    takeMemory(usage, before: memoryBefore)
    if planned.cell.kind != .memory {
      try takeDisk(cache, writesBefore: writesBefore, tally)
    }
  }

  private static func counts(
    _ tally: RunTally, _ tiers: CacheTierCounts?, hasCosts: Bool
  ) -> Counts {
    var counts = Counts()
    counts.requests = tally.requests
    counts.memoryHits = tally.memoryHits
    counts.diskHits = tally.diskHits
    counts.bytesRequested = tally.bytesRequested
    counts.memoryBytesHit = tally.memoryBytesHit
    counts.diskBytesHit = tally.diskBytesHit
    counts.staleHits = tally.staleHits
    counts.sets = tally.sets
    counts.deletes = tally.deletes
    if hasCosts {
      counts.cost = CostCounts(requested: tally.costRequested, saved: tally.costSaved)
    }
    if let tiers {
      counts.memory = tiers.memory
      counts.disk = tiers.disk
      counts.promotions = tiers.promotions
      counts.demotions = tiers.demotions
    }
    return counts
  }

  private func takeLatencies(_ tally: RunTally) {
    var recorder = LatencyRecorder()
    for slot in slots { recorder.add(slot.worker.recorder) }
    execution.latencies = OperationLatency.Kind.allCases.compactMap { kind in
      recorder.latency(kind).map {
        OperationLatency(kind: kind, count: tally.count(kind), latency: $0)
      }
    }
    execution.getLatency = recorder.getLatency
  }

  /// Memory per object in memory; per object on disk for a disk cache without memory.
  private func takeMemory(_ usage: CacheUsage, before: UInt64?) {
    let isDisk = planned.cell.kind == .disk
    guard let objects = isDisk ? usage.diskEntries : usage.memoryEntries, objects > 0 else {
      return
    }
    if let before, let after = AllocatedMemory.bytes, after >= before {
      execution.memoryBytesPerObject = Double(after - before) / Double(objects)
      execution.residentObjects = UInt64(objects)
    }
    let keyBytes = Double(MemoryLayout<UInt64>.size)
    if isDisk {
      execution.memoryPayloadBytesPerObject = nil
    } else if planned.setup.unit == .bytes, let weight = usage.memoryWeight {
      execution.memoryPayloadBytesPerObject = Double(weight) / Double(objects) + keyBytes
    } else if !reader.hasSizes {
      execution.memoryPayloadBytesPerObject = Double(executor.order.spec.valueBytes) + keyBytes
    }
  }

  private func takeDisk(
    _ cache: any CacheUnderTest, writesBefore: Writes, _ tally: RunTally
  ) throws(ExecutionError) {
    try calling("flush") { try cache.flush() }
    let usage = try calling("usage") { try cache.usage() }
    execution.diskBytes = usage.diskBytes ?? folder.bytes
    execution.files = folder.fileCount
    execution.diskBytesWritten =
      usage.bytesWritten ?? Self.difference(ProcessWrites.bytes(.disk), writesBefore.disk)
    execution.bytesWritten = usage.bytesHandedOver
    // The system's count of this process does not cover a cache in another.
    if execution.bytesWritten == nil, planned.process == nil {
      execution.bytesWritten = Self.difference(ProcessWrites.bytes(.calls), writesBefore.calls)
    }
    guard let written = execution.diskBytesWritten else { return }
    let stored = bytesStoredOnDisk(cache.tierCounts(), tally)
    if stored > 0 { execution.writeAmplification = Double(written) / stored }
  }

  /// The increase of a count; nil if unknown.
  private static func difference(_ now: UInt64?, _ before: UInt64?) -> UInt64? {
    guard let now, let before else { return nil }
    return now.growth(since: before)
  }

  /// Bytes of values written to the disk tier: its own count if it counts bytes; the mean size of
  /// the values given to it if it counts objects; all bytes given to it if it does not count.
  private func bytesStoredOnDisk(_ counts: CacheTierCounts?, _ tally: RunTally) -> Double {
    guard let counts, tally.valuesGiven > 0 else { return Double(tally.bytesGiven) }
    if planned.setup.unit == .bytes { return Double(counts.disk.bytesWritten) }
    return Double(counts.disk.bytesWritten) * Double(tally.bytesGiven) / Double(tally.valuesGiven)
  }
}
