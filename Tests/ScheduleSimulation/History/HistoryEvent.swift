import Larder

/// One call to a cache about one key, as observed by its client.
package struct HistoryEvent: Sendable {
  /// Operation and result.
  package enum Action: Sendable {
    /// Value of a get, or nil for a miss.
    case get(Int?)
    /// True if there is a value; not counted as an access.
    case look(Bool)
    /// A stored value with its TTL in microseconds, and the result of the call.
    case set(Int, life: UInt64?, SetOutcome)
    /// The value before, nil for none, and the one after.
    case update(old: Int?, new: Int)
    case remove
    /// A request that may have asked the origin.
    case request(CacheStrategy, RequestOutcome)
    /// A failed call without a known effect.
    case nothing(String)
  }

  /// Result of a set.
  package enum SetOutcome: Sendable, Hashable {
    case stored
    case refused
    case failed
  }

  /// Result of a request.
  package enum RequestOutcome: Sendable, Hashable {
    /// A cached value that has not expired.
    case fresh(Int)
    /// A cached value that may have expired.
    case stale(Int)
    case confirmed(Int)
    case fetched(Int)
    case value(Int)
    case absent
    case failed(load: Int)
    case cancelled
    /// An error that no origin has thrown.
    case unexpected(String)
  }

  package var client: Int
  package var key: Int
  package var action: Action
  /// Times of the history, unique for each event.
  package var invoked: Int
  package var responded: Int
  /// Time of the cache's clock at these times, in microseconds.
  package var clockInvoked: UInt64
  package var clockResponded: UInt64
  /// True if it was cancelled before it ended.
  package var wasCancelled = false
  /// True for a request with negative caching.
  package var asksForAbsence = false

  /// Creates an event; see the properties.
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

  /// True if its client received the result of a load, which no other load has given.
  func knows(_ answer: HistoryLoad.Answer, of load: Int) -> Bool {
    switch answer {
    case .value(let value, _): return returns(value)
    case .failed:
      if case .request(_, .failed(load)) = action { return true }
      return false
    case .notModified, .absent, .cancelled: return false
    }
  }

  /// True if its client, whose loader the load is, received its result.
  func isAnswered(by answer: HistoryLoad.Answer, of load: Int) -> Bool {
    if answer == .absent, case .request(_, .absent) = action { return true }
    return knows(answer, of: load)
  }

  /// True if its client received a value.
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

  /// True if a value has a version, as those with odd numbers have.
  package static func hasVersion(_ value: Int) -> Bool { value % 2 == 1 }
}
