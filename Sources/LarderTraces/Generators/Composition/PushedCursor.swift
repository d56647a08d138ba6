import Foundation

/// A cursor over a source that pushes: the source runs in a thread of its own, a few batches ahead.
///
/// The order of records does not depend on the threads. Dropping the cursor ends the thread at its
/// next batch.
final class PushedCursor: RecordCursor {
  private let channel = BatchChannel()
  private var batch: [TraceRecord] = []
  private var next = 0

  /// Starts the source.
  init(_ source: any RecordSource) {
    let channel = channel
    let thread = JoinedThread {
      do {
        try source.records { channel.send(Array($0)) }
        channel.finish(nil)
      } catch {
        channel.finish(error)
      }
    }
    guard let thread else {
      channel.finish(
        TraceError(
          "no thread to read it in: \(SystemError.last)", in: "the source",
          advice: "read fewer sources at a time"))
      return
    }
    thread.detach()
  }

  deinit { channel.cancel() }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int {
    while next == batch.count {
      guard let received = try channel.receive() else { return 0 }
      batch = received
      next = 0
    }
    let count = min(buffer.count, batch.count - next)
    for place in 0..<count { buffer[place] = batch[next + place] }
    next += count
    return count
  }
}

/// A bounded queue of batches between the source's thread and the cursor's.
private final class BatchChannel: @unchecked Sendable {
  private let condition = NSCondition()
  private var batches: [[TraceRecord]] = []
  private var isFinished = false
  private var isCancelled = false
  private var error: (any Error)?

  /// Batches in the queue at most.
  private static let depth = 4

  /// Waits for room. False when the receiver wants no more.
  func send(_ batch: [TraceRecord]) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while batches.count == Self.depth, !isCancelled { condition.wait() }
    if isCancelled { return false }
    batches.append(batch)
    condition.signal()
    return true
  }

  /// No more batches will come.
  func finish(_ error: (any Error)?) {
    condition.lock()
    defer { condition.unlock() }
    isFinished = true
    self.error = error
    condition.signal()
  }

  /// The next batch, nil after the last.
  ///
  /// - Throws: what the source threw, after its last batch.
  func receive() throws -> [TraceRecord]? {
    condition.lock()
    defer { condition.unlock() }
    while batches.isEmpty, !isFinished { condition.wait() }
    if batches.isEmpty {
      if let error { throw error }
      return nil
    }
    let batch = batches.removeFirst()
    condition.signal()
    return batch
  }

  /// The receiver wants no more.
  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    condition.signal()
  }
}
