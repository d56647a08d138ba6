import LarderEngine

@testable import LarderExperiments
@testable import LarderHarness

/// A random cache and trace, with everything that a workload file contains for one cell.
struct ConfigurationDraw {
  struct Tier {
    var policy = "lru"
    var admission: String?
    var capacity: UInt64 = 1
    var objects: Int?
    var timeToLiveSeconds: UInt32?
    var segmentBytes: Int?
  }

  var number = 0
  var kind = ConfigurationKind.memory
  var unit = CapacityUnit.objects
  var memory = Tier()
  var disk = Tier()
  var rules = HybridRules()
  var warmUp = "none"
  var seed: UInt64 = 1
  var inlineBytesMax = 20 << 10
  var hashing = "standard"
  var durability = "none"
  var trace = DrawnTrace(lines: [])

  var tiers: [Tier] {
    switch kind {
    case .memory: [memory]
    case .disk: [disk]
    case .hybrid: [memory, disk]
    }
  }

  // MARK: Files

  static let traceName = "draw.csv"
  static let workloadName = "draw.yaml"

  var workloadText: String {
    """
    name: draw-\(number)
    source: {trace: \(Self.traceName), format: 'csv:sizes=logged'}
    unit: \(unit.rawValue)
    configurations:
      - kind: \(kind.rawValue)
    \(configurationLines.map { "    \($0)\n" }.joined())warm-up: \(warmUp)
    seeds: [\(seed)]
    mode: [simulate, execute]
    execute: {durability: \(durability), inline: \(inlineBytesMax)B, hashing: \(hashing)}

    """
  }

  private var configurationLines: [String] {
    var lines: [String] = []
    if kind != .disk { lines.append("memory: \(text(memory))") }
    if kind != .memory { lines.append("disk: \(text(disk))") }
    guard kind == .hybrid else { return lines }
    lines.append("inclusion: \(rules.inclusion.rawValue)")
    lines.append("promotion: \(rules.promotion.rawValue)")
    if let placement = rules.placement {
      lines.append(
        "placement: {memory-only-below: \(placement.memoryOnlyBelowSeconds), "
          + "disk-only-from: \(placement.diskOnlyFromSeconds)}")
    }
    return lines
  }

  private func text(_ tier: Tier) -> String {
    var parts = ["policy: \"\(tier.policy)\""]
    if let admission = tier.admission { parts.append("admission: \"\(admission)\"") }
    parts.append("capacity: \(tier.capacity)\(unit == .bytes ? "B" : "")")
    if let objects = tier.objects { parts.append("objects: \(objects)") }
    if let seconds = tier.timeToLiveSeconds { parts.append("ttl: \(seconds)") }
    if let bytes = tier.segmentBytes { parts.append("segment: \(bytes)B") }
    return "{\(parts.joined(separator: ", "))}"
  }

  var script: String {
    var script = ""
    func file(_ name: String, _ text: String) { script += "cat > \(name) <<'END'\n\(text)END\n" }
    file(Self.traceName, trace.text)
    file(Self.workloadName, workloadText)
    return script + "larder run \(Self.workloadName)"
  }
}
