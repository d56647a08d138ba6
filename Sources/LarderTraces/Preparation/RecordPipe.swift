import LarderLibc

/// Lets one thread read a trace while another prepares what has been read: lines are taken apart on
/// one core and objects are numbered on the other.
///
/// A ring of buffers between the two. The thread that prepares is the caller's own, so progress,
/// errors and interruptions are where they would be without the pipe.
final class RecordPipe: @unchecked Sendable {
  // Unchecked: the numbers below are changed under the lock; a buffer belongs to the producer until
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

  /// Files from this size on are worth a thread.
  static let bytesMinimum = 8 << 20

  /// Whether there is another core to read with.
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

  /// Calls `produce` in a thread of its own and hands what it produces to `sink` in this one. Both
  /// have ended when this returns.
  ///
  /// - Throws: what `produce` and `sink` throw.
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

  /// Copies records into buffers, waiting for free ones; false when they are not wanted any more.
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

  /// The producer has ended.
  private func close(_ error: (any Error)?) {
    pthread_mutex_lock(lock)
    // The last buffer is full in part; where the ring is full it has not been begun.
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

  /// Hands all buffers to `sink` until the producer has ended.
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

/// A thread that is waited for, so that what it uses may live on the stack of its starter, or that
/// is left to end by itself.
struct JoinedThread {
  private let thread: pthread_t

  /// A closure that a C function can be handed.
  private final class Box {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Starts a thread; nil where the system has no more.
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

  /// Leaves it to end by itself. What it uses is its own.
  func detach() { pthread_detach(thread) }

  /// Waits until it has ended.
  func join() { pthread_join(thread, nil) }
}
