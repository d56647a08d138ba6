import Larder
import LarderEngine
import LarderExperiments
import LarderSupport
import LarderTraces

final class ExecutionRun {
  private let context: RunContext
  private var reader: TraceReader { context.reader }
  private let slots: [WorkerSlot]
  private var execution: Execution
  private let events: [(index: Int, level: MemoryPressureLevel)]
  private var eventsDelivered = 0
  private var position = 0
  private var nanoseconds: UInt64 = 0

  /// The least number of requests for which one in `sampling`, a power of two, is timed, if only
  /// memory is driven.
  private static var sampledRequestsMin: Int { 1 << 18 }
  private static var sampling: Int { 16 }

  init(_ context: RunContext, repetition: Int) {
    self.context = context
    let (spec, reader) = (context.order.spec, context.reader)
    let isSampled =
      context.planned.cell.kind == .memory && spec.load == .closed
      && reader.count >= Self.sampledRequestsMin
    let timedOneIn = isSampled ? Self.sampling : 1
    execution = Execution(threads: context.threads, repetition: repetition)
    execution.timedOneIn = timedOneIn
    slots = (0..<context.threads).map { _ in
      WorkerSlot(RequestWorker(context, timedOneIn: timedOneIn))
    }
    events = spec.pressure.map { (Int($0.at.of(UInt64(reader.count))), $0.level) }
      .sorted { $0.0 < $1.0 }
  }

  func execute(simulated: Counts?) throws(ExecutionError) -> Execution? {
    let memoryBefore = AllocatedMemory.bytes
    let cache = try context.makeCache(context.contender.make)
    let tally: RunTally
    do throws(ExecutionError) {
      guard let writesBefore = try warmUp(cache), try drive(cache) else {
        try? cache.close()
        return nil
      }
      if !(cache is ServerCache) { try takeMemory(cache, before: memoryBefore) }
      tally = slots.reduce(into: RunTally()) { $0.add($1.worker.tally) }
      try takeResults(cache, tally, writesBefore: writesBefore, simulated: simulated)
      if let server = cache as? ServerCache {
        execution.server = try calling("statistics") { try server.state() }
        execution.notes += server.notes + missedRate
      }
    } catch {
      // The first error is the one to report.
      try? cache.close()
      throw error
    }
    try calling("close") { try cache.close() }
    try context.checkValues(tally)
    return execution
  }

  /// A finding if the load has a rate that was not reached.
  private var missedRate: [String] {
    guard case .rate(let rate) = context.order.spec.load, execution.seconds > 0 else { return [] }
    let reached = Double(execution.requests) / execution.seconds
    guard reached < rate * 0.95 else { return [] }
    let numbers = [reached, rate].map { NumberText.whole($0) }.joined(separator: " of ")
    return [
      "\(context.contender.name) at \(context.planned.cell.capacityLabel) took \(numbers) requests "
        + "a second: latencies include the backlog, and ages are longer than simulated."
    ]
  }

  /// Bytes that the process had written at the end of the warm-up.
  private struct Writes {
    let disk = ProcessWrites.bytes(.disk)
    let calls = ProcessWrites.bytes(.calls)
  }

