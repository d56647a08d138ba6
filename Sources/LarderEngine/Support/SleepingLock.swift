#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock that may be held for long, as while the disk is at work: who waits sleeps until it is
/// free.
package final class SleepingLock: @unchecked Sendable {
  // In cache lines of its own: processors fetch them in pairs.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// A lock that nobody holds.
  package init() {
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
  package func lock() {
    #if LARDER_SCHEDULES
      if let hook = Schedules.hook {
        hook.step()
        while !tryLock() { hook.sleep(at: mutex) }
        return
      }
    #endif
    pthread_mutex_lock(mutex)
  }

  /// Takes the lock if nobody holds it, and says whether it did.
  package func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  /// Gives the lock back.
  package func unlock() {
    pthread_mutex_unlock(mutex)
    #if LARDER_SCHEDULES
      Schedules.hook?.wake(mutex)
    #endif
  }
}
