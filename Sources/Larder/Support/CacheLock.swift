public import CLarderShims
import LarderEngine
import LarderLibc
public import Synchronization

/// The lock of a shard: two words, so that it can share a cache line with the data it guards. One
/// is 1 while it is held, the other if threads may sleep until it is released.
/// Critical sections take tens of nanoseconds, so a waiting thread spins before it sleeps.
@usableFromInline struct CacheLock {
  @usableFromInline let word: UnsafeMutablePointer<Atomic<UInt32>>

  @inlinable @inline(__always) init(at place: UnsafeMutableRawPointer) {
    word = place.assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  static var size: Int { 2 * MemoryLayout<Atomic<UInt32>>.size }

  static func create(at place: UnsafeMutableRawPointer) {
    let words = place.bindMemory(to: Atomic<UInt32>.self, capacity: 2)
    for word in 0..<2 { (words + word).initialize(to: Atomic(0)) }
  }

  /// True if nobody holds the lock. Sequentially consistent with operations on locks and reader
  /// slots.
  @inlinable @inline(__always) var isFree: Bool {
    word.pointee.load(ordering: .sequentiallyConsistent) == 0
  }

  @inlinable @inline(__always) func lock() {
    ScheduledStep.take()
    if !tryLock() { wait() }
  }

  @inlinable @inline(__always) func tryLock() -> Bool {
    word.pointee.compareExchange(
      expected: 0, desired: 1, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Releases the lock. A value that was copied under it must own its reference by then: see
  /// `larder_end_protection`.
  @inlinable @inline(__always) func unlock() { larder_unlock(word) }

  /// True if a thread may sleep until the lock is released.
  var isAwaited: Bool { (word + 1).pointee.load(ordering: .relaxed) != 0 }

  /// Spins for about as long as falling asleep and waking up takes, and then sleeps until the lock
  /// is released. The thread that releases it wakes one, and forgets the others until that one has
  /// the lock. It looks without a fence after its store: if it misses a thread that is just falling
  /// asleep, that one wakes by itself.
  @usableFromInline func wait() {
    ForeignCall.releaseLocks(beforeWaitingAt: word)
    var patience = Patience()
    while patience.spins() {
      if word.pointee.load(ordering: .relaxed) == 0, tryLock() { return }
    }
    while true {
      (word + 1).pointee.store(1, ordering: .sequentiallyConsistent)
      if tryLock() { return }
      larder_sleep_at(word, 1)
    }
  }
}

/// A lock that is mostly held for less than a microsecond, and sometimes for as long as a disk
/// access: a waiting thread spins for about as long as falling asleep and waking up takes, and then
/// sleeps until the lock is free.
final class BriefLock: Sendable {
  private let sleeping = SleepingLock()

  func lock() {
    #if LARDER_SCHEDULES
      // Only one thread runs at a time, so spinning is useless.
      if Schedules.hook != nil { return sleeping.lock() }
    #endif
    if !tryLock() { wait() }
  }

  func tryLock() -> Bool { sleeping.tryLock() }

  func unlock() { sleeping.unlock() }

  @inline(never) private func wait() {
    for _ in 0..<Self.triesMax {
      larder_pause()
      if tryLock() { return }
    }
    sleeping.lock()
  }

  private static var triesMax: Int { 60 }
}

/// Back-off for waiting on another thread's work of tens of nanoseconds, which takes longer if that
/// thread is not running: spins first, then yields, then sleeps, so that a thread of higher
/// priority does not keep the awaited one from running.
struct Patience {
  private var times = 0

  mutating func wait() {
    if spins() { return }
    times += 1
    if times <= 110 {
      sched_yield()
    } else {
      var time = timespec(tv_sec: 0, tv_nsec: 50_000)
      nanosleep(&time, nil)
    }
  }

  /// Spins for a moment, or returns false if there was enough of that.
  mutating func spins() -> Bool {
    #if LARDER_SCHEDULES
      if let hook = Schedules.hook {
        hook.spin()
        return true
      }
    #endif
    if times >= 100 { return false }
    times += 1
    larder_pause()
    return true
  }
}

/// A call from a cache into its user's code on the current thread. Nested calls are linked,
/// innermost first, so that a cache that is called from its own call neither waits for itself nor
/// calls itself forever.
@usableFromInline struct ForeignCall {
  private let owner: UnsafeRawPointer
  /// The lock that the cache holds during the call, if any, and the memory that contains all its
  /// locks.
  private let lock: CacheLock?
  private let bytes: Int
  private let outer: UnsafeMutablePointer<ForeignCall>?
  private var isReleased = false

  private static var innermost: UnsafeMutablePointer<ForeignCall>? {
    larder_foreign_call()?.assumingMemoryBound(to: ForeignCall.self)
  }

  static func run<Result, Failure: Error>(
    of owner: UnsafeRawPointer, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var isReleased = false
    return try run(of: owner, bytes: 0, holding: nil, isReleased: &isReleased, body)
  }

  /// Makes a call with a lock held, one of those in the `bytes` from `owner` on. If the thread had
  /// to wait for one of them meanwhile, the lock was released, and the caller must acquire it
  /// again.
  static func run<Result, Failure: Error>(
    of owner: UnsafeRawPointer, bytes: Int, holding lock: CacheLock?, isReleased: inout Bool,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = innermost
    var call = ForeignCall(owner: owner, lock: lock, bytes: bytes, outer: outer)
    return try withUnsafeMutablePointer(to: &call) { (place) throws(Failure) in
      larder_set_foreign_call(place)
      defer {
        larder_set_foreign_call(outer)
        isReleased = place.pointee.isReleased
      }
      return try body()
    }
  }

  @usableFromInline static func isInside(_ owner: UnsafeRawPointer) -> Bool {
    var next = innermost
    while let call = next {
      if call.pointee.owner == owner { return true }
      next = call.pointee.outer
    }
    return false
  }

  /// Releases the locks of the same cache that the thread holds, before it waits for a lock: that
  /// lock may be one of them, or its holder may be waiting for one.
  static func releaseLocks(beforeWaitingAt place: UnsafeRawPointer) {
    var next = innermost
    while let call = next {
      let owner = call.pointee.owner
      if let lock = call.pointee.lock, !call.pointee.isReleased, place >= owner,
        place < owner + call.pointee.bytes
      {
        call.pointee.isReleased = true
        lock.unlock()
      }
      next = call.pointee.outer
    }
  }
}

/// A point at which the schedule simulation may switch to another thread; nothing without
/// `LARDER_SCHEDULES`.
@usableFromInline enum ScheduledStep {
  @inlinable @inline(__always) static func take() {
    #if LARDER_SCHEDULES
      step()
    #endif
  }

  #if LARDER_SCHEDULES
    @usableFromInline static func step() { Schedules.hook?.step() }
  #endif
}
