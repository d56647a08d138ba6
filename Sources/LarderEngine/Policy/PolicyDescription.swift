/// Name, parameters and traits of a policy: one constant next to its code, from which the registry,
/// `larder list policies`, `--help` and the documentation are generated.
public struct PolicyDescription: Sendable {
  /// The name users type, such as `s3-fifo`.
  public let name: String
  /// The basis of the policy's decisions.
  public let family: PolicyFamily
  /// The idea in one or two sentences.
  public let summary: String
  /// The parameters that may follow the name.
  public let parameters: [PolicyParameter]
  /// Values of several parameters worth trying together, as typed after the name
  /// (`small=0.2:ghost=3`): the configurations that `larder advise --policy` tries. If empty, it
  /// tries all combinations of the values that the parameters declare as `searched`.
  public let configurations: [String]
  /// The properties of objects that the policy requires.
  public let needs: PolicyNeeds
  /// Properties that must be known before a policy is created.
  public let traits: PolicyTraits
  /// True if the policy draws random numbers, so that results depend on the seed.
  public let isRandom: Bool
  /// True if the policy learns from requests without remembering their identity: counts in a
  /// sketch, weights, a clock, random numbers drawn. Knowledge learned from an object's requests
  /// remains when the object is removed.
  public let learns: Bool
  /// The server that the policy models, for policies that exist to simulate one: advice excludes
  /// them unless they are requested. Nil for others.
  public let server: String?
  /// The memory of an entry in that server; nil if it is that of the value alone.
  public let entryMemory: EntryMemory?
  /// Authors, title, venue and year of the paper, or the source of the rule.
  public let paper: String

  /// Creates a description from its parts.
  public init(
    name: String, family: PolicyFamily, traits: PolicyTraits = [], summary: String,
    parameters: [PolicyParameter] = [], entryMemory: EntryMemory? = nil,
    configurations: [String] = [], needs: PolicyNeeds = [], isRandom: Bool = false,
    learns: Bool = false, server: String? = nil, paper: String
  ) {
    self.name = name
    self.family = family
    self.summary = summary
    self.parameters = parameters + (entryMemory?.parameters ?? [])
    self.traits = traits
    self.entryMemory = entryMemory
    self.configurations = configurations
    self.needs = needs
    self.isRandom = isRandom
    self.learns = learns
    self.server = server
    self.paper = paper
  }
}

/// Properties of a policy that must be known before one is created.
public struct PolicyTraits: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `victim` is the object that `evict` would return, for admission filters that compare victims.
  public static let namesVictim = PolicyTraits(rawValue: 1)
  /// `overflows` may be true after a hit, so that a hit may evict.
  public static let evictsOnHit = PolicyTraits(rawValue: 2)
}

/// Families of policies, by the basis of their decisions.
public enum PolicyFamily: String, Sendable, CaseIterable {
  /// The order of insertion.
  case queue
  /// The time of the last request.
  case recency
  /// The number of requests.
  case frequency
  /// Several of these, weighted adaptively.
  case adaptive
  /// Size, cost, expiry or another property of the object.
  case value
  /// Random choice.
  case random
  /// The future: an optimum that no real cache can reach.
  case offline
}

/// One parameter of a policy or filter.
public typealias PolicyParameter = Parameter

/// Properties of objects that a policy requires to work as designed. Without sizes and costs, these
/// count as 1; only `nextUse` and `boosting` must be available.
public struct PolicyNeeds: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The object's size.
  public static let size = PolicyNeeds(rawValue: 1)
  /// The object's next request: available only if the whole trace is known.
  public static let nextUse = PolicyNeeds(rawValue: 2)
  /// The expiry of the entry.
  public static let ttl = PolicyNeeds(rawValue: 4)
  /// The cost of a fetch.
  public static let cost = PolicyNeeds(rawValue: 8)
  /// A library that trains models; the policy cannot be created without it. See `GradientBoosting`.
  public static let boosting = PolicyNeeds(rawValue: 16)

  /// The names of the needs in the set, as `larder list policies` prints them.
  public var names: [String] {
    var names: [String] = []
    if contains(.size) { names.append("size") }
    if contains(.nextUse) { names.append("next use") }
    if contains(.ttl) { names.append("ttl") }
    if contains(.cost) { names.append("cost") }
    if contains(.boosting) { names.append("LightGBM") }
    return names
  }
}
