import Synchronization

/// A load of a memory cache that is under way.
final class MemoryLoad<Value: Sendable>: Sendable {
  /// Who waits for it, and its task.
  let flight = CacheFlight<Value>(candidate: nil, isBackground: false)
  private let isWanted = Atomic(true)

  /// Whether its value may be stored: not once its key was removed.
  var mayStore: Bool { isWanted.load(ordering: .acquiring) }

  /// Its key was removed. Those who wait get the value all the same.
  func forget() { isWanted.store(false, ordering: .sequentiallyConsistent) }
}
