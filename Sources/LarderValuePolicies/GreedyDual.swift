import LarderEngine

extension RegisteredPolicy {
  package static let greedyDual = RegisteredPolicy(GreedyDual.self)
}

/// GreedyDual on the cost of fetching an object, independent of its size.
struct GreedyDual: EvictionPolicy, FloorPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "greedydual", family: .value, traits: .namesVictim,
    summary: "Priority L + cost, where L is the priority of the last victim; a request renews it, "
      + "and the lowest is evicted. Equals LRU if all costs are equal. O(log n).",
    needs: .cost,
    paper: "Young, The k-server dual and loose competitiveness for paging, Algorithmica 1994")

  var heap: RadixHeap
  var floor: PriorityFloor

  @inline(__always) func value(_ request: Request, requests: UInt32) -> Double {
    Double(request.cost)
  }
}
