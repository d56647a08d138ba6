import Synchronization

@testable import LarderHarness

/// A clock that advances only by waiting and by a test's request.
final class FakeRunTime: RunTime {
  private let now = Atomic<UInt64>(5_000_000)

  var nowNanoseconds: UInt64 { now.load(ordering: .relaxed) }

  func wait(until nanoseconds: UInt64) { now.max(nanoseconds, ordering: .relaxed) }

  func spend(_ nanoseconds: UInt64) { now.wrappingAdd(nanoseconds, ordering: .relaxed) }
}

final class ProgressCount: Sendable {
  private let sum = Atomic(0)

  var total: Int { sum.load(ordering: .relaxed) }

  func add(_ count: Int) { sum.wrappingAdd(count, ordering: .relaxed) }
}
