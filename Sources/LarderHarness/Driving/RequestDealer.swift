import Synchronization

/// Deals the requests of a part of the trace out to threads: whoever is free takes the next ones.
///
/// In a closed loop they go in blocks, small enough that all threads work at about the same place
/// of the trace, and one by one where the trace has times; in an open loop one by one, so that a
/// request waits for a thread only when all are busy. A thread that is held up makes fewer
/// requests, and none is made twice or left out.
final class RequestDealer: Sendable {
  private let next: Atomic<Int>
  private let end: Int
  private let block: Int
  private let stopped = Atomic(false)

  /// Deals the requests of `range`.
  init(_ range: Range<Int>, block: Int) {
    next = Atomic(range.lowerBound)
    end = range.upperBound
    self.block = block
  }

  /// The next requests, nil when there are no more.
  func take() -> Range<Int>? {
    guard !stopped.load(ordering: .relaxed) else { return nil }
    let start = next.wrappingAdd(block, ordering: .relaxed).oldValue
    guard start < end else { return nil }
    return start..<min(start + block, end)
  }

  /// Nobody gets any more.
  func stop() { stopped.store(true, ordering: .relaxed) }

  /// Whether somebody stopped it.
  var isStopped: Bool { stopped.load(ordering: .relaxed) }
}
