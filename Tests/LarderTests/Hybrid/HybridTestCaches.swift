import Foundation
import LarderEngine

@testable import Larder

/// Small hybrid caches for tests.
enum HybridTestCaches {
  /// A configuration with small limits, whose entries count 1 each.
  static func configuration(
    memory: Int? = 4, disk: Int? = 40, rules: HybridRules = HybridRules(),
    clock: any CacheClock = ManualClock(seconds: 1000)
  ) -> HybridCacheConfiguration {
    HybridCacheConfiguration(
      memory: memory.map {
        MemoryTier(MemoryCacheConfiguration(limits: MemoryCacheLimits(count: $0), shards: 1))
      },
      disk: disk.map {
        DiskConfiguration(
          limits: DiskLimits(bytes: nil, count: $0, freeBytes: 0), durability: .none)
      },
      rules: rules, clock: clock)
  }
}

/// A barrier that holds tasks until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals = 0
  }

  private let state = Locked(State())

  /// Number of tasks that have reached the gate.
  var arrivals: Int { state.withLock { $0.arrivals } }

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        state.arrivals += 1
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until `count` tasks have arrived.
  func hasArrivals(_ count: Int) async {
    while arrivals < count { await Task.yield() }
  }
}

/// A test origin that counts its requests.
final class TestOrigin: Sendable {
  struct State: Sendable {
    var value = 0
    var requests = 0
    var versions: [String?] = []
    var failure: OriginFailure?
    var maxAge: Duration?
  }

  let state: Locked<State>
  let gate: Gate?

  /// Creates an origin; with a gate, requests wait there.
  init(gate: Gate? = nil) {
    state = Locked(State())
    self.gate = gate
  }

  var requests: Int { state.withLock { $0.requests } }

  func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  /// Returns the value at the time of the request, or "not modified" to a request with its version.
  func answer<Key>(_ request: OriginRequest<Key>) async throws -> OriginAnswer<Int> {
    let asked = state.withLock { state in
      state.requests += 1
      state.versions.append(request.version)
      return state
    }
    await gate?.pass()
    if let failure = asked.failure { throw failure }
    if request.version == "v\(asked.value)" { return .notModified(maxAge: asked.maxAge) }
    return .value(asked.value, version: "v\(asked.value)", maxAge: asked.maxAge)
  }
}

/// Error of the test origin.
struct OriginFailure: Error, Equatable {
  var code = 503
}

extension CacheResult {
  var kind: String {
    switch self {
    case .hit(let hit): "hit \(hit.tier) \(hit.freshness)"
    case .miss: "miss"
    case .absent: "absent"
    case .failure(let error): "failure \(type(of: error))"
    }
  }
}
