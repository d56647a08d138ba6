import CLarderShims
import LarderEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock that is mostly held for less than a microsecond, and sometimes for as long as the disk
/// takes: a thread that finds it taken tries for about as long as it takes to fall asleep and wake,
/// and then sleeps until it is free.
final class BriefLock: @unchecked Sendable {
  // In cache lines of its own: processors fetch them in pairs.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// A lock that nobody holds.
  init() {
    let place = UnsafeMutableRawPointer.allocate(
      byteCount: max(MemoryLayout<pthread_mutex_t>.size, 128), alignment: 128)
    mutex = place.bindMemory(to: pthread_mutex_t.self, capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    UnsafeMutableRawPointer(mutex).deallocate()
  }

  /// Waits for the lock and takes it. Not recursive.
  func lock() {
    #if LARDER_SCHEDULES
      if let hook = Schedules.hook {
        hook.step()
        while !tryLock() { hook.sleep(at: mutex) }
        return
      }
    #endif
    if !tryLock() { wait() }
  }

  /// Takes the lock if nobody holds it, and says whether it did.
  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  /// Gives the lock back.
  func unlock() {
    pthread_mutex_unlock(mutex)
    #if LARDER_SCHEDULES
      Schedules.hook?.wake(mutex)
    #endif
  }

  @inline(never)
  private func wait() {
    for _ in 0..<Self.triesMax {
      larder_pause()
      if tryLock() { return }
    }
    pthread_mutex_lock(mutex)
  }

  private static var triesMax: Int { 60 }
}
