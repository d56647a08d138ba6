import LarderEngine

extension RegisteredPolicy {
  package static let mru = RegisteredPolicy(MRU.self)
}

/// Evicts the most recently requested object.
struct MRU: EvictionPolicy, OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "mru", family: .recency, traits: .namesVictim,
    summary: "Evicts the most recently requested object; suits loops larger than the cache.",
    paper: "Chou and DeWitt, An evaluation of buffer management strategies for relational database "
      + "systems, VLDB 1985")

  // Most recently requested at the front.
  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  @inline(__always) var victim: ObjectID { list.front() }
}
