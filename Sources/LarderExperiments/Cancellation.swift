import Synchronization

/// A flag that asks work to stop at the next good place. Set once, from any thread or from a signal
/// handler; never unset.
public final class Cancellation: Sendable {
  private let flag = Atomic(false)

  /// Nothing has been asked.
  public init() {}

  /// Whether work should stop.
  public var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Asks for it.
  public func request() { flag.store(true, ordering: .relaxed) }
}
