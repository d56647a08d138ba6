import Synchronization

@testable import LarderHarness

/// Adds up what it is told.
final class ProgressCount: Sendable {
  private let sum = Atomic(0)

  var total: Int { sum.load(ordering: .relaxed) }

  func add(_ count: Int) { sum.wrappingAdd(count, ordering: .relaxed) }
}
