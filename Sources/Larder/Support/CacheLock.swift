public import CLarderShims
public import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The one lock that the caches use, so that another kind is a change to this file.
///
/// A word at a place that whoever makes the lock keeps: the lock and what it guards can then share
/// a cache line. Taking it is one atomic exchange and giving it back one store, where a
/// `pthread_mutex_t` takes an exchange for each; and what is guarded takes tens of nanoseconds, so
/// whoever has to wait looks again many times before it asks the system to let others run.
@usableFromInline
struct CacheLock {
  @usableFromInline let word: UnsafeMutablePointer<Atomic<UInt32>>

  /// The lock at `place`, which `create` has made.
  @inlinable
  @inline(__always)
  init(at place: UnsafeMutableRawPointer) {
    word = place.assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// Bytes that a lock takes.
  static var size: Int { MemoryLayout<Atomic<UInt32>>.size }

  /// Makes a lock at `place`.
  static func create(at place: UnsafeMutableRawPointer) {
    place.bindMemory(to: Atomic<UInt32>.self, capacity: 1).initialize(to: Atomic(0))
  }

  /// Whether nobody holds the lock. In one order with what others do to locks and slots.
  @inlinable
  @inline(__always)
  var isFree: Bool { word.pointee.load(ordering: .sequentiallyConsistent) == 0 }

  /// Waits for the lock and takes it. Not recursive.
  @inlinable
  @inline(__always)
  func lock() {
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
  @inlinable
  @inline(__always)
  func unlock() { larder_end_protection(word, 0) }

  @usableFromInline
  func wait() {
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
