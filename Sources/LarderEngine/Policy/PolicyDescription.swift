/// What a policy says of itself: one constant beside its code, from which the registry, `larder
/// policies`, `--help` and the documentation are made.
public struct PolicyDescription: Sendable {
  /// The name users type, such as `s3-fifo`.
  public let name: String
  /// What the policy is based on.
  public let family: PolicyFamily
  /// The idea in one or two sentences.
  public let summary: String
  /// The parameters that may follow the name.
  public let parameters: [PolicyParameter]
  /// Values of several parameters that are worth trying together, as one would type them behind the
  /// name (`small=0.2:ghost=3`): the configurations that `larder advise --policy` tries. Empty for
  /// all combinations of the values that the parameters declare as `searched`.
  public let configurations: [String]
  /// What the policy must know of an object.
  public let needs: PolicyNeeds
  /// True when the policy draws random numbers, so that results depend on the seed.
  public let isRandom: Bool
  /// True when the policy learns from requests without knowing later whose they were: counts in a
  /// sketch, weights, a clock, random numbers drawn. What was learned from an object's requests
  /// stays when the object is removed.
  public let learns: Bool
  /// The server whose rule this is, of policies that are there to simulate one: they are not
  /// advised unless they are asked for. Nil for others.
  public let server: String?
  /// Authors, title, venue and year of the paper, or where the rule comes from.
  public let paper: String

  /// A description; see the properties for the meaning of each part.
  public init(
    name: String, family: PolicyFamily, summary: String, parameters: [PolicyParameter] = [],
    configurations: [String] = [], needs: PolicyNeeds = [], isRandom: Bool = false,
    learns: Bool = false, server: String? = nil, paper: String
  ) {
    self.name = name
    self.family = family
    self.summary = summary
    self.parameters = parameters
    self.configurations = configurations
    self.needs = needs
    self.isRandom = isRandom
    self.learns = learns
    self.server = server
    self.paper = paper
  }
}

/// What a policy's decisions are based on.
public enum PolicyFamily: String, Sendable, CaseIterable {
  /// The order of insertion.
  case queue
  /// The time of the last request.
  case recency
  /// The number of requests.
  case frequency
  /// Several of these, weighed against each other.
  case adaptive
  /// Size, cost, expiry or another property of the object.
  case value
  /// Chance.
  case random
  /// The future: a bound that no real cache can reach.
  case offline
}

/// One parameter of a policy: `name=value` after a colon.
public struct PolicyParameter: Sendable {
  /// The name, such as `small`.
  public let name: String
  /// The value when nothing is given, as one would type it.
  public let defaultValue: String
  /// The value when nothing is given in a real cache, where memory must be bounded; nil where it is
  /// no other.
  public let realDefault: String?
  /// The values worth trying when the best one is searched for, as one would type them; empty for
  /// the default alone. Few and far apart: all combinations of a policy's parameters are tried.
  public let searched: [String]
  /// True for a number of requests or objects that does not follow from the capacity. In a
  /// simulation of a sample of the objects it is scaled down like the capacity.
  public let isCount: Bool
  /// What it does, its unit and its range.
  public let summary: String

  /// A parameter with its default, typed as a user would.
  public init(
    _ name: String, default defaultValue: String, inRealCaches realDefault: String? = nil,
    searched: [String] = [], isCount: Bool = false, _ summary: String
  ) {
    self.name = name
    self.defaultValue = defaultValue
    self.realDefault = realDefault
    self.searched = searched
    self.isCount = isCount
    self.summary = summary
  }
}

/// The knowledge without which a policy is not itself.
///
/// Without it a policy still runs: sizes and costs count as 1, and nothing ever expires. Only the
/// future and a library cannot be made up: `nextUse` and `boosting` must be there for a policy that
/// needs them.
public struct PolicyNeeds: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// A set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The object's size.
  public static let size = PolicyNeeds(rawValue: 1)
  /// When the object is requested next: possible only where the whole trace is known.
  public static let nextUse = PolicyNeeds(rawValue: 2)
  /// When the entry expires.
  public static let ttl = PolicyNeeds(rawValue: 4)
  /// What a fetch costs.
  public static let cost = PolicyNeeds(rawValue: 8)
  /// A library that trains models: without it the policy cannot be made. See `GradientBoosting`.
  public static let boosting = PolicyNeeds(rawValue: 16)

  /// The names of the needs in the set, as `larder policies` prints them.
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
