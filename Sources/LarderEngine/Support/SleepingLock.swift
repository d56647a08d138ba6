import LarderLibc

/// A lock that may be held for long, for example during disk I/O: waiting threads sleep.
package final class SleepingLock: @unchecked Sendable {
  // On separate cache lines: processors fetch them in pairs.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

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

  package func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  package func unlock() {
    pthread_mutex_unlock(mutex)
    #if LARDER_SCHEDULES
      Schedules.hook?.wake(mutex)
    #endif
  }
}

/// A value protected by a lock. Unlike the standard library's `Mutex`, it is an object, and the
/// thread sanitizer recognises its lock: on Linux it reports false races of a contended `Mutex`.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  private let lock = SleepingLock()
  private var value: Value

  package init(_ value: consuming sending Value) { self.value = value }

  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
