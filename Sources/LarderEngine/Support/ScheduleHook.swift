#if LARDER_SCHEDULES
  /// Chooses the thread that runs next, for the simulation in Tests/Schedules. The caches call it
  /// at every point where another thread could intervene, if compiled with `LARDER_SCHEDULES`.
  public protocol ScheduleHook: TaskExecutor {
    /// Lets other threads run before the caller continues.
    func step()
    /// Lets other threads run first, because the caller polled in vain for a change by another
    /// thread.
    func spin()
    /// Suspends the caller until the next `wake` of the same address.
    func sleep(at place: UnsafeRawPointer)
    /// Wakes all callers that sleep at the address.
    func wake(_ place: UnsafeRawPointer)
    /// Runs `body` later, after all earlier bodies of the same `lane`.
    func enqueue(lane: Int, _ body: @escaping @Sendable () -> Void)
    /// Runs `body` while no other thread runs.
    func uninterrupted(_ body: () -> Void)
  }

  /// The hook of this process.
  public enum Schedules {
    /// Nil if nothing is simulated; changed only while no other thread uses a cache.
    nonisolated(unsafe) public static var hook: (any ScheduleHook)?
  }
#endif
