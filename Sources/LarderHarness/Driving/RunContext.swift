import Foundation
import LarderExperiments
import LarderLibc
import LarderSupport
import LarderTraces
import Synchronization

/// State shared by all threads of a run.
struct RunContext: Sendable {
  let memory: HarnessMemory
  let trace: PreparedTrace
  let reader: TraceReader
  let versions: ObjectVersions
  let pattern: ValuePattern
  let clock: TraceClock
  let time: any RunTime
  /// The latency of the origin; nil for none.
  let origin: OriginLatency?
  let waitsForOrigin: Bool
  let verification: ExecutionSpec.Verification
  let cancellation: Cancellation
  let progress: @Sendable (Int) -> Void
}

/// Holds a thread's worker between the parts of a run. Used by one thread at a time.
final class WorkerSlot: @unchecked Sendable {
  private(set) var failure: (any Error)?
  var worker: RequestWorker

  init(_ worker: RequestWorker) { self.worker = worker }

  /// Lets the worker make requests. If the cache fails, all threads stop.
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
  /// Nanoseconds since a fixed moment.
  var nowNanoseconds: UInt64 { get }

  /// Waits until an instant; returns at once if it has passed.
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
