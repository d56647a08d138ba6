import LarderEngine

extension RegisteredPolicy {
  package static let lfuda = RegisteredPolicy(LFUDA.self)
}

/// LFU with dynamic ageing: formerly popular objects do not stay for ever.
struct LFUDA: EvictionPolicy, FloorPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lfuda", family: .frequency, traits: .namesVictim,
    summary: "Priority age + requests, where the age is the priority of the last victim, updated "
      + "with each request; the lowest is evicted. O(log n).",
    paper: "Arlitt, Cherkasova, Dilley, Friedrich and Jin, Evaluating content management "
      + "techniques for web proxy caches, Performance Evaluation Review 2000")

  static var countsRequests: Bool { true }

  var heap: RadixHeap
  var floor: PriorityFloor

  @inline(__always) func value(_ request: Request, requests: UInt32) -> Double { Double(requests) }
}
