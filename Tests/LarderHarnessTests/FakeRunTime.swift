import Synchronization

@testable import LarderHarness

/// Time that stands still but for waiting, and for what a test adds to it.
final class FakeRunTime: RunTime {
  private let now = Atomic<UInt64>(5_000_000)

  var nowNanoseconds: UInt64 { now.load(ordering: .relaxed) }

  func wait(until nanoseconds: UInt64) { now.max(nanoseconds, ordering: .relaxed) }

  /// Time goes by.
  func spend(_ nanoseconds: UInt64) { now.wrappingAdd(nanoseconds, ordering: .relaxed) }
}
