import LarderEngine
import Synchronization

/// Wakes a cache when the next of its entries expires.
@usableFromInline
final class PromptExpiry: Sendable {
  /// An entry leaves up to so many microseconds after its expiry.
  let granule: UInt64
  private let clock: any CacheClock
  private let alarm: any ExpiryAlarm
  /// The instant for which the alarm is set; `UInt64.max` for none. Changed under `lock`.
  private let instant = Atomic<UInt64>(.max)
  // Not `Locked`: the thread sanitizer takes a value without bytes for the lock beside it.
  private let lock = SleepingLock()

  /// Nobody is woken before `start`.
  init(granule: UInt64, clock: any CacheClock, alarm: (any ExpiryAlarm)?) {
    self.granule = granule
    self.clock = clock
    self.alarm = alarm ?? DispatchAlarm(leeway: granule / 8)
  }

  /// Calls `ring` when the alarm rings; for the next time it has to be woken again.
  func start(_ ring: @escaping @Sendable () -> Void) {
    alarm.start { [weak self] in
      guard let self else { return }
      #if LARDER_SCHEDULES
        if ScheduleFault.planted == .lateAlarm { ring() }
      #endif
      // Before the cache looks: what is stored from now on sets the alarm itself.
      self.lock.lock()
      self.instant.store(.max, ordering: .relaxed)
      self.lock.unlock()
      #if LARDER_SCHEDULES
        if ScheduleFault.planted == .lateAlarm { return }
      #endif
      ring()
    }
  }

  /// Has the alarm ring at an instant of the cache's clock, or earlier if it is set to that.
  func wake(at wanted: UInt64) {
    if wanted >= instant.load(ordering: .relaxed) { return }
    lock.lock()
    defer { lock.unlock() }
    if wanted >= instant.load(ordering: .relaxed) { return }
    instant.store(wanted, ordering: .relaxed)
    // Not at once: the cache's clock may be some milliseconds behind the alarm's.
    let now = clock.nowMicroseconds
    alarm.set(after: max(1_000, wanted - min(wanted, now)))
  }

  /// Wakes nobody any more.
  func stop() { alarm.stop() }
}
