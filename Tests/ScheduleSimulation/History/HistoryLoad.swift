/// One call of a loader: a request to the origin.
package struct HistoryLoad: Sendable {
  /// The cached value according to the request.
  package enum Candidate: Sendable, Hashable {
    /// Unknown to loaders of a `MemoryCache`.
    case unknown
    case none
    /// A value, nil if it has no version to identify it.
    case some(Int?)
  }

  /// Response of the origin.
  package enum Answer: Sendable, Hashable {
    /// A value, and its TTL in microseconds.
    case value(Int, life: UInt64?)
    case notModified
    case absent
    case failed
    case cancelled
  }

  package var key: Int
  package var owner: Int
  package var candidate: Candidate
  package var answer: Answer
  package var started: Int
  package var ended: Int
  /// Time of the cache's clock at these times, in microseconds.
  package var clockStarted: UInt64
  package var clockEnded: UInt64

  /// Creates a load; see the properties.
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
