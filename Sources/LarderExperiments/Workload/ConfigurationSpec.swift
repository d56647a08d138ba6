import Larder
import LarderEngine

/// One cache of a workload as written: its tiers, and what of them is swept.
package struct ConfigurationSpec: Sendable, Hashable {
  /// The name in results.
  package var name: String
  /// Its shape.
  package var kind: ConfigurationKind
  /// The memory tier; ignored for `.disk`.
  package var memory: TierSpec
  /// The disk tier; ignored for `.memory`.
  package var disk: TierSpec
  /// Memory's share of disk's capacity in a hybrid whose memory names no capacity of its own.
  package var memoryShare: Share
  /// What passes between the tiers of a hybrid.
  package var rules: HybridRules
  /// The cache that is executed: see `ContenderRegistry`.
  package var contender: String
  /// The process that the cache runs in; nil for one of this program.
  package var process: ProcessSpec?
  /// Whether that cache runs the policies that are named, and can be simulated. One that does not
  /// has a policy of its own, which takes the place of all others.
  package var runsPolicies: Bool
  /// The preset that tiers and rules came from, nil for none.
  package var preset: String?
  /// What fetches take; nil where they take no time.
  package var time: FetchSpec?
  /// How prefixes are counted; nil where requests are no blocks of prompts.
  package var prefix: PrefixSpec?

  /// The cache that a configuration has unless the workload says otherwise: Larder's own.
  package static let defaultCache = "larder"

  /// Memory's share of a hybrid unless the workload says otherwise.
  package static let defaultMemoryShare = Share(percent: 10)

  /// A configuration; see the properties for the meaning of each part.
  package init(
    name: String, kind: ConfigurationKind, memory: TierSpec = TierSpec(),
    disk: TierSpec = TierSpec(), memoryShare: Share = ConfigurationSpec.defaultMemoryShare,
    rules: HybridRules = HybridRules(), contender: String = ConfigurationSpec.defaultCache,
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

  /// Gives the disk tier a layout, whose rules are first in, first out.
  package mutating func setLayout(_ layout: FlashLayout) {
    disk.layout = layout
    disk.policy = FlashLayout.policy
  }

  /// What results call the policy of a cache with one of its own.
  var ownPolicy: String { process == nil ? contender : unguardedName }

  /// The least limit on objects of its tiers; nil where none has one.
  var objectsMaxOfTiers: UInt64? { tiers.compactMap(\.objectsMax).min() }

  /// The tier whose capacity is swept: disk where there is one.
  package var sweptTier: TierSpec { kind == .memory ? memory : disk }

  /// The tiers that there are, memory first.
  var tiers: [TierSpec] {
    switch kind {
    case .memory: [memory]
    case .disk: [disk]
    case .hybrid: [memory, disk]
    }
  }

  /// The admission filters of its tiers, as results name them: nil where there is none, and
  /// memory's and disk's joined by `+` for a hybrid.
  package var admission: String? {
    guard tiers.contains(where: { $0.admission != nil }) else { return nil }
    return tiers.map { $0.admission?.description ?? AdmissionRegistry.always }
      .joined(separator: "+")
  }

  /// The same with a filter before the tier whose capacity is swept, and named after it: itself for
  /// `always`.
  package func guarded(by admission: PolicySpec) -> ConfigurationSpec {
    guard admission.name != AdmissionRegistry.always else { return self }
    var spec = self
    if kind == .memory {
      spec.memory.admission = admission
    } else {
      spec.disk.admission = admission
    }
    spec.name += "\(Self.filterMark)\(admission)"
    return spec
  }

  /// What stands between the name of a configuration and that of a filter: in no name of a user's.
  static let filterMark: Character = "+"

  /// The name that it has without a filter.
  var unguardedName: String { String(name.prefix { $0 != Self.filterMark }) }

  /// Whether a user who says `name` means this configuration, with or without its filter.
  func answers(to name: String) -> Bool { name == self.name || name == unguardedName }

  /// The layout of its disk; nil for none.
  package var layout: FlashLayout? { kind == .disk ? disk.layout : nil }

  /// What is assumed of the drive of its disk; nil where it has no disk, or nothing is.
  package var drive: DriveSpec? { kind == .memory ? nil : disk.drive }

  /// Whether a tier leaves its policy to the workload's `policies`.
  package var sweepsPolicies: Bool {
    guard runsPolicies else { return false }
    return switch kind {
    case .memory: memory.policy == nil
    case .disk: disk.policy == nil
    case .hybrid: memory.policy == nil || disk.policy == nil
    }
  }

  /// Whether the capacity is left to the workload's `capacities`.
  package var sweepsCapacities: Bool { sweptTier.capacity == nil }
}

/// One tier as written. What it leaves out is swept, or, for the time to live, absent.
package struct TierSpec: Sendable, Hashable {
  /// The policy, nil to sweep the workload's.
  package var policy: PolicySpec?
  /// The admission filter, nil for none.
  package var admission: PolicySpec?
  /// The capacity, nil to sweep the workload's (memory of a hybrid: to take its share).
  package var capacity: CapacitySpec?
  /// Time to live of entries whose request has none, and the longest of the others; seconds.
  package var timeToLiveSeconds: UInt32?
  /// How a disk tier arranges objects on flash, in place of a policy; nil for a policy.
  package var layout: FlashLayout?
  /// Bytes of the segments to which a disk tier appends large values; nil for a file each.
  package var segmentBytes: UInt64?
  /// What is assumed of the drive of a disk tier; nil where nobody says anything.
  package var drive: DriveSpec?
  /// At most how many objects it holds, beside its capacity; nil for no such limit.
  package var objectsMax: UInt64?

  /// A tier; see the properties for the meaning of each part.
  package init(
    policy: PolicySpec? = nil, capacity: CapacitySpec? = nil, timeToLiveSeconds: UInt32? = nil,
    objectsMax: UInt64? = nil, admission: PolicySpec? = nil
  ) {
    self.policy = policy
    self.admission = admission
    self.capacity = capacity
    self.timeToLiveSeconds = timeToLiveSeconds
    self.objectsMax = objectsMax
  }
}

/// What a workload file or the command line says of caches of prefixes.
package struct PrefixSpec: Sendable, Hashable {
  /// In which order the blocks of a prompt are requested.
  package var order: PromptOrder
  /// Tokens that the model reads per second when it computes a prompt; nil where nobody says so.
  package var prefillTokensPerSecond: Double?

  /// Blocks in an order.
  package init(order: PromptOrder = .front, prefillTokensPerSecond: Double? = nil) {
    self.order = order
    self.prefillTokensPerSecond = prefillTokensPerSecond
  }

  /// Tokens per second such as `8000 tokens/s` or `8k tokens/s`, at least 1; nil for anything else.
  package static func prefill(parsing text: String) -> Double? {
    guard text.hasSuffix("tokens/s"),
      let number = Quantity.count(text.dropLast("tokens/s".count).trimmed),
      (1...1_000_000_000).contains(number)
    else { return nil }
    return Double(number)
  }
}

/// In which order the blocks of a prompt are requested. The number of blocks answered is counted
/// from the front of the prompt in either order.
public enum PromptOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// As the trace lists them.
  case front
  /// The last block first, so that under LRU the front of a prompt is evicted last.
  case tail
}

