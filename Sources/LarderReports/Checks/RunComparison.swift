import Foundation
import LarderExperiments
import LarderSupport

package struct RunComparison: Sendable {
  package let names: (before: String, after: String)
  package let counts: CountsComparison
  /// Memory and disk use of executed cells; not compared between systems.
  package let resources: ResourceComparison
  let before: RunResults
  let after: RunResults
  private let amongTraces: Bool

  package init(
    _ before: RunResults, named beforeName: String, with after: RunResults, named afterName: String
  ) {
    names = (beforeName, afterName)
    (self.before, self.after) = (before, after)
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
      let kinds = Self.timings(record).grouped { "\($0.mode) \($0.threads)" }
      return kinds.map { $0.elements[0] }.compactMap { timing in
        guard let before = Self.spread(earlier, timing), let after = Self.spread(record, timing)
        else { return nil }
        return Speed(
          cell: name, mode: timing.mode, threads: timing.threads, before: before, after: after)
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

  private static func spread(_ record: Record, _ timing: Timing) -> Spread? {
    Spread(
      timings(record).filter { $0.mode == timing.mode && $0.threads == timing.threads }
        .compactMap(\.requestsPerSecond))
  }
}

package enum RunComparisonFormat: String, Sendable, CaseIterable {
  case text, markdown, html, csv, json

  package func text(
    of comparison: RunComparison, colour: Bool = false
  ) throws(ReportError) -> String {
    let rows = RunComparisonRow.all(in: comparison)
    return switch self {
    case .text: PlainMarkup(colour: colour).text(of: comparison.blocks)
    case .markdown: MarkdownMarkup().text(of: comparison.blocks)
    case .html:
      HTMLReport().page(
        of: comparison.after, title: "\(comparison.names.before) -> \(comparison.names.after)",
        comparison.blocks)
    case .csv:
      CSVText.header(RunComparisonRow.columns) + CSVText.lines(rows, RunComparisonRow.columns)
    case .json: try ResultsJSON.text(of: rows, format: rawValue)
    }
  }
}

extension RunComparison {
  var blocks: [Block] {
    [
      .heading(2, "\(names.before) -> \(names.after)"),
      .paragraph("\(NumberText.counted(counts.compared, "cell")) compared: \(counts.summary)."),
    ] + counts.blocks + resources.blocks(isCheck: false) + speedBlocks
      + (notes.isEmpty ? [] : [.list(notes.map { Line(text: $0) })])
  }

  private var speedBlocks: [Block] {
    guard !speeds.isEmpty else { return [] }
    func text(_ speed: Spread) -> Inline {
      func millions(_ value: Double) -> String { NumberText.fixed(value / 1e6, decimals: 2) ?? "" }
      let range = "\(millions(speed.smallest))–\(millions(speed.largest))"
      return .text(millions(speed.median) + (speed.varies ? " (\(range))" : ""))
    }
    return Block.section(
      "Million requests per second",
      [
        .paragraph(
          """
          Median of the repetitions, minimum and maximum in brackets. For information only: \
          timings depend on the machine and its load, and only 'larder check --against' can decide \
          what is slower.
          """)
      ]
        + CountsComparison.table(
          speeds,
          [
            .init("cell") { .code("\($0.cell)") },
            .init("mode") { speed in
              let threads = NumberText.counted(speed.threads, "thread")
              return .text(speed.mode.rawValue + (speed.mode == .execute ? ", \(threads)" : ""))
            },
            .init("before") { text($0.before) }, .init("after") { text($0.after) },
          ], "cells"))
  }
}

struct RunComparisonRow {
  let cell: CellName
  /// `worse`, `better`, `different`, `new`, `missing` or, without a verdict, `unmeasured` (a figure
  /// that only the earlier folder has) and `timing`.
  let kind: String
  var count = ""
  var before: String?
  var after: String?

  static func all(in comparison: RunComparison) -> [RunComparisonRow] {
    let (counts, resources) = (comparison.counts, comparison.resources)
    let changes = counts.changes.flatMap { change in
      change.metrics.map { metric in
        RunComparisonRow(
          cell: change.after.name, kind: metric.kind.rawValue, count: metric.metric.rawValue,
          before: metric.before.map { String($0) }, after: metric.after.map { String($0) })
      }
    }
    let sizes = counts.changes.filter(\.isResized).map { change in
      RunComparisonRow(
        cell: change.after.name, kind: "different", count: "capacity",
        before: "\(change.before.size)", after: "\(change.after.size)")
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
    return changes + sizes + cells + figures + speeds
  }

  static var columns: [Column<RunComparisonRow>] {
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
