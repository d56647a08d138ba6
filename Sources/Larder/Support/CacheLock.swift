public import CLarderShims
import LarderEngine
import LarderLibc
public import Synchronization

/// The one lock that the caches use, so that another kind is a change to this file.
///
/// A word at a place that whoever makes the lock keeps: the lock and what it guards can then share
/// a cache line. Taking it is one atomic exchange and giving it back one store, where a
/// `pthread_mutex_t` takes an exchange for each; and what is guarded takes tens of nanoseconds, so
/// whoever has to wait looks again many times before it asks the system to let others run.
@usableFromInline struct CacheLock {
  @usableFromInline let word: UnsafeMutablePointer<Atomic<UInt32>>

  /// The lock at `place`, which `create` has made.
  @inlinable @inline(__always) init(at place: UnsafeMutableRawPointer) {
    word = place.assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// Bytes that a lock takes.
  static var size: Int { MemoryLayout<Atomic<UInt32>>.size }

  /// Makes a lock at `place`.
  static func create(at place: UnsafeMutableRawPointer) {
    place.bindMemory(to: Atomic<UInt32>.self, capacity: 1).initialize(to: Atomic(0))
  }

  /// Whether nobody holds the lock. In one order with what others do to locks and slots.
  @inlinable @inline(__always) var isFree: Bool {
    word.pointee.load(ordering: .sequentiallyConsistent) == 0
  }

  /// Waits for the lock and takes it. Not recursive.
  @inlinable @inline(__always) func lock() {
    #if LARDER_SCHEDULES
      ScheduledStep.take()
    #endif
    let isTaken = word.pointee.compareExchange(
      expected: 0, desired: 1, ordering: .sequentiallyConsistent
    ).exchanged
    if !isTaken { wait() }
  }

  /// Releases the lock. A value that was copied under it owns its reference by then: see
  /// `larder_end_protection`.
  @inlinable @inline(__always) func unlock() { larder_end_protection(word, 0) }

  @usableFromInline func wait() {
    ForeignCall.releaseLocks(beforeWaitingAt: word)
    var patience = Patience()
    while true {
      while word.pointee.load(ordering: .relaxed) != 0 { patience.wait() }
      let isTaken = word.pointee.compareExchange(
        expected: 0, desired: 1, ordering: .sequentiallyConsistent
      ).exchanged
      if isTaken { return }
    }
  }
}

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

  @inline(never) private func wait() {
    for _ in 0..<Self.triesMax {
      larder_pause()
      if tryLock() { return }
    }
    sleeping.lock()
  }

  private static var triesMax: Int { 60 }
}

/// How to wait for something that another thread does in tens of nanoseconds, unless it is not
/// running: a while on the processor, then behind other threads, then asleep, so that a thread of
/// higher priority does not keep from running the one that it waits for.
struct Patience {
  private var times = 0

  /// Waits a little, longer every time.
  mutating func wait() {
    #if LARDER_SCHEDULES
      if let hook = Schedules.hook { return hook.spin() }
    #endif
    times += 1
    if times <= 100 {
      larder_pause()
    } else if times <= 110 {
      sched_yield()
    } else {
      var time = timespec(tv_sec: 0, tv_nsec: times <= 120 ? 50_000 : 500_000)
      nanosleep(&time, nil)
    }
  }
}

/// A call from a cache into code of its user (the body of an update, a codec, a listener) on the
/// current thread.
///
/// It is on the stack, and calls within each other are linked, the innermost first. A cache so
/// knows that it is called from its own call, and neither waits for itself nor calls itself without
/// end.
@usableFromInline struct ForeignCall {
  /// The cache, or the part of it that makes the call.
  private let owner: UnsafeRawPointer
  /// The lock that the cache holds meanwhile, if any, and the memory in which all its locks are.
  private let lock: CacheLock?
  private let bytes: Int
  private let outer: UnsafeMutablePointer<ForeignCall>?
  private var isReleased = false

  private static var innermost: UnsafeMutablePointer<ForeignCall>? {
    larder_foreign_call()?.assumingMemoryBound(to: ForeignCall.self)
  }

  /// Makes a call.
  static func run<Result, Failure: Error>(
    of owner: UnsafeRawPointer, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var isReleased = false
    return try run(of: owner, bytes: 0, holding: nil, isReleased: &isReleased, body)
  }

  /// Makes a call with a lock held, one of those in the `bytes` from `owner` on. The lock was
  /// released, and is for the caller to take again, if the thread has waited for one of them.
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

  /// True if the thread is in a call that `owner` makes.
  @usableFromInline static func isInside(_ owner: UnsafeRawPointer) -> Bool {
    var next = innermost
    while let call = next {
      if call.pointee.owner == owner { return true }
      next = call.pointee.outer
    }
    return false
  }

  /// The thread is about to wait for a lock: releases those that it holds of the same cache, one of
  /// which may be that, or be wanted by the thread that holds it.
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