extension ConfigurationSpec {
  /// What a preset stands for: its policies and limits are its own, and nothing is swept.
  ///
  /// - Throws: where a policy of the preset does not exist.
  init(preset: CachePreset) throws(PolicyError) {
    self.init(name: preset.name, kind: .memory, preset: preset.name)
    switch try preset.arrangement() {
    case .memory(let tier):
      memory = TierSpec(tier)
    case .disk(let tier):
      kind = .disk
      disk = TierSpec(tier)
    case .hybrid(let front, let back, let rules):
      kind = .hybrid
      memory = TierSpec(front)
      disk = TierSpec(back)
      self.rules = rules
    }
  }
}

extension TierSpec {
  /// A tier that leaves nothing open; its capacity counts bytes.
  fileprivate init(_ tier: TierSetup) {
    self.init(
      policy: tier.policy, capacity: CapacitySpec(bytes: tier.capacity, label: tier.limits),
      timeToLiveSeconds: tier.timeToLiveSeconds, objectsMax: tier.objectsMax)
  }
}

extension TierSetup {
  /// The limits in words, where the capacity counts bytes: `10MiB and 1000 objects`.
  fileprivate var limits: String {
    var limits: [String] = []
    if capacity < CapacitySpec.largestBytes { limits.append(Quantity.exactBytes(capacity)) }
    if let objectsMax { limits.append("\(objectsMax) objects") }
    return limits.isEmpty ? "no limit" : limits.joined(separator: " and ")
  }
}

extension SimulationSetup {
  /// The limits of the tiers in words, where capacities count bytes.
  package var limits: String {
    switch arrangement {
    case .memory(let tier), .disk(let tier): tier.limits
    case .hybrid(let memory, let disk, _): "\(memory.limits) before \(disk.limits)"
    }
  }
}
