/// Evicts what was requested least often since it was stored.
struct LFU: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lfu", family: .frequency,
    summary: "Evicts the object with the fewest requests since insertion; among equals the one "
      + "that reached that count longest ago.",
    paper: "Shah, Mitra and Matani, An O(1) algorithm for implementing the LFU cache eviction "
      + "scheme, 2010; the policy itself is folklore")

  private var counts: FrequencyLists

  init(_ setup: PolicySetup) { counts = FrequencyLists(objects: setup.objects) }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { counts.contains(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    counts.increment(request.id)
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    counts.popLeastFrequent()
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    counts.insert(request.id)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { counts.remove(id) }
  }

  static var knowsVictim: Bool { true }

  var victim: ObjectID { counts.leastFrequent }

  mutating func reserve(objects: Int) { counts.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { counts.prefetch(id) }

  var stateBytes: Int { counts.bytes }

  static func sweep(_ setup: CapacitySweepSetup, over columns: RequestColumns) -> CapacitySweep? {
    guard let capacity = setup.onlyCapacity,
      let pass = LevelPass<FrequencyEntry>(capacity: capacity, over: columns)
    else { return nil }
    return CapacitySweep(pass, over: columns, isDisk: setup.isDisk)
  }
}
