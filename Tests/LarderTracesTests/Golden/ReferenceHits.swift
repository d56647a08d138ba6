import Foundation
import LarderEngine
import LarderPolicies

/// The rows of `hits.csv` and `hits-2.csv`: exact hit counts on real traces, nearly all confirmed
/// by at least two unrelated programs.
enum ReferenceHits {
  struct Row: Sendable {
    var trace: String
    var file: String
    var policy: String
    var capacity: UInt64
    var unit: CapacityUnit
    var requests: UInt64
    var objects: Int
    var hits: UInt64
    /// Ratio as published, or nil.
    var byteHitRatio: String?
  }

  static let path = ReferenceTraces.path("../reference/hits.csv")

  /// Nil without a table; the tests are skipped then.
  static let rows = table(path)

  /// Path of the second table.
  static let secondPath = ReferenceTraces.path("../reference/hits-2.csv")
  static let secondRows = table(secondPath)

  static func traces(_ rows: [Row]?) -> [String] {
    var seen: [String] = []
    for row in rows ?? [] where !seen.contains(row.trace) { seen.append(row.trace) }
    return seen
  }

  private static func table(_ path: String) -> [Row]? {
    try? String(contentsOfFile: path, encoding: .utf8)
      .split(whereSeparator: \.isNewline).dropFirst().compactMap { row($0) }
  }

  private static func row(_ line: Substring) -> Row? {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    guard fields.count == 11, let capacity = UInt64(fields[3]),
      let unit = CapacityUnit(rawValue: fields[4]), let requests = UInt64(fields[6]),
      let objects = Int(fields[7]), let hits = UInt64(fields[8])
    else { return nil }
    return Row(
      trace: fields[0], file: fields[1], policy: fields[2], capacity: capacity, unit: unit,
      requests: requests, objects: objects, hits: hits,
      byteHitRatio: fields[9].isEmpty ? nil : fields[9])
  }

  /// Counts of a policy in memory.
  static func counts(
    _ policy: String, _ capacity: UInt64, _ unit: CapacityUnit, _ columns: RequestColumns
  ) throws -> Counts {
    let tier = TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: .memory(tier), unit: unit), over: columns)
    simulation.run(upTo: columns.count, untilFirstEviction: false)
    return simulation.counts
  }

  /// Format of a trace, if its name does not determine it.
  static func format(of file: String) -> String {
    if file.hasPrefix("lirs/") { return "lirs" }
    if file.hasPrefix("cache2k/") { return "cache2k" }
    if file.hasPrefix("arc/") { return "arc" }
    return file.contains(".tr") ? "adapt-size" : "oracle-general"
  }
}
