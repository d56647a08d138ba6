import Larder

/// One call of a cache about one key, as its client saw it.
package struct HistoryEvent: Sendable {
  /// What was asked and answered.
  package enum Action: Sendable {
    /// A value, or nil for a miss.
    case get(Int?)
    /// Whether there is a value, which is no reference to it.
    case look(Bool)
    /// A value with its life in microseconds, and what the call said.
    case set(Int, life: UInt64?, SetOutcome)
    /// The value before, nil for none, and the one after.
    case update(old: Int?, new: Int)
    /// A removal of the key, or of all keys.
    case remove
    /// A request that may have asked the origin.
    case request(CacheStrategy, RequestOutcome)
    /// A call that failed and tells nothing.
    case nothing(String)
  }

  /// What a set said.
  package enum SetOutcome: Sendable, Hashable {
    case stored
    case refused
    /// It threw.
    case failed
  }

  /// What a request was answered.
  package enum RequestOutcome: Sendable, Hashable {
    /// A cached value that has not expired.
    case fresh(Int)
    /// A cached value that may have.
    case stale(Int)
    /// A cached value that the origin has just confirmed.
    case confirmed(Int)
    /// A value of the origin.
    case fetched(Int)
    /// A value, of whatever source.
    case value(Int)
    case absent
    /// The error of a load, by its number.
    case failed(load: Int)
    case cancelled
    /// An error that no origin has thrown.
    case unexpected(String)
  }

  package var client: Int
  package var key: Int
  package var action: Action
  /// Times of the history: each event has one of its own.
  package var invoked: Int
  package var responded: Int
  /// The cache's clock at these times, microseconds.
  package var clockInvoked: UInt64
  package var clockResponded: UInt64
  /// Whether somebody cancelled it before it ended.
  package var wasCancelled = false
  /// Whether it is a request that remembers, and may be told, that the origin has no value.
  package var asksForAbsence = false

  /// See the properties.
  package init(
    client: Int, key: Int, _ action: Action, _ times: ClosedRange<Int>,
    clock: ClosedRange<UInt64> = 0...0
  ) {
    self.client = client
    self.key = key
    self.action = action
    (invoked, responded) = (times.lowerBound, times.upperBound)
    (clockInvoked, clockResponded) = (clock.lowerBound, clock.upperBound)
  }

  /// Whether its client was given the answer of a load, which no other load has given.
  func knows(_ answer: HistoryLoad.Answer, of load: Int) -> Bool {
    switch answer {
    case .value(let value, _): return returns(value)
    case .failed:
      if case .request(_, .failed(load)) = action { return true }
      return false
    case .notModified, .absent, .cancelled: return false
    }
  }

  /// Whether its client, whose loader the load is, was given its answer.
  func isAnswered(by answer: HistoryLoad.Answer, of load: Int) -> Bool {
    if answer == .absent, case .request(_, .absent) = action { return true }
    return knows(answer, of: load)
  }

  /// Whether its client was given a value.
  func returns(_ value: Int) -> Bool {
    switch action {
    case .get(let found): found == value
    case .update(let old, _): old == value
    case .request(_, let outcome):
      switch outcome {
      case .fresh(value), .stale(value), .confirmed(value), .fetched(value), .value(value): true
      default: false
      }
    case .set, .look, .remove, .nothing: false
    }
  }

  /// Whether a value has a version, as those with odd numbers have.
  package static func hasVersion(_ value: Int) -> Bool { value % 2 == 1 }
}
