import LarderEngine

extension RegisteredPolicy {
  package static let gdsf = RegisteredPolicy(GDSF.self)
}

/// GreedyDual-Size-Frequency.
struct GDSF: EvictionPolicy, FloorPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "gdsf", family: .value, traits: .namesVictim,
    summary: "Priority L + requests * cost / size, where L is the priority of the last victim; "
      + "the lowest is evicted. O(log n).",
    needs: [.size, .cost],
    paper: "Cherkasova, Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching "
      + "policy, HP Labs 1998")

  static var countsRequests: Bool { true }

  var heap: RadixHeap
  var floor: PriorityFloor

  /// Scaled, so that differences survive beside a large L; size 0 counts as 1.
  @inline(__always) func value(_ request: Request, requests: UInt32) -> Double {
    Double(requests) * Double(request.cost) * 1e6 / Double(max(request.size, 1))
  }
}
