#if LARDER_SCHEDULES
  import LarderEngine

  /// A place at which the simulation of schedules may let another thread run.
  @usableFromInline
  enum ScheduledStep {
    /// Returns when the caller is to go on.
    @usableFromInline
    static func take() { Schedules.hook?.step() }
  }
#endif
