import Larder

package struct HistoryEvent: Sendable {
  package enum Action: Sendable {
    case get(Int?)
    case look(Bool)
    case set(Int, life: UInt64?, SetOutcome)
    case update(old: Int?, new: Int)
    case remove
    case request(CacheStrategy, RequestOutcome)
    case nothing(String)
  }

  package enum SetOutcome: Sendable, Hashable {
    case stored
    case refused
    case failed
  }

  package enum RequestOutcome: Sendable, Hashable {
    case fresh(Int)
    case stale(Int)
    case confirmed(Int)
    case fetched(Int)
    case value(Int)
    case absent
    case failed(load: Int)
    case cancelled
    case unexpected(String)
  }

  package var client: Int
  package var key: Int
  package var action: Action
  /// Times of the history, unique for each event.
  package var invoked: Int
  package var responded: Int
  package var clockInvoked: UInt64
  package var clockResponded: UInt64
  package var wasCancelled = false
  package var asksForAbsence = false

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

  func knows(_ answer: HistoryLoad.Answer, of load: Int) -> Bool {
    switch answer {
    case .value(let value, _): return returns(value)
    case .failed:
      if case .request(_, .failed(load)) = action { return true }
      return false
    case .notModified, .absent, .cancelled: return false
    }
  }

  func isAnswered(by answer: HistoryLoad.Answer, of load: Int) -> Bool {
    if answer == .absent, case .request(_, .absent) = action { return true }
    return knows(answer, of: load)
  }

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
