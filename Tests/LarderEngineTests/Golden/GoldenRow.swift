import LarderEngine

/// A line of `generated.csv`: a cell of generated trace, configuration, policy and capacity, and
/// its counts.
struct GoldenRow: Sendable, CustomStringConvertible {
  static let header =
    "trace,configuration,policy,capacity,unit,requests,memory_hits,disk_hits,bytes_requested,"
    + "bytes_hit,stale_hits,admissions,rejections,evictions,expirations,promotions,demotions,"
    + "bytes_written"

  var key: [String]
  var counts: [UInt64]

  var description: String { (key + counts.map(String.init)).joined(separator: ",") }

  init(key: [String], counts: Counts) {
    self.key = key
    self.counts = [
      counts.requests, counts.memoryHits, counts.diskHits, counts.bytesRequested,
      counts.bytesHit, counts.staleHits, counts.admissions, counts.rejections, counts.evictions,
      counts.expirations, counts.promotions, counts.demotions,
      counts.memory.bytesWritten + counts.disk.bytesWritten,
    ]
  }

  init?(line: Substring) {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    let numbers = fields.dropFirst(5).compactMap { UInt64($0) }
    guard fields.count == 18, numbers.count == 13 else { return nil }
    key = Array(fields[..<5])
    counts = numbers
  }

  /// The setup that the columns name: `memory`, `disk`, or the rules of a hybrid as in
  /// `exclusive/second-hit`, whose policies and capacities are joined by `+`.
  func setup() throws -> SimulationSetup {
    let policies: [Substring] = key[2].split(separator: "+")
    let capacities = key[3].split(separator: "+").compactMap { UInt64($0) }
    let tiers = try zip(policies, capacities).map { policy, capacity in
      TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)
    }
    guard let unit = CapacityUnit(rawValue: key[4]), let first = tiers.first, let last = tiers.last
    else { throw GoldenProblem(row: description) }
    let rules: [String] = key[1].split(separator: "/").map { String($0) }
    switch key[1] {
    case "memory": return SimulationSetup(arrangement: .memory(first), unit: unit)
    case "disk": return SimulationSetup(arrangement: .disk(first), unit: unit)
    default:
      guard rules.count == 2, let inclusion = HybridRules.Inclusion(rawValue: rules[0]),
        let promotion = HybridRules.Promotion(rawValue: rules[1])
      else { throw GoldenProblem(row: description) }
      return SimulationSetup(
        arrangement: .hybrid(
          memory: first, disk: last,
          rules: HybridRules(inclusion: inclusion, promotion: promotion)),
        unit: unit)
    }
  }
}

/// A row that names no cell.
struct GoldenProblem: Error, CustomStringConvertible {
  var row: String
  var description: String { "generated.csv: no such cell: \(row)" }
}
