#if LARDER_SCHEDULES
  /// Faults that the simulation must find.
  public enum ScheduleFault: String, CaseIterable, Sendable {
    /// The one that the caches have; changed only while nobody uses a cache.
    nonisolated(unsafe) public static var planted: ScheduleFault?

    /// A set or a removal does not keep the answer of a hybrid's fetch from being stored.
    case overtakenFetchIsStored
    /// A removal does not keep what a memory cache loads from being stored.
    case removedLoadIsStored
    /// A request begins a load though one is under way.
    case twoLoads
    /// One of those who wait for a fetch is forgotten.
    case forgottenWaiter
    /// What waits to be written is dropped when memory evicts it.
    case droppedWrite
    /// An update reads before it takes the lock.
    case updateInTwoSteps
    /// A value that was read while it was written is not thrown away.
    case tornRead
    /// What memory evicts reaches disk after the stripe's lock was released.
    case lateDemotion
    /// A fetch that nobody wants any more is joined.
    case abandonedFetchIsJoined
    /// What a loader brings that nobody waits for is stored though another load took its place.
    case abandonedLoadIsStored
    /// A removal keeps loads from being stored before it takes the lock of the shard.
    case earlyForgetting
    /// The origin is asked about what memory held before the lock was taken.
    case outdatedCandidate
    /// That a key has no value is forgotten only after the lock of the shard was given back.
    case lateForgetting
    /// That a load has found no value counts before it is known whether the key was set meanwhile.
    case earlyAbsence
    /// Sets are told of only after other requests have seen that absences are remembered.
    case lateWatch
    /// Others may come between the removals from memory and from disk.
    case removalInTwoSteps
    /// The alarm for entries that expire may be set again only after they were looked at.
    case lateAlarm
    /// A listener is not told of values that others replace.
    case untoldReplacement
  }
#endif

#if LARDER_SCHEDULES
  import LarderEngine

  /// A place at which the simulation of schedules may let another thread run.
  @usableFromInline enum ScheduledStep {
    /// Returns when the caller is to go on.
    @usableFromInline static func take() { Schedules.hook?.step() }
  }
#endif
