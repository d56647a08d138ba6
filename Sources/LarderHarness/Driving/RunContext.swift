import Foundation
import LarderExperiments
import LarderLibc
import LarderSupport
import LarderTraces
import Synchronization

final class RunContext: Sendable {
  let order: DrivingOrder
  let planned: PlannedCell
  let contender: CacheContender
  let folder: RunFolder
  let threads: Int
  let time: any RunTime
  let reader: TraceReader
  let versions: ObjectVersions
  let pattern: ValuePattern
  let clock = TraceClock()
  let origin: OriginLatency?
  // Own the memory that the pointers above point to.
  private let memory = HarnessMemory()
  private let trace: PreparedTrace

  init(
    _ executor: CellExecutor, _ planned: PlannedCell, _ contender: CacheContender,
    _ trace: PreparedTrace, _ folder: RunFolder, threads: Int
  ) {
    let seed = planned.cell.seed
    order = executor.order
    reader = TraceReader(
      trace.requests, unit: planned.setup.unit, valueBytes: order.spec.valueBytes)
    versions = ObjectVersions(
      objects: reader.hasOperations ? reader.objects : 0, isShared: threads > 1, in: memory)
    pattern = ValuePattern(seed: seed, allowsEmpty: reader.hasEmptyValues(), in: memory)
    origin = order.latency.map { OriginLatency($0, seed: seed) }
    time = executor.time
    self.planned = planned
    self.contender = contender
    self.trace = trace
    self.folder = folder
    self.threads = threads
  }

  func makeCache<Cache>(_ make: (CacheSetup) throws -> Cache) throws(ExecutionError) -> Cache {
    var setup = CacheSetup(
      simulation: planned.setup, preset: planned.preset, execution: order.spec,
      threads: threads, folder: folder.path, clock: clock)
    setup.process = planned.process
    setup.server = planned.server
    do {
      return try make(setup)
    } catch {
      throw .making(cache: contender.name, message: Self.line(error))
    }
  }

  /// Waits until a request is due, with regular checks of the flag, and returns the delay.
  func wait(until due: UInt64) -> UInt64 {
    var now = time.nowNanoseconds
    while now < due, !order.cancellation.isRequested {
      time.wait(until: min(due, now + 100_000_000))
      now = time.nowNanoseconds
    }
    return now > due ? now - due : 0
  }

  /// The error of a failed call of the cache, for a request from 0 on.
  func failed(_ call: String, request: Int? = nil, _ error: any Error) -> ExecutionError {
    // Not a failure of the cache.
    if let request, let error = error as? ValueMemoryError {
      return .load("request \(request + 1) of the trace: \(error)")
    }
    return .failed(
      cache: contender.name, call: call, request: request.map { $0 + 1 },
      message: Self.line(error))
  }

  func checkValues(_ tally: RunTally) throws(ExecutionError) {
    guard tally.valuesWrong > 0 else { return }
    throw .wrongValues(
      cache: contender.name, wrong: tally.valuesWrong, checked: tally.valuesChecked,
      first: tally.firstWrong ?? "a request of the trace")
  }

  private static func line(_ error: any Error) -> String {
    "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

/// Holds a thread's worker between the parts of a run. Used by one thread at a time.
final class WorkerSlot: @unchecked Sendable {
  private(set) var failure: (any Error)?
  var worker: RequestWorker

  init(_ worker: RequestWorker) { self.worker = worker }

  func work(on dealer: RequestDealer, _ cache: any CacheUnderTest, _ mode: RequestWorker.Mode) {
    do {
      if try !worker.work(on: dealer, cache, mode) { dealer.stop() }
    } catch {
      failure = error
      dealer.stop()
    }
  }
}

/// System threads, one for each part of the work, whatever the number of cores.
enum RunThreads {
  /// Calls `body` with 0 to `count` - 1, each on its own thread (a single one on the caller's), and
  /// returns the nanoseconds from when all of them were ready until the last was done.
  static func perform(
    _ count: Int, _ time: any RunTime, _ body: @escaping @Sendable (Int) -> Void
  ) -> UInt64 {
    guard count > 1 else {
      let start = time.nowNanoseconds
      body(0)
      return time.nowNanoseconds - start
    }
    let (done, ready) = (DispatchGroup(), DispatchGroup())
    let gate = DispatchSemaphore(value: 0)
    for index in 0..<count {
      done.enter()
      ready.enter()
      let thread = Thread {
        ready.leave()
        gate.wait()
        body(index)
        done.leave()
      }
      thread.start()
    }
    ready.wait()
    let start = time.nowNanoseconds
    for _ in 0..<count { gate.signal() }
    done.wait()
    return time.nowNanoseconds - start
  }
}

/// A clock for latencies, with a wait. Injected, so that tests need not wait.
protocol RunTime: Sendable {
  var nowNanoseconds: UInt64 { get }

  func wait(until nanoseconds: UInt64)
}

/// The system's monotonic clock; reading it takes about 24 ns.
struct SystemRunTime: RunTime {
  /// The system wakes a sleeping thread up to this much late, so the rest is spent polling the
  /// clock.
  private static var spinNanoseconds: UInt64 { 100_000 }

  var nowNanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  func wait(until nanoseconds: UInt64) {
    while true {
      let now = nowNanoseconds
      guard now < nanoseconds else { return }
      let left = nanoseconds - now
      guard left > Self.spinNanoseconds else { continue }
      let sleep = left - Self.spinNanoseconds
      var time = timespec()
      time.tv_sec = Int(sleep / 1_000_000_000)
      time.tv_nsec = Int(sleep % 1_000_000_000)
      nanosleep(&time, nil)
    }
  }
}
