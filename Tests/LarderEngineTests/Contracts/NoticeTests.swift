import Synchronization
import Testing

@testable import LarderEngine

private let received = Mutex<PolicyNotices>([])

/// LRU that records the kinds of its notices, of which it asks for the time alone.
private struct TimedLRU: OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "timed-lru", family: .recency, summary: "LRU with a clock.", paper: "a test")

  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  var victim: ObjectID { list.back() }

  static var notices: PolicyNotices { .time }

  mutating func notice(_ notice: PolicyNotice) {
    switch notice {
    case .time: received.withLock { _ = $0.insert(.time) }
    case .request, .fetchCompleted: received.withLock { _ = $0.insert(.requests) }
    case .expiry: received.withLock { _ = $0.insert(.expiries) }
    case .nextUse: received.withLock { _ = $0.insert(PolicyNotices(rawValue: 128)) }
    }
  }
}

@Suite struct NoticeTests {
  @Test func onlyRequestedNoticesArrive() throws {
    let columns = try #require(GoldenTraces.named("mixed")).columns(sparse: false)
    for model in [nil, try FetchModel(latencies: [3])] {
      received.withLock { $0 = [] }
      let setup = SimulationSetup(
        arrangement: .memory(
          TierSetup(policy: try PolicySpec(parsing: "timed-lru"), capacity: 5)),
        unit: .objects, time: model)
      let simulation = try setup.simulation(over: columns) { _ in
        RegisteredPolicy(TimedLRU.self)
      }
      simulation.run(upTo: columns.count, untilFirstEviction: false)
      #expect(received.withLock { $0 } == .time)
    }
  }
}
