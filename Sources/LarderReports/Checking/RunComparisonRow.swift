import Foundation
import LarderChecks
import LarderSystem

/// A change between two results folders as programs read it.
struct RunComparisonRow {
  /// The trace, where there are several.
  let trace: String?
  let configuration: String
  let policy: String
  let capacity: String
  let seed: UInt64
  /// `worse`, `better`, `different`, `new`, `missing` or, without a verdict, `unmeasured` (a figure
  /// that only the earlier folder has) and `timing`.
  let kind: String
  /// The count, the figure of memory or disk, or the mode and threads of a timing; empty for a
  /// whole cell.
  var count = ""
  var before: String?
  var after: String?

  /// Every change of a count, in order; then those of memory and disk, then every timing.
  static func all(in comparison: RunComparison) -> [RunComparisonRow] {
    var rows = comparison.counts.changes.flatMap { change in
      change.metrics.map { metric in
        var row = RunComparisonRow(change.after.name, kind: metric.kind.rawValue)
        row.count = metric.metric.rawValue
        row.before = metric.before.map { String($0) }
        row.after = metric.after.map { String($0) }
        return row
      }
    }
    rows += comparison.counts.new.map { RunComparisonRow($0.name, kind: "new") }
    rows += comparison.counts.missing.map { RunComparisonRow($0.name, kind: "missing") }
    rows += comparison.resources.changes.map { change in
      var row = RunComparisonRow(change.name, kind: change.isWorse ? "worse" : "better")
      row.count = change.resource.rawValue
      row.before = CheckText.plain(change.before)
      row.after = CheckText.plain(change.after)
      return row
    }
    rows += comparison.resources.missing.map { missing in
      var row = RunComparisonRow(missing.name, kind: "unmeasured")
      row.count = missing.resource.rawValue
      row.before = CheckText.plain(missing.before)
      return row
    }
    rows += comparison.speeds.map { speed in
      var row = RunComparisonRow(speed.cell, kind: "timing")
      row.count = "requests_per_second_\(speed.mode.rawValue)_\(speed.threads)"
      row.before = NumberText.fixed(speed.before.median, decimals: 1)
      row.after = NumberText.fixed(speed.after.median, decimals: 1)
      return row
    }
    return rows
  }

  static var columns: [CSVColumn<RunComparisonRow>] {
    [
      .text("configuration") { $0.configuration }, .text("policy") { $0.policy },
      .text("capacity") { $0.capacity }, .whole("seed") { $0.seed }, .text("kind") { $0.kind },
      .text("count") { $0.count }, .text("before") { $0.before ?? "" },
      .text("after") { $0.after ?? "" }, .text("trace") { $0.trace ?? "" },
    ]
  }

  private init(_ cell: CellName, kind: String) {
    trace = cell.trace
    configuration = cell.configuration
    policy = cell.policy
    capacity = cell.capacity
    seed = cell.seed
    self.kind = kind
  }
}

extension RunComparisonRow: Encodable {
  private enum CodingKeys: String, CodingKey {
    case trace, configuration, policy, capacity, seed, kind, count, before, after
  }

  /// Numbers as numbers, in full: counts may exceed 2^53.
  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encodeIfPresent(trace, forKey: .trace)
    try fields.encode(configuration, forKey: .configuration)
    try fields.encode(policy, forKey: .policy)
    try fields.encode(capacity, forKey: .capacity)
    try fields.encode(seed, forKey: .seed)
    try fields.encode(kind, forKey: .kind)
    if !count.isEmpty { try fields.encode(count, forKey: .count) }
    try fields.encodeIfPresent(before.flatMap { Decimal(string: $0) }, forKey: .before)
    try fields.encodeIfPresent(after.flatMap { Decimal(string: $0) }, forKey: .after)
  }
}
