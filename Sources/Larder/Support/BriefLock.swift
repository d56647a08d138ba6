import CLarderShims
import LarderEngine

/// A lock that is mostly held for less than a microsecond, and sometimes for as long as the disk
/// takes: a thread that finds it taken tries for about as long as it takes to fall asleep and wake,
/// and then sleeps until it is free.
final class BriefLock: Sendable {
  private let sleeping = SleepingLock()

  /// Waits for the lock and takes it. Not recursive.
  func lock() {
    #if LARDER_SCHEDULES
      // One thread runs at a time: to try again would change nothing.
      if Schedules.hook != nil { return sleeping.lock() }
    #endif
    if !tryLock() { wait() }
  }

  /// Takes the lock if nobody holds it, and says whether it did.
  func tryLock() -> Bool { sleeping.tryLock() }

  /// Gives the lock back.
  func unlock() { sleeping.unlock() }

  @inline(never)
  private func wait() {
    for _ in 0..<Self.triesMax {
      larder_pause()
      if tryLock() { return }
    }
    sleeping.lock()
  }

  private static var triesMax: Int { 60 }
}
