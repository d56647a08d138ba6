/// Everything a policy is made from.
public struct PolicySetup: Sendable {
  /// The largest capacity that a tier may have, simulated or real: 2^50, which is 1 PiB where bytes
  /// count and as good as no limit.
  ///
  /// Policies double their capacity, multiply it by a parameter of up to 1000, and take shares of
  /// it in floating point: up to here all of that is exact or fits in 64 bits.
  public static var capacityMax: UInt64 { 1 << 50 }

  /// How much the cache holds, in `unit`. From 1 to `capacityMax`.
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

  /// Refuses what could hold more objects at once than a queue has positions for: `IDRing`, unless
  /// another number is given.
  ///
  /// - Throws: `capacity`.
  public func requireQueueable(entriesMax: Int = IDRing.entriesMax) throws(PolicyError) {
    guard min(capacity, UInt64(objects)) <= UInt64(entriesMax) else {
      throw .capacity(
        policy: spec.name, capacity: capacity,
        expected: "room for at most \(entriesMax) objects at once")
    }
  }

  /// At most how many objects can be resident: a hint for sizing queues, exact for unit sizes.
  public var expectedResidents: Int {
    unit == .objects ? Int(min(capacity, UInt64(objects))) : min(objects, 1 << 16)
  }
}
