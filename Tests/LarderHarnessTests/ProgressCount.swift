import Synchronization

@testable import LarderHarness

/// Sums up reported progress.
final class ProgressCount: Sendable {
  private let sum = Atomic(0)

  var total: Int { sum.load(ordering: .relaxed) }

  func add(_ count: Int) { sum.wrappingAdd(count, ordering: .relaxed) }
}
