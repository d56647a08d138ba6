#if LARDER_SCHEDULES
  /// Something that runs until it ends or another one is let run: a part of a task between two
  /// suspensions, or what a lane does.
  final class Strand {
    /// What a strand does.
    enum Work {
      case job(UnownedJob)
      case lane(Int, @Sendable () -> Void)
    }

    /// In the order in which they began to exist, from 1.
    let number: Int
    /// Nil once it has begun.
    var work: Work?
    /// The thread that it has while it has begun and not ended.
    var worker: Worker?
    /// For schedules by priority: the highest of those that can run runs.
    var priority: UInt64
    /// The place at which it sleeps.
    var place: UnsafeRawPointer?

    init(_ number: Int, _ work: Work, priority: UInt64) {
      self.number = number
      self.work = work
      self.priority = priority
    }
  }
#endif
