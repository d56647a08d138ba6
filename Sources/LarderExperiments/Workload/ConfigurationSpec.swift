import Larder
import LarderEngine

/// One cache of a workload as written: its tiers, and their swept parts.
package struct ConfigurationSpec: Sendable, Hashable {
  package var name: String
  package var kind: ConfigurationKind
  package var memory: TierSpec = TierSpec()
  package var disk: TierSpec = TierSpec()
  package var rules: HybridRules = HybridRules()
  package var contender: String = ConfigurationSpec.defaultCache
  /// Otherwise it has its own policy, which replaces all others.
  package var runsPolicies: Bool = true
  package var preset: String?
  package var process: ProcessSpec?
  package var server: ServerSpec?
  package var time: FetchSpec?
  package var prefix: PrefixSpec?

  package static let defaultCache = "larder"

  package static let defaultMemoryShare = Share(percent: 10)

  package mutating func setLayout(_ layout: FlashLayout) {
    disk.layout = layout
    disk.policy = FlashLayout.policy
  }

  var ownPolicy: String { process == nil ? contender : unguardedName }

  package var sweptTier: TierSpec { kind == .memory ? memory : disk }

  var tiers: [TierSpec] {
    switch kind {
    case .memory: [memory]
    case .disk: [disk]
    case .hybrid: [memory, disk]
    }
  }

  package var admission: String? {
    guard tiers.contains(where: { $0.admission != nil }) else { return nil }
    return tiers.map { $0.admission?.description ?? AdmissionRegistry.always }
      .joined(separator: "+")
  }

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

  static let filterMark: Character = "+"

  var unguardedName: String { String(name.prefix { $0 != Self.filterMark }) }

  func answers(to name: String) -> Bool { name == self.name || name == unguardedName }

  package var layout: FlashLayout? { kind == .disk ? disk.layout : nil }

  package var drive: DriveModel? { kind == .memory ? nil : disk.drive }

  package var sweepsPolicies: Bool {
    guard runsPolicies else { return false }
    return switch kind {
    case .memory: memory.policy == nil
    case .disk: disk.policy == nil
    case .hybrid: memory.policy == nil || disk.policy == nil
    }
  }

  package var sweepsCapacities: Bool { sweptTier.capacity == nil }
}

extension ConfigurationSpec {
  package init(name: String, kind: ConfigurationKind) { (self.name, self.kind) = (name, kind) }
}

package struct TierSpec: Sendable, Hashable {
  /// Policy; nil to sweep the workload's.
  package var policy: PolicySpec?
  /// Capacity; nil to sweep the workload's (in memory of a hybrid: to use its share).
  package var capacity: CapacitySpec?
  /// Capacity of memory in a hybrid, as a share of the disk's; nil for the default.
  package var share: Share?
  package var timeToLiveSeconds: UInt32?
  package var objectsMax: UInt64?
  package var admission: PolicySpec?
  package var layout: FlashLayout?
  package var segmentBytes: Int?
  /// A layout while the tier is decoded.
  var flash = FlashOptions()
  package var drive: DriveModel?
}

/// Options of a workload file or the command line for caches of prefixes.
package struct PrefixSpec: Sendable, Hashable {
  package var order: PromptOrder
  package var prefillTokensPerSecond: Double?

  package init(order: PromptOrder = .front, prefillTokensPerSecond: Double? = nil) {
    self.order = order
    self.prefillTokensPerSecond = prefillTokensPerSecond
  }

  package static func prefill(parsing text: String) -> Double? {
    guard text.hasSuffix("tokens/s"),
      let number = Quantity.count.amount(text.dropLast("tokens/s".count)),
      (1...1_000_000_000).contains(number)
    else { return nil }
    return Double(number)
  }
}

/// Order in which the blocks of a prompt are requested.
package enum PromptOrder: String, Sendable, Hashable, Codable, CaseIterable {
  case front
  /// The last block first, so that under LRU the front of a prompt is evicted last.
  case tail
}

extension ConfigurationSpec {
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
  fileprivate init(_ tier: TierSetup) {
    self.init(
      policy: tier.policy, capacity: CapacitySpec(bytes: tier.capacity, label: tier.limits),
      timeToLiveSeconds: tier.timeToLiveSeconds, objectsMax: tier.objectsMax)
  }
}

extension TierSetup {
  fileprivate var limits: String {
    var limits: [String] = []
    if capacity < CapacitySpec.largestBytes { limits.append(Quantity.exactBytes(capacity)) }
    if let objectsMax { limits.append("\(objectsMax) objects") }
    return limits.isEmpty ? "no limit" : limits.joined(separator: " and ")
  }
}

extension SimulationSetup {
  package var limits: String { tiers.map(\.limits).joined(separator: " before ") }

  package var tiers: [TierSetup] {
    switch arrangement {
    case .memory(let tier), .disk(let tier): [tier]
    case .hybrid(let memory, let disk, _): [memory, disk]
    }
  }
}
