import LarderEngine

/// One cache of a workload as written: its tiers, and what of them is swept.
public struct ConfigurationSpec: Sendable, Hashable {
  /// The name in results.
  public var name: String
  /// Its shape.
  public var kind: ConfigurationKind
  /// The memory tier; ignored for `.disk`.
  public var memory: TierSpec
  /// The disk tier; ignored for `.memory`.
  public var disk: TierSpec
  /// Memory's share of disk's capacity in a hybrid whose memory names no capacity of its own.
  public var memoryShare: Share
  /// What passes between the tiers of a hybrid.
  public var rules: HybridRules
  /// The cache that is executed: see `ContenderRegistry`.
  public var contender: String
  /// Whether that cache runs the policies that are named, and can be simulated. One that does not
  /// has a policy of its own, which takes the place of all others.
  public var runsPolicies: Bool
  /// The preset that tiers and rules came from, nil for none.
  public var preset: String?

  /// Memory's share of a hybrid unless the workload says otherwise.
  public static let defaultMemoryShare = Share(percent: 10)

  /// A configuration; see the properties for the meaning of each part.
  public init(
    name: String, kind: ConfigurationKind, memory: TierSpec = TierSpec(),
    disk: TierSpec = TierSpec(), memoryShare: Share = ConfigurationSpec.defaultMemoryShare,
    rules: HybridRules = HybridRules(), contender: String = ContenderRegistry.defaultName,
    runsPolicies: Bool = true, preset: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.memory = memory
    self.disk = disk
    self.memoryShare = memoryShare
    self.rules = rules
    self.contender = contender
    self.runsPolicies = runsPolicies
    self.preset = preset
  }

  /// The tier whose capacity is swept: disk where there is one.
  public var sweptTier: TierSpec { kind == .memory ? memory : disk }

  /// Whether a tier leaves its policy to the workload's `policies`.
  public var sweepsPolicies: Bool {
    guard runsPolicies else { return false }
    return switch kind {
    case .memory: memory.policy == nil
    case .disk: disk.policy == nil
    case .hybrid: memory.policy == nil || disk.policy == nil
    }
  }

  /// Whether the capacity is left to the workload's `capacities`.
  public var sweepsCapacities: Bool { sweptTier.capacity == nil }
}

/// One tier as written. What it leaves out is swept, or, for the time to live, absent.
public struct TierSpec: Sendable, Hashable {
  /// The policy, nil to sweep the workload's.
  public var policy: PolicySpec?
  /// The capacity, nil to sweep the workload's (memory of a hybrid: to take its share).
  public var capacity: CapacitySpec?
  /// Time to live of entries whose request has none, and the longest of the others; seconds.
  public var timeToLiveSeconds: UInt32?
  /// At most how many objects it holds, beside its capacity; nil for no such limit.
  public var objectsMax: UInt64?

  /// A tier; see the properties for the meaning of each part.
  public init(
    policy: PolicySpec? = nil, capacity: CapacitySpec? = nil, timeToLiveSeconds: UInt32? = nil,
    objectsMax: UInt64? = nil
  ) {
    self.policy = policy
    self.capacity = capacity
    self.timeToLiveSeconds = timeToLiveSeconds
    self.objectsMax = objectsMax
  }
}
