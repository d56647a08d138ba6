import Larder
import LarderEngine

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
