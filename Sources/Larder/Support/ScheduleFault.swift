#if LARDER_SCHEDULES
  /// Faults that the schedule simulation must find.
  public enum ScheduleFault: String, CaseIterable, Sendable {
    /// The planted fault; changed only while no cache is in use.
    nonisolated(unsafe) public static var planted: ScheduleFault?

    /// A set or a removal does not keep the result of a hybrid cache's fetch from being stored.
    case overtakenFetchIsStored
    /// A removal does not keep a memory cache's loaded value from being stored.
    case removedLoadIsStored
    /// A request starts a load although one is running.
    case twoLoads
    /// A waiter of a fetch is forgotten.
    case forgottenWaiter
    /// A pending write is dropped when memory evicts its value.
    case droppedWrite
    /// An update reads before it takes the lock.
    case updateInTwoSteps
    /// A value that was read while it was written is not discarded.
    case tornRead
    /// A value evicted from memory reaches disk after the stripe's lock was released.
    case lateDemotion
    /// A request joins an abandoned fetch.
    case abandonedFetchIsJoined
    /// The value of an abandoned load is stored although another load replaced it.
    case abandonedLoadIsStored
    /// A removal invalidates loads before it takes the lock of the shard.
    case earlyForgetting
    /// The origin is asked about the value that memory held before the lock was taken.
    case outdatedCandidate
    /// A missing value is forgotten only after the lock of the shard was released.
    case lateForgetting
    /// A missing value counts before the load has checked that the key was not set meanwhile.
    case earlyAbsence
    /// Sets are reported only after other requests have seen that missing values are remembered.
    case lateWatch
    /// Removals from memory and from disk are not atomic.
    case removalInTwoSteps
    /// The alarm for expiring entries may be set again only after the entries were examined.
    case lateAlarm
    /// Listeners do not learn of replaced values.
    case untoldReplacement
  }
#endif

#if LARDER_SCHEDULES
  import LarderEngine

  /// A point at which the schedule simulation may switch to another thread.
  @usableFromInline enum ScheduledStep {
    /// Returns when the caller may continue.
    @usableFromInline static func take() { Schedules.hook?.step() }
  }
#endif
