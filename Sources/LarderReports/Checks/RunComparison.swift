import Foundation
import LarderExperiments
import LarderSupport

/// A comparison of two results folders: exact changes in the counts, and the speed of each with its
/// spread and without a verdict.
package struct RunComparison: Sendable {
  package let names: (before: String, after: String)
  package let counts: CountsComparison
  /// Memory and disk use of executed cells; not compared between systems.
  package let resources: ResourceComparison
  let before: RunResults
  let after: RunResults
  private let amongTraces: Bool

  /// Compares two folders. O(n log n) in the records.
  package init(
    _ before: RunResults, named beforeName: String, with after: RunResults, named afterName: String
  ) {
    names = (beforeName, afterName)
    self.before = before
    self.after = after
    let amongTraces = [before, after].contains { Set($0.records.map(\.cell.trace)).count > 1 }
    self.amongTraces = amongTraces
    counts = CountsComparison(
      from: before.records.map { CheckedCell($0, amongTraces: amongTraces) },
      to: after.records.map { CheckedCell($0, amongTraces: amongTraces) })
    let measured = [before, after].map { MeasuredResources($0.records, amongTraces: amongTraces) }
    if let old = measured[0], before.machine.system == after.machine.system {
      let new = measured[1] ?? MeasuredResources(system: old.system, cells: [])
      let cells = after.records.map { CellName($0.cell, amongTraces: amongTraces) }
      resources = ResourceComparison(from: old, to: new, of: cells)
    } else {
      resources = ResourceComparison()
    }
  }

  private func name(_ record: Record) -> CellName {
    CellName(record.cell, amongTraces: amongTraces)
  }

  /// Requests per second of one cell in both folders.
  struct Speed {
    let cell: CellName
    let mode: Timing.Mode
    let threads: Int
    let before: Spread
    let after: Spread
  }

  var speeds: [Speed] {
    let old = Dictionary(
      before.records.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    return after.records.flatMap { record -> [Speed] in
      let name = name(record)
      guard let earlier = old[name] else { return [] }
      return Self.kinds(of: record).compactMap { mode, threads in
        guard let before = Self.spread(earlier, mode, threads),
          let after = Self.spread(record, mode, threads)
        else { return nil }
        return Speed(cell: name, mode: mode, threads: threads, before: before, after: after)
      }
    }
  }

  var notes: [String] {
    var notes: [String] = []
    if before.workload != after.workload {
      notes.append("The workloads differ: '\(before.workload)' and '\(after.workload)'.")
    }
    for (results, name) in [(before, names.before), (after, names.after)]
    where results.interrupted {
      notes.append("\(name) was stopped before all cells were done.")
    }
    if before.machine != after.machine {
      notes.append(
        "Machine or build differ: \(before.machine.summary), larder "
          + "\(before.machine.larder); \(after.machine.summary), larder "
          + "\(after.machine.larder).")
    }
    return notes
  }

  /// The timings of a record; those of one machine if it was timed on several.
  private static func timings(_ record: Record) -> [Timing] {
    let machine = record.timings.first?.machine
    return record.timings.filter { $0.machine == machine } + (record.executions ?? []).map(\.timing)
  }

  private static func kinds(of record: Record) -> [(Timing.Mode, Int)] {
    var kinds: [(Timing.Mode, Int)] = []
    for timing in timings(record)
    where !kinds.contains(where: { $0 == (timing.mode, timing.threads) }) {
      kinds.append((timing.mode, timing.threads))
    }
    return kinds
  }

  private static func spread(_ record: Record, _ mode: Timing.Mode, _ threads: Int) -> Spread? {
    Spread(
      timings(record).filter { $0.mode == mode && $0.threads == threads }
        .compactMap(\.requestsPerSecond))
  }
}

package enum RunComparisonFormat: String, Sendable, CaseIterable {
  case text
  case markdown
  case csv
  case json

  /// The comparison in this format. Linear in the cells.
  ///
  /// - Throws: an error of the encoder.
  package func text(of comparison: RunComparison, colour: Bool = false) throws -> String {
    switch self {
    case .text: PlainMarkup(colour: colour).text(of: Self.blocks(comparison))
    case .markdown: MarkdownMarkup().text(of: Self.blocks(comparison))
    case .csv: Self.csv(RunComparisonRow.all(in: comparison))
    case .json: try Self.json(RunComparisonRow.all(in: comparison))
    }
  }

  private static func blocks(_ comparison: RunComparison) -> [Block] {
    let tables = ChangeTables(counts: comparison.counts)
    let title = "\(comparison.names.before) -> \(comparison.names.after)"
    var blocks: [Block] = [
      .heading(2, [.text(title)]),
      .paragraph([
        .text(
          "\(NumberText.counted(comparison.counts.compared, "cell")) compared: \(tables.summary).")
      ]),
    ]
    blocks += tables.blocks(level: 3)
    blocks += comparison.resources.blocks(level: 3, isCheck: false)
    let speeds = comparison.speeds
    if !speeds.isEmpty {
      blocks +=
        [
          .heading(3, ["Million requests per second"]),
          .paragraph([
            .text(
              "Median of the repetitions, minimum and maximum in brackets. For information only: "
                + "timings depend on the machine and its load, and only 'larder check --against' "
                + "can decide what is "
                + "slower.")
          ]),
          .table(table(of: speeds)),
        ] + ChangeTables.rest(speeds.count, "cells")
    }
    return blocks
      + (comparison.notes.isEmpty ? [] : [.list(comparison.notes.map { [.text($0)] })])
  }

  private static func table(of speeds: [RunComparison.Speed]) -> Table {
    Table(
      speeds.prefix(ChangeTables.linesMax),
      [
        .init("cell") { .code("\($0.cell)") },
        .init("mode") { speed in
          let threads = NumberText.counted(speed.threads, "thread")
          return .text(speed.mode.rawValue + (speed.mode == .execute ? ", \(threads)" : ""))
        },
        .init("before") { .text(text(of: $0.before)) },
        .init("after") { .text(text(of: $0.after)) },
      ])
  }

  private static func text(of speed: Spread) -> String {
    func millions(_ value: Double) -> String { NumberText.fixed(value / 1e6, decimals: 2) ?? "" }
    let middle = millions(speed.median)
    guard speed.varies else { return middle }
    return "\(middle) (\(millions(speed.smallest))–\(millions(speed.largest)))"
  }

  private static func csv(_ rows: [RunComparisonRow]) -> String {
    CSVColumn.header(RunComparisonRow.columns)
      + rows.map { CSVColumn.line(RunComparisonRow.columns, $0) }.joined()
  }

  private static func json(_ rows: [RunComparisonRow]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return JSONLine.printable(String(decoding: try encoder.encode(rows), as: UTF8.self)) + "\n"
  }
}

/// A change between two results folders, for programs.
struct RunComparisonRow {
  let cell: CellName
  /// `worse`, `better`, `different`, `new`, `missing` or, without a verdict, `unmeasured` (a figure
  /// that only the earlier folder has) and `timing`.
  let kind: String
  /// The count, the figure of memory or disk, or the mode and threads of a timing; empty for a
  /// whole cell.
  var count = ""
  var before: String?
  var after: String?

  /// All changes in order: counts, then memory and disk, then timings.
  static func all(in comparison: RunComparison) -> [RunComparisonRow] {
    let (counts, resources) = (comparison.counts, comparison.resources)
    let changes = counts.changes.flatMap { change in
      change.metrics.map { metric in
        RunComparisonRow(
          cell: change.after.name, kind: metric.kind.rawValue, count: metric.metric.rawValue,
          before: metric.before.map { String($0) }, after: metric.after.map { String($0) })
      }
    }
    let cells =
      counts.new.map { RunComparisonRow(cell: $0.name, kind: "new") }
      + counts.missing.map { RunComparisonRow(cell: $0.name, kind: "missing") }
    let figures =
      resources.changes.map { change in
        RunComparisonRow(
          cell: change.name, kind: change.isWorse ? "worse" : "better",
          count: change.resource.rawValue, before: CheckText.plain(change.before),
          after: CheckText.plain(change.after))
      }
      + resources.missing.map { missing in
        RunComparisonRow(
          cell: missing.name, kind: "unmeasured", count: missing.resource.rawValue,
          before: CheckText.plain(missing.before))
      }
    let speeds = comparison.speeds.map { speed in
      RunComparisonRow(
        cell: speed.cell, kind: "timing",
        count: "requests_per_second_\(speed.mode.rawValue)_\(speed.threads)",
        before: NumberText.fixed(speed.before.median, decimals: 1),
        after: NumberText.fixed(speed.after.median, decimals: 1))
    }
    return changes + cells + figures + speeds
  }

  static var columns: [CSVColumn<RunComparisonRow>] {
    [
      .text("configuration") { $0.cell.configuration }, .text("policy") { $0.cell.policy },
      .text("capacity") { $0.cell.capacity }, .whole("seed") { $0.cell.seed },
      .text("kind") { $0.kind }, .text("count") { $0.count },
      .text("before") { $0.before ?? "" }, .text("after") { $0.after ?? "" },
      .text("trace") { $0.cell.trace ?? "" },
    ]
  }
}

extension RunComparisonRow: Encodable {
  private enum CodingKeys: String, CodingKey {
    case kind, count, before, after
  }

  /// Encodes numbers in full: counts may exceed 2^53.
  func encode(to encoder: any Encoder) throws {
    try cell.encode(to: encoder)
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(kind, forKey: .kind)
    if !count.isEmpty { try fields.encode(count, forKey: .count) }
    try fields.encodeIfPresent(before.flatMap { Decimal(string: $0) }, forKey: .before)
    try fields.encodeIfPresent(after.flatMap { Decimal(string: $0) }, forKey: .after)
  }
}
