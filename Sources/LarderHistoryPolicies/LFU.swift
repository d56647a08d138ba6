import LarderEngine

extension RegisteredPolicy {
  package static let lfu = RegisteredPolicy(LFU.self)
}

/// Evicts the object with the fewest requests since it was stored.
struct LFU: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lfu", family: .frequency, traits: .namesVictim,
    summary: "Evicts the object with the fewest requests since insertion; among equals the one "
      + "that reached that count longest ago.",
    paper: "Shah, Mitra and Matani, An O(1) algorithm for implementing the LFU cache eviction "
      + "scheme, 2010; the policy itself is folklore")

  private var counts: FrequencyLists

  init(_ setup: PolicySetup) { counts = FrequencyLists(objects: setup.objects) }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { counts.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    counts.increment(request.id)
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    counts.popLeastFrequent()
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    counts.insert(request.id)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { counts.remove(id) }
  }

  var victim: ObjectID { counts.leastFrequent }
  mutating func reserve(objects: Int) { counts.reserve(objects: objects) }
  @inline(__always) func prefetch(_ id: ObjectID) { counts.prefetch(id) }
  var stateBytes: Int { counts.bytes }
}
