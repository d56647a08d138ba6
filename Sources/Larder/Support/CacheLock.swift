#if canImport(Darwin)
  public import Darwin
#elseif canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#endif

/// The one lock that the caches use, so that another kind is a change to this file.
///
/// A `pthread_mutex_t` at a place that whoever makes the lock keeps: the lock and what it guards
/// can then share a cache line.
@usableFromInline
struct CacheLock {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// The lock at `place`, which `create` has made.
  @inlinable
  init(at place: UnsafeMutableRawPointer) {
    mutex = place.assumingMemoryBound(to: pthread_mutex_t.self)
  }

  /// Bytes that a lock takes.
  static var size: Int { MemoryLayout<pthread_mutex_t>.size }

  /// Makes a lock at `place`.
  static func create(at place: UnsafeMutableRawPointer) {
    let mutex = place.bindMemory(to: pthread_mutex_t.self, capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  /// Ends the lock, which nobody holds.
  func destroy() { pthread_mutex_destroy(mutex) }

  /// Waits for the lock and takes it. Not recursive.
  @inlinable
  func lock() { pthread_mutex_lock(mutex) }

  /// Gives the lock back.
  @inlinable
  func unlock() { pthread_mutex_unlock(mutex) }
}
