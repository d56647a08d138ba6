import LarderEngine

extension RegisteredPolicy {
  package static let cost = RegisteredPolicy(Cost.self)
}

/// GreedyDual on the cost of fetching an object, divided by its size.
struct Cost: EvictionPolicy, FloorPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "cost", family: .value, traits: .namesVictim,
    summary: "Priority L + cost / size, where L is the priority of the last victim; a request "
      + "renews it, and the lowest is evicted. O(log n).",
    needs: [.size, .cost],
    paper: "Young, The k-server dual and loose competitiveness for paging, Algorithmica 1994; Cao "
      + "and Irani, Cost-aware WWW proxy caching algorithms, USITS 1997")

  var heap: RadixHeap
  var floor: PriorityFloor

  @inline(__always) func value(_ request: Request, requests: UInt32) -> Double {
    Double(request.cost) * 1e6 / Double(max(request.size, 1))
  }
}
