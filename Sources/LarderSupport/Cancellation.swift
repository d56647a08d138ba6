import Synchronization

/// A flag that asks work to stop at the next good place. Set once, from any thread or from a signal
/// handler; never unset.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)

  /// Nothing has been asked.
  package init() {}

  /// Whether work should stop.
  package var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Asks for it.
  package func request() { flag.store(true, ordering: .relaxed) }
}
