import Foundation
import Synchronization

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
