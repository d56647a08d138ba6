#if LARDER_SCHEDULES
  /// Decides which thread goes on, for the simulation in Tests/Schedules.
  ///
  /// The caches tell it of every place at which another thread could come between. With the
  /// condition `LARDER_SCHEDULES` on the command line one thread at a time runs, and the hook says
  /// which; without it nothing of this is compiled.
  public protocol ScheduleHook: TaskExecutor {
    /// Others may run before the caller goes on.
    func step()
    /// The caller has looked in vain for what another thread is to do: others run first.
    func spin()
    /// The caller goes on after the next `wake` of the same place.
    func sleep(at place: UnsafeRawPointer)
    /// Whoever sleeps at the place may look again.
    func wake(_ place: UnsafeRawPointer)
    /// Does `body` later, after everything that has the same `lane`.
    func enqueue(lane: Int, _ body: @escaping @Sendable () -> Void)
  }

  /// The hook of this process.
  public enum Schedules {
    /// Nil while nothing is simulated; changed only while no other thread uses a cache.
    nonisolated(unsafe) public static var hook: (any ScheduleHook)?
  }
#endif
