import LarderEngine
import LarderPolicies
import LarderTraces

extension FuzzTarget {
  /// A policy, or several by `name:*`, and an admission filter in a second line. Accepted ones are
  /// simulated. Bytes of a third line select capacity and arrangement.
  static let policy = FuzzTarget("policy", lengthMax: 256) { input in
    let lines = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    func text(_ index: Int) -> String {
      index < lines.count ? String(decoding: lines[index], as: UTF8.self) : ""
    }
    var choices = FuzzInput(lines.count > 2 ? Array(lines[2]) : [])
    let specs = try accepted(or: PolicyError.self) { try PolicySpec.list(parsing: text(0)) }
    let admission = try accepted(or: PolicyError.self) {
      try PolicySpec(parsingOptional: text(1).isEmpty ? nil : text(1))
    }
    guard let specs, let admission else { return }
    let unit = choices.pick([CapacityUnit.objects, .bytes])
    let arrangement = choices.below(3)
    let capacity = choices.flag() ? choices.unsigned(below: 64) : UInt64(1 + choices.below(64))
    let columns = try FuzzTrace.columns
    for spec in specs.prefix(4) {
      _ = try accepted(or: PolicyError.self) { try PolicyRegistry.validate(spec) }
      let tier = TierSetup(
        policy: spec, capacity: capacity, objectsMax: choices.maybe { $0.unsigned(below: 9) },
        admission: admission)
      var disk = tier
      disk.capacity = capacity < 1 << 32 ? capacity * 3 : capacity
      let shape: Arrangement =
        switch arrangement {
        case 0: .memory(tier)
        case 1: .disk(tier)
        default:
          .hybrid(
            memory: tier, disk: disk,
            rules: HybridRules(
              inclusion: choices.pick(HybridRules.Inclusion.allCases),
              promotion: choices.pick(HybridRules.Promotion.allCases)))
        }
      try SimulationProperties.check(
        SimulationSetup(arrangement: shape, unit: unit, seed: 1), over: columns)
    }
  }
}
