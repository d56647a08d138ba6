import LarderLibc

/// Pipelines reading and preparing a trace: lines are parsed on one core and objects are numbered
/// on the other.
///
/// A ring of buffers between two threads. The preparing thread is the caller's own, so progress,
/// errors and interruptions occur there as without the pipe.
final class RecordPipe: @unchecked Sendable {
  // Unchecked: the numbers below change only under the lock; a buffer belongs to the producer until
  // it is counted as filled, and to the consumer until it is counted as emptied.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private let buffers: UnsafeMutablePointer<TraceRecord>
  private let counts: UnsafeMutablePointer<Int>
  private var filled = 0
  private var emptied = 0
  private var isClosed = false
  private var isStopped = false
  private var failure: (any Error)?

  /// Buffers in the ring, and records in each: 2 MiB together.
  private static let length = 8
  private static let capacity = 8192

  /// Minimum file size for which a thread pays off.
  static let bytesMinimum = 8 << 20

  /// True on machines with several cores.
  static let isWorthIt = FilePieces.threadsDefault > 1

  private init() {
    lock = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
    buffers = .allocate(capacity: Self.length * Self.capacity)
    counts = .allocate(capacity: Self.length)
    counts.initialize(repeating: 0, count: Self.length)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    lock.deallocate()
    changed.deallocate()
    buffers.deallocate()
    counts.deallocate()
  }

  /// Calls `produce` in a separate thread and passes its records to `sink` in this one. Both have
  /// ended when this returns.
  ///
  /// - Throws: any error of `produce` and `sink`.
  static func run(
    _ produce: (RecordSink) throws -> Void, into sink: RecordSink
  ) throws {
    let pipe = RecordPipe()
    try withoutActuallyEscaping(produce) { produce in
      let thread = JoinedThread {
        do {
          try produce { try pipe.put($0) }
          pipe.close(nil)
        } catch {
          pipe.close(error)
        }
      }
      guard let thread else { return try produce(sink) }
      defer {
        pipe.stop()
        thread.join()
      }
      try pipe.drain(into: sink)
    }
  }

  /// Copies records into buffers, waiting for free ones; false if the consumer stopped.
  private func put(_ batch: UnsafeBufferPointer<TraceRecord>) throws -> Bool {
    guard let records = batch.baseAddress else { return true }
    var start = 0
    while start < batch.count {
      pthread_mutex_lock(lock)
      while filled - emptied == Self.length, !isStopped { pthread_cond_wait(changed, lock) }
      let (slot, goesOn) = (filled % Self.length, !isStopped)
      pthread_mutex_unlock(lock)
      guard goesOn else { return false }
      let count = min(Self.capacity - counts[slot], batch.count - start)
      (buffers + slot * Self.capacity + counts[slot]).update(from: records + start, count: count)
      counts[slot] += count
      start += count
      if counts[slot] == Self.capacity { handOver() }
    }
    return true
  }

  private func handOver() {
    pthread_mutex_lock(lock)
    filled += 1
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(lock)
  }

  /// Ends the producer's side.
  private func close(_ error: (any Error)?) {
    pthread_mutex_lock(lock)
    // The last buffer is partly full; if the ring is full, it has not been begun.
    if filled - emptied < Self.length, counts[filled % Self.length] > 0 { filled += 1 }
    isClosed = true
    failure = error
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(lock)
  }

  private func stop() {
    pthread_mutex_lock(lock)
    isStopped = true
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(lock)
  }

  /// Passes all buffers to `sink` until the producer has ended.
  private func drain(into sink: RecordSink) throws {
    while true {
      pthread_mutex_lock(lock)
      while filled == emptied, !isClosed { pthread_cond_wait(changed, lock) }
      let (slot, isEmpty, error) = (emptied % Self.length, filled == emptied, failure)
      pthread_mutex_unlock(lock)
      if isEmpty {
        if let error { throw error }
        return
      }
      let batch = UnsafeBufferPointer(start: buffers + slot * Self.capacity, count: counts[slot])
      let goesOn = try sink(batch)
      counts[slot] = 0
      pthread_mutex_lock(lock)
      emptied += 1
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(lock)
      guard goesOn else { return }
    }
  }
}

/// A thread that is either joined, so that it may use the stack of its starter, or detached.
struct JoinedThread {
  private let thread: pthread_t

  /// Box of a closure for a C callback.
  private final class Box {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Starts a thread; nil if the system has no more.
  init?(_ body: @escaping () -> Void) {
    let context = Unmanaged.passRetained(Box(body)).toOpaque()
    #if canImport(Glibc)
      var thread = pthread_t()
      let failed = pthread_create(
        &thread, nil,
        { context in
          context.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
          return nil
        }, context)
      let started: pthread_t? = failed == 0 ? thread : nil
    #else
      var started: pthread_t?
      let failed = pthread_create(
        &started, nil,
        { context in
          Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
          return nil
        }, context)
    #endif
    guard failed == 0, let started else {
      Unmanaged<Box>.fromOpaque(context).release()
      return nil
    }
    self.thread = started
  }

  /// Lets the thread end by itself; it must own everything that it uses.
  func detach() { pthread_detach(thread) }

  func join() { pthread_join(thread, nil) }
}
