/// One call of a loader: a question to the origin.
package struct HistoryLoad: Sendable {
  /// What the cache said that it had.
  package enum Candidate: Sendable, Hashable {
    /// Loaders of a `MemoryCache` are not told.
    case unknown
    case none
    /// A value, nil where it has no version by which to know it.
    case some(Int?)
  }

  /// What the origin said.
  package enum Answer: Sendable, Hashable {
    /// A value, and its life in microseconds.
    case value(Int, life: UInt64?)
    case notModified
    case absent
    case failed
    /// The loader was cancelled and gave up.
    case cancelled
  }

  package var key: Int
  /// The number of the request whose loader it is.
  package var owner: Int
  package var candidate: Candidate
  package var answer: Answer
  /// Times of the history.
  package var started: Int
  package var ended: Int
  /// The cache's clock at these times, microseconds.
  package var clockStarted: UInt64
  package var clockEnded: UInt64

  /// See the properties.
  package init(
    key: Int, owner: Int, candidate: Candidate, _ answer: Answer, _ times: ClosedRange<Int>,
    clock: ClosedRange<UInt64> = 0...0
  ) {
    self.key = key
    self.owner = owner
    self.candidate = candidate
    self.answer = answer
    (started, ended) = (times.lowerBound, times.upperBound)
    (clockStarted, clockEnded) = (clock.lowerBound, clock.upperBound)
  }
}
