import Synchronization

/// A load of a memory cache that is under way.
final class MemoryLoad<Value: Sendable>: Sendable {
  /// Who waits for it, and its task.
  let flight: CacheFlight<Value>
  private let isWanted = Atomic(true)

  /// A load; one in the background goes on when nobody waits for it.
  init(isBackground: Bool = false) {
    flight = CacheFlight(candidate: nil, isBackground: isBackground)
  }

  /// Whether its value, or that there is none, may be stored: not once its key was set or removed.
  var mayStore: Bool {
    #if LARDER_SCHEDULES
      ScheduledStep.take()
    #endif
    return isWanted.load(ordering: .acquiring)
  }

  /// Its key was set or removed. Those who wait get the value all the same.
  func forget() { isWanted.store(false, ordering: .sequentiallyConsistent) }
}
