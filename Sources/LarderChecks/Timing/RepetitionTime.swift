import LarderSimulation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What one measurement of a cell took.
package struct RepetitionTime: Sendable, Hashable {
  /// Processor time of the thread: time that other programs had the processor is not in it.
  package var processorNanoseconds: UInt64
  /// Time on the wall.
  package var wallNanoseconds: UInt64
  /// The cell's hits, so that it is noticed when two builds do different work.
  package var hits: UInt64
  /// The 99th percentile of the latency of gets in the last run; nil where none was recorded.
  package var latencyNanoseconds: UInt64?

  /// A measurement; see the properties for the meaning of each part.
  package init(
    processorNanoseconds: UInt64, wallNanoseconds: UInt64, hits: UInt64,
    latencyNanoseconds: UInt64? = nil
  ) {
    self.processorNanoseconds = processorNanoseconds
    self.wallNanoseconds = wallNanoseconds
    self.hits = hits
    self.latencyNanoseconds = latencyNanoseconds
  }

  /// The time that is compared, in seconds: of a simulation the processor's, which a loaded machine
  /// does not lengthen, and of a real cache, which waits for its disk, that on the wall.
  package func seconds(_ mode: Timing.Mode) -> Double {
    Double(max(1, mode == .simulate ? processorNanoseconds : wallNanoseconds)) / 1e9
  }
}

/// Two clocks, read together.
struct TwoClocks {
  /// Nanoseconds of this thread's processor time.
  let processor: UInt64
  /// Nanoseconds since a moment that stays the same.
  let wall: UInt64

  /// The time now.
  static var now: TwoClocks {
    TwoClocks(
      processor: nanoseconds(CLOCK_THREAD_CPUTIME_ID), wall: nanoseconds(CLOCK_MONOTONIC))
  }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
