#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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
