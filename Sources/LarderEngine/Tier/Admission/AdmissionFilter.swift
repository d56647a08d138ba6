/// A rule that decides whether a missing object is stored at all. It stands before any eviction
/// policy: what it refuses, the policy never hears of.
///
/// A filter knows objects by their fingerprints alone, for it remembers some that the cache does
/// not hold. Two objects with one fingerprint are one object to it, which is rare and harmless.
///
/// The tier calls `requested` for every get and set, in order, and, when an object that is not
/// resident and not larger than the capacity is to be stored, `admits` right after. No decision
/// depends on anything but these calls and the setup. One call through an existential a request:
/// filters are not for the tightest loop.
public protocol AdmissionFilter: AnyObject, SendableMetatype {
  /// Name, parameters and paper.
  static var description: AdmissionDescription { get }

  /// A filter for an empty cache.
  init(_ setup: AdmissionSetup) throws(PolicyError)

  /// An object is asked for or set, whether it is resident or not.
  func requested(_ request: Request)

  /// Whether a missing object is to be stored. `victim` is the fingerprint of what the policy would
  /// give up for it: nil while there is room, or where the policy cannot say.
  func admits(_ request: Request, victim: UInt32?) -> Bool

  /// An object will be asked for soon: brings what is known of it near, and changes nothing. Called
  /// by simulations for filters that watch hits.
  func prefetch(_ fingerprint: UInt32)

  /// Memory held, in bytes.
  var stateBytes: Int { get }
}

extension AdmissionFilter {
  /// Only what is missing matters.
  public func requested(_ request: Request) {}
  /// What is known is small, or not worth it.
  public func prefetch(_ fingerprint: UInt32) {}
  /// Nothing worth counting.
  public var stateBytes: Int { 0 }
}

/// What a filter says of itself.
public struct AdmissionDescription: Sendable {
  /// The name users type, such as `second-hit`.
  public let name: String
  /// The idea in one or two sentences.
  public let summary: String
  /// The parameters that may follow the name.
  public let parameters: [PolicyParameter]
  /// Whether it compares a missing object with what would be evicted for it, so that the policy
  /// must be able to say that.
  public let comparesVictims: Bool
  /// Whether requests for resident objects play a part in its decisions. A real cache then tells
  /// it of every hit, one at a time.
  public let watchesHits: Bool
  /// True when it draws random numbers, so that results depend on the seed.
  public let isRandom: Bool
  /// True when its decisions depend on sizes: where all are equal it is not worth trying.
  public let comparesSizes: Bool
  /// Authors, title, venue and year of the paper, or where the rule comes from.
  public let paper: String

  /// A description; see the properties for the meaning of each part.
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

/// Everything a filter is made from.
public struct AdmissionSetup: Sendable {
  /// The capacity of the tier, in `unit`. From 1 to `PolicySetup.capacityMax`.
  public var capacity: UInt64
  /// What the capacity counts.
  public var unit: CapacityUnit
  /// The seed of every random choice.
  public var seed: UInt64
  /// The name and parameters asked for.
  public var spec: PolicySpec
  /// Of how many equal parts of a cache, each with a filter of its own, this is one: what counts
  /// objects or requests of the whole cache is divided by it. `capacity` is that of the part. At
  /// least 1.
  public var parts: Int

  /// A setup; see the properties for the meaning of each part.
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

  /// The filter that a setup asks for, or nil where it asks for none.
  ///
  /// - Throws: where there is no such filter, or one that compares victims stands before a policy
  ///   that cannot name its own.
  init?(_ setup: CacheTierSetup, policy: String, knowsVictim: Bool) throws(PolicyError) {
    guard let spec = setup.admission else { return nil }
    let made = try AdmissionRegistry.make(
      AdmissionSetup(
        capacity: setup.capacity, unit: setup.unit, seed: setup.seed, spec: spec,
        parts: setup.parts))
    guard let made else { return nil }
    rule = made
    comparesVictims = type(of: made).description.comparesVictims
    watchesHits = type(of: made).description.watchesHits
    if comparesVictims, !knowsVictim {
      throw .noVictim(admission: spec.name, policy: policy)
    }
  }
}
