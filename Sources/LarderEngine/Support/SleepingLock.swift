import LarderLibc

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

/// A value behind a lock of its own.
///
/// What the standard library's `Mutex` is, but for two things: it is an object, and the thread
/// sanitizer knows its lock. On Linux a `Mutex` that somebody waits for is handed over by the
/// kernel, unseen by the sanitizer, which then takes what the two threads do one after the other
/// for a race.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  private let lock = SleepingLock()
  private var value: Value

  /// A value that nobody holds.
  package init(_ value: consuming sending Value) { self.value = value }

  /// Calls `body` with the value while nobody else has it. Not recursive.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