  /// Everything before the counted requests; nil if it was stopped.
  private func warmUp(_ cache: any CacheUnderTest) throws(ExecutionError) -> Writes? {
    let count = UInt64(reader.count)
    if let requests = context.order.warmUp.requests(of: count) {
      guard try advance(to: Int(requests), cache) else { return nil }
    } else if cache.tierCounts() != nil {
      let isDisk = context.planned.cell.kind != .memory
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
    if context.order.warmUp != .none {
      cache.resetCounts()
      for slot in slots { slot.worker.tally.reset() }
    }
    if position > 0 { try checkCapacity(cache) }
    if context.planned.cell.kind != .memory {
      // Flushed now, so that writes of the warm-up are not counted later.
      if position > 0 { try calling("flush") { try cache.flush() } }
      if context.order.spec.pageCache == .dropped, !context.folder.dropFromPageCache() {
        execution.notes.append("the page cache stays warm: this system cannot drop it")
      }
    }
    nanoseconds = 0
    return Writes()
  }

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

  private func drive(_ cache: any CacheUnderTest) throws(ExecutionError) -> Bool {
    let pace = try LoadPace(
      context.order.spec.load, reader, first: min(position, reader.count - 1),
      start: context.time.nowNanoseconds)
    let mode = RequestWorker.Mode(
      pace: pace, isTimed: context.order.recordsLatency, stops: nil)
    while true {
      let start = context.time.nowNanoseconds
      while try deliverPressure(cache) {}
      nanoseconds += context.time.nowNanoseconds - start
      guard position < reader.count else { return true }
      let stop = nextStop(before: reader.count)
      guard try make(position..<stop, cache, mode, threads: context.threads) else { return false }
      position = stop
    }
  }

  private func make(
    _ range: Range<Int>, _ cache: any CacheUnderTest, _ mode: RequestWorker.Mode, threads: Int
  ) throws(ExecutionError) -> Bool {
    // Threads that are blocks apart are minutes apart in many traces with times: the slower one
    // would hit fresh entries that, by the trace, had not been fetched yet.
    let isClose = mode.pace != nil || (threads > 1 && reader.hasTimes)
    let dealer = RequestDealer(range, block: isClose ? 1 : threads == 1 ? 4096 : 64)
    let slots = slots
    let taken = RunThreads.perform(threads, context.time) { index in
      slots[index].work(on: dealer, cache, mode)
    }
    nanoseconds += taken
    for slot in slots {
      guard let failure = slot.failure else { continue }
      throw context.failed(slot.worker.call, request: slot.worker.position, failure)
    }
    return !dealer.isStopped
  }

  private func nextStop(before end: Int) -> Int {
    eventsDelivered < events.count ? min(end, events[eventsDelivered].index) : end
  }

  private func deliverPressure(_ cache: any CacheUnderTest) throws(ExecutionError) -> Bool {
    guard eventsDelivered < events.count, events[eventsDelivered].index <= position else {
      return false
    }
    cache.handle(events[eventsDelivered].level)
    eventsDelivered += 1
    try checkCapacity(cache)
    return true
  }

  private func calling<Result>(
    _ call: String, _ body: () throws -> Result
  ) throws(ExecutionError) -> Result {
    do {
      return try body()
    } catch {
      throw context.failed(call, error)
    }
  }
}

extension ExecutionRun {
  private func checkCapacity(_ cache: any CacheUnderTest) throws(ExecutionError) {
    let usage = try calling("usage") { try cache.usage() }
    func isOver(_ tier: TierSetup, _ entries: Int?, _ weight: UInt64?) -> Bool? {
      Self.exceeds(tier, entries, weight, context.planned.setup.unit)
    }
    let checks =
      switch context.planned.setup.arrangement {
      case .memory(let tier): [isOver(tier, usage.memoryEntries, usage.memoryWeight)]
      case .disk(let tier): [isOver(tier, usage.diskEntries, usage.diskWeight)]
      case .hybrid(let memory, let disk, _):
        [
          isOver(memory, usage.memoryEntries, usage.memoryWeight),
          isOver(disk, usage.diskEntries, usage.diskWeight),
        ]
      }
    let known = checks.compactMap { $0 }
    guard !known.isEmpty else { return }
    execution.capacityChecks += 1
    if known.contains(true) { execution.capacityExceeded += 1 }
  }

  /// True if a tier exceeds its capacity; nil if unknown.
  private static func exceeds(
    _ tier: TierSetup, _ entries: Int?, _ weight: UInt64?, _ unit: CapacityUnit
  ) -> Bool? {
    guard entries != nil || weight != nil else { return nil }
    let objects = entries.map { UInt64(clamping: $0) } ?? 0
    return weight ?? 0 > tier.capacity || objects > tier.objectsMax ?? .max
      || unit == .objects && objects > tier.capacity
  }

