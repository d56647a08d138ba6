import Foundation
import LarderExperiments
import LarderLibc
import LarderSupport
import LarderTraces
import Synchronization

/// What all threads of a run share.
struct RunContext: Sendable {
  /// What the three below point into.
  let memory: HarnessMemory
  let trace: PreparedTrace
  let reader: TraceReader
  let versions: ObjectVersions
  let pattern: ValuePattern
  let clock: TraceClock
  let time: any RunTime
  /// What the origin takes; nil for nothing.
  let origin: OriginLatency?
  let waitsForOrigin: Bool
  let verification: ExecutionSpec.Verification
  let cancellation: Cancellation
  let progress: @Sendable (Int) -> Void
}

/// The place where a thread's worker stands between the parts of a run. One thread at a time has
/// it.
final class WorkerSlot: @unchecked Sendable {
  private(set) var failure: (any Error)?
  var worker: RequestWorker

  /// A place with its worker.
  init(_ worker: RequestWorker) { self.worker = worker }

  /// Lets the worker make requests. When the cache fails, all threads stop.
  func work(on dealer: RequestDealer, _ cache: any CacheUnderTest, _ mode: RequestWorker.Mode) {
    do {
      if try !worker.work(on: dealer, cache, mode) { dealer.stop() }
    } catch {
      failure = error
      dealer.stop()
    }
  }
}

/// Threads of the system's, one for each part of the work, however few cores there are.
enum RunThreads {
  /// Calls `body` with 0 to `count` - 1, each on a thread of its own (a single one on the
  /// caller's), and returns the nanoseconds from when all of them stood ready until the last was
  /// done.
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

/// The time that latencies are measured in, and how it is waited for. Passed in, so that tests need
/// not wait.
protocol RunTime: Sendable {
  /// Nanoseconds since a moment that stays the same.
  var nowNanoseconds: UInt64 { get }

  /// Comes back at an instant, or at once when that has passed.
  func wait(until nanoseconds: UInt64)
}

/// The system's monotonic clock: about 24 ns a look.
struct SystemRunTime: RunTime {
  /// The system wakes a sleeper up to this much late, so the rest is spent looking at the clock.
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
