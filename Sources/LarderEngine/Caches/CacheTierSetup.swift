/// What the tier of a real cache is made from.
package struct CacheTierSetup: Sendable {
  /// Objects that a tier holds at most, whatever was asked for: 2^27, half of what a queue holds.
  package static var residentsMax: Int { 1 << 27 }

  /// The policy with its parameters.
  package var policy: PolicySpec
  /// How much the tier holds, in `unit`. From 1 to `PolicySetup.capacityMax`.
  package var capacity: UInt64
  /// What the capacity counts.
  package var unit: CapacityUnit
  /// At most how many objects are resident, whatever the unit. At least 1; `residentsMax` is the
  /// limit where this is more.
  package var objectsMax: Int
  /// The longest life of an entry, microseconds; nil for no limit.
  package var timeToLiveMicroseconds: UInt64?
  /// The largest object id that will occur before `reserve` is called.
  package var objects: Int
  /// The seed of random choices.
  package var seed: UInt64
  /// The admission filter with its parameters; nil for none.
  package var admission: PolicySpec?
  /// Of how many equal parts of a cache this is one.
  package var parts: Int
  /// Whether `access` leaves an object that it finds expired where it is, for the caller to remove.
  package var keepsExpired = false

  /// A setup; see the properties for the meaning of each part.
  package init(
    policy: PolicySpec, capacity: UInt64, unit: CapacityUnit, objectsMax: Int = .max,
    timeToLiveMicroseconds: UInt64? = nil, objects: Int, seed: UInt64 = 0,
    admission: PolicySpec? = nil, parts: Int = 1
  ) {
    self.policy = policy
    self.capacity = capacity
    self.unit = unit
    self.objectsMax = objectsMax
    self.timeToLiveMicroseconds = timeToLiveMicroseconds
    self.objects = objects
    self.seed = seed
    self.admission = admission
    self.parts = parts
  }
}