  private func takeResults(
    _ cache: any CacheUnderTest, _ tally: RunTally, writesBefore: Writes, simulated: Counts?
  ) throws(ExecutionError) {
    try checkCapacity(cache)
    let tierCounts = cache.tierCounts()
    tally.put(into: &execution, tierCounts, hasCosts: reader.hasCosts)
    execution.countsTiers = tierCounts != nil
    // A simulation knows no memory pressure.
    if context.order.spec.pressure.isEmpty, tierCounts != nil {
      execution.equalsSimulated = simulated.map { $0 == execution.counts }
    }
    execution.seconds = Double(nanoseconds) / 1e9
    if context.planned.cell.kind != .memory {
      try takeDisk(cache, writesBefore: writesBefore, tally)
    }
  }

  /// Memory per entry of all tiers, as the process's memory holds the values of one and the index
  /// of the other.
  private func takeMemory(
    _ cache: any CacheUnderTest, before: UInt64?
  ) throws(ExecutionError) {
    let allocated = AllocatedMemory.bytes
    let usage = try calling("usage") { try cache.usage() }
    let kind = context.planned.cell.kind
    let tiers = [
      kind == .disk ? 0 : usage.memoryEntries, kind == .memory ? 0 : usage.diskEntries,
    ].compactMap { $0.map { Double($0) } }
    let objects = tiers.reduce(0, +)
    guard tiers.count == 2, objects > 0 else { return }
    if let before, let after = allocated, after >= before {
      execution.memoryBytesPerObject = Double(after - before) / objects
    }
    execution.residentObjects = UInt64(objects)
    let keyBytes = Double(MemoryLayout<UInt64>.size)
    if kind == .disk { return }
    if context.planned.setup.unit == .bytes, let weight = usage.memoryWeight {
      execution.memoryPayloadBytesPerObject = (Double(weight) + tiers[0] * keyBytes) / objects
    } else if !reader.hasSizes {
      execution.memoryPayloadBytesPerObject =
        tiers[0] * (Double(context.order.spec.valueBytes) + keyBytes) / objects
    }
  }

  private func takeDisk(
    _ cache: any CacheUnderTest, writesBefore: Writes, _ tally: RunTally
  ) throws(ExecutionError) {
    try calling("flush") { try cache.flush() }
    let usage = try calling("usage") { try cache.usage() }
    execution.diskBytes = usage.diskBytes ?? context.folder.bytes
    execution.files = context.folder.fileCount
    execution.diskBytesWritten = usage.bytesWritten
    execution.bytesWritten = usage.bytesHandedOver
    // The system's counts of this process do not cover a cache in another.
    if context.planned.process == nil, context.planned.server == nil {
      execution.diskBytesWritten =
        usage.bytesWritten ?? Self.difference(ProcessWrites.bytes(.disk), writesBefore.disk)
      execution.bytesWritten =
        usage.bytesHandedOver ?? Self.difference(ProcessWrites.bytes(.calls), writesBefore.calls)
    }
    guard let written = execution.diskBytesWritten else { return }
    let stored = bytesStoredOnDisk(cache.tierCounts(), tally)
    if stored > 0 { execution.writeAmplification = Double(written) / stored }
  }

  private static func difference(_ now: UInt64?, _ before: UInt64?) -> UInt64? {
    guard let now, let before else { return nil }
    return now.growth(since: before)
  }

  /// Bytes of values written to the disk tier: its own count if it counts bytes; the mean size of
  /// the values given to it if it counts objects; all bytes given to it if it does not count.
  private func bytesStoredOnDisk(_ counts: CacheTierCounts?, _ tally: RunTally) -> Double {
    guard let counts, tally.valuesGiven > 0 else { return Double(tally.bytesGiven) }
    if context.planned.setup.unit == .bytes { return Double(counts.disk.bytesWritten) }
    return Double(counts.disk.bytesWritten) * Double(tally.bytesGiven) / Double(tally.valuesGiven)
  }
}
