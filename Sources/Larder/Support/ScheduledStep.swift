#if LARDER_SCHEDULES
  import LarderEngine

  /// A place at which the simulation of schedules may let another thread run.
  @usableFromInline
  func scheduledStep() { Schedules.hook?.step() }
#endif
