import Foundation
import LarderLibc

/// A bounded queue of records between the thread of a source and that of a consumer, a ring of
/// buffers: lines are parsed on one core and objects are numbered on another.
final class RecordPipe: @unchecked Sendable {
  // Unchecked: the numbers below change only under the lock; a buffer belongs to the producer until
  // it is counted as filled, and to the consumer until it is counted as emptied.
  private let changed = NSCondition()
  private let buffers: UnsafeMutablePointer<TraceRecord>
  private let counts: UnsafeMutablePointer<Int>
  private var filled = 0
  private var emptied = 0
  private var isTaken = false
  private var isClosed = false
  private var isStopped = false
  private var failure: (any Error)?

  private let length: Int
  private let capacity: Int

  /// Minimum file size for which a thread pays off.
  static let bytesMinimum = 8 << 20

  static let isWorthIt = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

  init(length: Int = 8, capacity: Int = 8192) {
    (self.length, self.capacity) = (length, capacity)
    buffers = .allocate(capacity: length * capacity)
    counts = .allocate(capacity: length)
    counts.initialize(repeating: 0, count: length)
  }

  deinit {
    buffers.deallocate()
    counts.deallocate()
  }

  /// Calls `produce` in another thread, which has ended when this returns.
  static func run(
    _ produce: (RecordSink) throws -> Void, into sink: RecordSink
  ) throws {
    let pipe = RecordPipe()
    try withoutActuallyEscaping(produce) { produce in
      let thread = JoinedThread { pipe.fill(by: produce) }
      guard let thread else { return try produce(sink) }
      defer {
        pipe.stop()
        thread.join()
      }
      while let batch = try pipe.take() { guard try sink(batch) else { return } }
    }
  }

  func fill(by produce: (RecordSink) throws -> Void) {
    do {
      try produce { try put($0) }
      close(nil)
    } catch {
      close(error)
    }
  }

  private func put(_ batch: UnsafeBufferPointer<TraceRecord>) throws -> Bool {
    guard let records = batch.baseAddress else { return true }
    var start = 0
    while start < batch.count {
      changed.lock()
      while filled - emptied == length, !isStopped { changed.wait() }
      let (slot, goesOn) = (filled % length, !isStopped)
      changed.unlock()
      guard goesOn else { return false }
      let count = min(capacity - counts[slot], batch.count - start)
      (buffers + slot * capacity + counts[slot]).update(from: records + start, count: count)
      counts[slot] += count
      start += count
      if counts[slot] == capacity { change { filled += 1 } }
    }
    return true
  }

  private func change(_ body: () -> Void) {
    changed.lock()
    body()
    changed.broadcast()
    changed.unlock()
  }

  func close(_ error: (any Error)?) {
    change {
      // The last buffer is partly full; if the ring is full, it has not been begun.
      if filled - emptied < length, counts[filled % length] > 0 { filled += 1 }
      isClosed = true
      failure = error
    }
  }

  func stop() { change { isStopped = true } }

  /// The next records, valid until the next call; nil after the last.
  func take() throws -> UnsafeBufferPointer<TraceRecord>? {
    changed.lock()
    defer { changed.unlock() }
    if isTaken {
      counts[emptied % length] = 0
      emptied += 1
      isTaken = false
      changed.broadcast()
    }
    while filled == emptied, !isClosed { changed.wait() }
    guard filled > emptied else {
      if let failure { throw failure }
      return nil
    }
    isTaken = true
    let slot = emptied % length
    return UnsafeBufferPointer(start: buffers + slot * capacity, count: counts[slot])
  }
}
