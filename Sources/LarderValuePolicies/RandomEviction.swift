import LarderEngine

extension RegisteredPolicy {
  package static let random = RegisteredPolicy(RandomEviction.self)
}

/// Evicts an object drawn at random.
struct RandomEviction: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "random", family: .random,
    summary: "Evicts a resident object chosen uniformly at random.",
    isRandom: true,
    paper: "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems "
      + "Journal 1966")

  private var residents: IDBag
  private var random: SeededGenerator

  init(_ setup: PolicySetup) {
    residents = IDBag(objects: setup.objects, capacity: setup.expectedResidents)
    random = SeededGenerator(seed: setup.seed)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { residents.contains(id) }
  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {}
  var hitWords: HitWords? { residents.holding }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let victim = residents[Int(random.next(below: UInt64(residents.count)))]
    residents.remove(victim)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    residents.insert(request.id)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { residents.remove(id) }
  }

  mutating func reserve(objects: Int) { residents.reserve(objects: objects) }
  @inline(__always) func prefetch(_ id: ObjectID) { residents.prefetch(id) }
  var stateBytes: Int { residents.bytes }
}
