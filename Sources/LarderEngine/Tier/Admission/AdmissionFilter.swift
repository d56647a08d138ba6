/// A rule that decides if a missing object is stored. It precedes the eviction policy, which never
/// sees rejected objects, and knows objects only by their fingerprints.
///
/// The tier calls `requested` for every get and set, in order, for hits only if the filter watches
/// them, and `admits` right after if an object that is not resident and not larger than the
/// capacity is to be stored. Decisions depend only on these calls and the setup.
public protocol AdmissionFilter: AnyObject, SendableMetatype {
  /// Name, parameters and paper.
  static var description: AdmissionDescription { get }

  /// Creates a filter for an empty cache.
  init(_ setup: AdmissionSetup) throws(PolicyError)

  /// Records a get or set of an object, resident or not; a get of a resident one only if
  /// `AdmissionDescription.watchesHits`.
  func requested(_ request: Request)

  /// True if a missing object is to be stored. `victim` is the fingerprint of the likely victim.
  func admits(_ request: Request, victim: UInt32?) -> Bool

  /// Prefetches the state of an object that will be requested soon.
  func prefetch(_ fingerprint: UInt32)

  /// Memory held, in bytes.
  var stateBytes: Int { get }
}

extension AdmissionFilter {
  /// Does nothing by default, for filters that only count misses.
  public func requested(_ request: Request) {}
  /// Does nothing by default.
  public func prefetch(_ fingerprint: UInt32) {}
  /// Defaults to 0, for filters with little state.
  public var stateBytes: Int { 0 }
}

/// Name, parameters and traits of a filter.
public struct AdmissionDescription: Sendable {
  /// The name users type, such as `second-hit`.
  public let name: String
  /// The idea in one or two sentences.
  public let summary: String
  /// The parameters that may follow the name.
  public let parameters: [PolicyParameter]
  /// True if it compares a missing object with the victim that the policy predicts.
  public let comparesVictims: Bool
  /// True if requests for resident objects influence its decisions.
  public let watchesHits: Bool
  /// True if it draws random numbers, so that results depend on the seed.
  public let isRandom: Bool
  /// True if its decisions depend on sizes; with equal sizes it is not worth trying.
  public let comparesSizes: Bool
  /// Authors, title, venue and year of the paper, or the source of the rule.
  public let paper: String

  /// Creates a description from its parts.
  public init(
    name: String, summary: String, parameters: [PolicyParameter] = [],
    comparesVictims: Bool = false, watchesHits: Bool = false, isRandom: Bool = false,
    comparesSizes: Bool = false, paper: String
  ) {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.comparesVictims = comparesVictims
    self.watchesHits = watchesHits
    self.isRandom = isRandom
    self.comparesSizes = comparesSizes
    self.paper = paper
  }
}

/// Parameters for the creation of a filter.
public struct AdmissionSetup: Sendable {
  /// The capacity of the tier, in `unit`. From 1 to `PolicySetup.capacityMax`.
  public var capacity: UInt64
  /// The unit of the capacity.
  public var unit: CapacityUnit
  /// The seed of every random choice.
  public var seed: UInt64
  /// The requested name and parameters.
  public var spec: PolicySpec
  /// The number of equal parts of the cache, each with its own filter: counts of objects or
  /// requests of the whole cache are divided by it. `capacity` is that of the part. At least 1.
  public var parts: Int

  /// Creates a setup from its parts.
  public init(
    capacity: UInt64, unit: CapacityUnit, seed: UInt64 = 0, spec: PolicySpec, parts: Int = 1
  ) {
    self.capacity = capacity
    self.unit = unit
    self.seed = seed
    self.spec = spec
    self.parts = parts
  }
}

/// The admission filter of a tier.
@usableFromInline struct TierFilter {
  @usableFromInline let rule: any AdmissionFilter
  @usableFromInline let comparesVictims: Bool
  @usableFromInline let watchesHits: Bool

  init?(_ setup: CacheTierSetup, policy: String, namesVictim: Bool) throws(PolicyError) {
    guard let spec = setup.admission else { return nil }
    let made = try AdmissionRegistry.make(
      AdmissionSetup(
        capacity: setup.capacity, unit: setup.unit, seed: setup.seed, spec: spec,
        parts: setup.parts))
    guard let made else { return nil }
    rule = made
    comparesVictims = type(of: made).description.comparesVictims
    watchesHits = type(of: made).description.watchesHits
    if comparesVictims, !namesVictim {
      throw .noVictim(admission: spec.name, policy: policy)
    }
  }
}
