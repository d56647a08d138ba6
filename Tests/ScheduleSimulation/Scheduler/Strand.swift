#if LARDER_SCHEDULES
  /// Work that runs until it ends or is interrupted: a part of a task between two suspensions, or a
  /// job of a lane.
  final class Strand {
    /// Work of a strand.
    enum Work {
      case job(UnownedJob)
      case lane(Int, @Sendable () -> Void)
    }

    /// Order of creation, from 1.
    let number: Int
    /// Nil once it has begun.
    var work: Work?
    /// Its thread while it is running or interrupted.
    var worker: Worker?
    /// Priority; the highest of the strands that can run runs.
    var priority: UInt64
    var place: UnsafeRawPointer?

    init(_ number: Int, _ work: Work, priority: UInt64) {
      self.number = number
      self.work = work
      self.priority = priority
    }
  }
#endif
