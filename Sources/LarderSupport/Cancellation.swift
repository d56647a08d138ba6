import Synchronization

/// A flag that asks work to stop at the next suitable point. Set once, from any thread or from a
/// signal handler; never reset.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isRequested: Bool { flag.load(ordering: .relaxed) }

  package func request() { flag.store(true, ordering: .relaxed) }
}
