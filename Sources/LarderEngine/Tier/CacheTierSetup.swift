/// What a tier is made from, whether it is simulated or a real cache's.
///
/// The one place where limits become the capacity of a policy. Entries are the unit where they
/// alone are limited; otherwise bytes are, and a limit on entries stands beside the capacity, of
/// which the policy knows nothing.
@usableFromInline
package struct CacheTierSetup: Sendable {
  /// Objects that a tier of a real cache holds at most, whatever was asked for: 2^27, half of what
  /// a queue holds.
  package static var residentsMax: Int { 1 << 27 }

  /// The policy with its parameters.
  package var policy: PolicySpec
  /// How much the tier holds, in `unit`. From 1 to `PolicySetup.capacityMax`.
  package let capacity: UInt64
  /// What the capacity counts.
  @usableFromInline package let unit: CapacityUnit
  /// At most how many objects are resident, whatever the unit. At least 1.
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
  /// Whether the costs of fetching are kept with the copies; nil for whether the policy asks for
  /// them.
  var keepsCosts: Bool?

  /// A setup with at most so many entries and bytes, where nil is no limit; see the properties for
  /// the meaning of the other parts.
  package init(
    policy: PolicySpec, entriesMax: Int?, bytesMax: UInt64?,
    timeToLiveMicroseconds: UInt64? = nil, objects: Int, seed: UInt64 = 0,
    admission: PolicySpec? = nil, parts: Int = 1
  ) {
    self.policy = policy
    unit = bytesMax == nil && entriesMax != nil ? .objects : .bytes
    capacity = bytesMax ?? entriesMax.map { UInt64(max(0, $0)) } ?? PolicySetup.capacityMax
    objectsMax = entriesMax ?? .max
    self.timeToLiveMicroseconds = timeToLiveMicroseconds
    self.objects = objects
    self.seed = seed
    self.admission = admission
    self.parts = parts
  }

  /// What a configuration's tier, whose capacity counts `unit`, comes to.
  package init(_ tier: TierSetup, unit: CapacityUnit, objects: Int, seed: UInt64 = 0) {
    self.init(
      policy: tier.policy, entriesMax: tier.entriesMax(in: unit),
      bytesMax: tier.bytesMax(in: unit), timeToLiveMicroseconds: tier.timeToLiveMicroseconds,
      objects: objects, seed: seed, admission: tier.admission)
  }
}

extension TierSetup {
  /// The tier's limit on entries where its capacity counts `unit`: nil for none. Of two limits on
  /// objects only the lower one can be reached, so it is the capacity.
  package func entriesMax(in unit: CapacityUnit) -> Int? {
    let limits = [objectsMax, unit == .objects ? capacity : nil].compactMap { $0 }
    return limits.min().map { Int(clamping: $0) }
  }

  /// The tier's limit on bytes where its capacity counts `unit`: nil for none.
  package func bytesMax(in unit: CapacityUnit) -> UInt64? { unit == .bytes ? capacity : nil }

  /// The longest life of an entry, microseconds; nil for no limit.
  package var timeToLiveMicroseconds: UInt64? {
    timeToLiveSeconds.flatMap { $0 == 0 ? nil : UInt64($0) * 1_000_000 }
  }
}
