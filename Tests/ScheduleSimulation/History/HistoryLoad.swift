package struct HistoryLoad: Sendable {
  /// The cached value according to the request.
  package enum Candidate: Sendable, Hashable {
    /// Unknown to loaders of a `MemoryCache`.
    case unknown
    case none
    /// A value, nil if it has no version to identify it.
    case some(Int?)
  }

  package enum Answer: Sendable, Hashable {
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
  package var clockStarted: UInt64
  package var clockEnded: UInt64

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
