#if LARDER_SCHEDULES
  final class Strand {
    enum Work {
      case job(UnownedJob)
      case lane(Int, @Sendable () -> Void)
    }

    let number: Int
    var work: Work?
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
