/// Everything a policy is made from.
public struct PolicySetup: Sendable {
  /// How much the cache holds, in `unit`. At least 1.
  public var capacity: UInt64
  /// What the capacity counts.
  public var unit: CapacityUnit
  /// The largest object id that will occur before `reserve(objects:)` is called again.
  public var objects: Int
  /// The seed of every random choice.
  public var seed: UInt64
  /// The name and parameters asked for.
  public var spec: PolicySpec

  /// A setup; see the properties for the meaning of each part.
  public init(
    capacity: UInt64, unit: CapacityUnit, objects: Int, seed: UInt64 = 0, spec: PolicySpec
  ) {
    self.capacity = capacity
    self.unit = unit
    self.objects = objects
    self.seed = seed
    self.spec = spec
  }

  /// Refuses what could hold more than 2^28 objects at once, which a queue's positions do not reach.
  func requireQueueable() throws(PolicyError) {
    guard min(capacity, UInt64(objects)) < UInt64(IDRing.positionLimit) else {
      throw .capacity(
        policy: spec.name, capacity: capacity,
        expected: "room for fewer than \(IDRing.positionLimit) objects at once")
    }
  }

  /// At most how many objects can be resident: a hint for sizing queues, exact for unit sizes.
  public var expectedResidents: Int {
    unit == .objects ? Int(min(capacity, UInt64(objects))) : min(objects, 1 << 16)
  }
}
