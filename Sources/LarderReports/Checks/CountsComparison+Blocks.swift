import LarderExperiments
import LarderSupport

/// Changes between two runs as blocks of a report.
extension CountsComparison {
  private static let linesMax = 100

  /// The number of cells of each kind, as a sentence without its full stop.
  var summary: String {
    let parts = CellChange.Kind.allCases.map { kind in
      "\(changes(kind).count) \(kind == .tolerated ? "within tolerance" : kind.rawValue)"
    }
    return (parts + ["\(new.count) new", "\(missing.count) missing"]).joined(separator: ", ")
  }

  /// A table for each kind of change that occurs, and the cells that only one run has.
  var blocks: [Block] {
    let titles: [(String, CellChange.Kind)] = [
      ("Worse", .worse), ("Better", .better), ("Different", .different),
      ("Within tolerance", .tolerated),
    ]
    return titles.flatMap { title, kind -> [Block] in
      let lines = changes(kind).flatMap(CountLine.all)
      return Block.section(
        title, lines.isEmpty ? [] : Self.table(lines, CountLine.columns, "lines"))
    }
      + [("New", new), ("Missing", missing)].flatMap { title, cells -> [Block] in
        let items = cells.prefix(Self.linesMax).map { Line([.code("\($0.name)")]) }
        return Block.section(title, items.isEmpty ? [] : [.list(items)])
          + Self.rest(cells.count, "cells")
      }
  }

  /// A table of as many of `rows` as are shown, and the number of the others.
  static func table<Row>(_ rows: [Row], _ columns: [Column<Row>], _ what: String) -> [Block] {
    [.table(Table(rows.prefix(linesMax), columns))] + rest(rows.count, what)
  }

  private static func rest(_ count: Int, _ what: String) -> [Block] {
    count > linesMax ? [.paragraph("And \(count - linesMax) more \(what).")] : []
  }
}

extension CellChange {
  var isResized: Bool { before.size != after.size || before.unit != after.unit }
}

/// A line of a table: a count of a cell, or its capacity.
private struct CountLine {
  let change: CellChange
  let metric: CellChange.MetricChange?
  let isFirst: Bool

  static func all(_ change: CellChange) -> [CountLine] {
    let metrics: [CellChange.MetricChange?] = change.metrics + (change.isResized ? [nil] : [])
    return metrics.enumerated().map { CountLine(change: change, metric: $1, isFirst: $0 == 0) }
  }

  static var columns: [Column<CountLine>] {
    [
      .init("cell") { $0.isFirst ? .code("\($0.change.after.name)") : "" },
      .init("count") { line in
        .text(line.metric?.metric.rawValue ?? "capacity, \(line.change.after.unit.rawValue)")
      },
      .init("before") { Table.count($0.metric.map { $0.before } ?? $0.change.before.size) },
      .init("after") { Table.count($0.metric.map { $0.after } ?? $0.change.after.size) },
      .init("change") { line in
        let text = line.metric.map { CheckText.difference($0) } ?? ""
        return line.metric?.kind == .worse ? .strong(text) : .text(text)
      },
      .init("ratio") { line in
        .text(line.metric.flatMap { CheckText.ratios($0.metric, line.change) } ?? "")
      },
    ]
  }
}

extension ResourceComparison {
  /// A sentence and a table of changes; empty if nothing was compared. `isCheck` is true if there
  /// is a baseline that can be updated.
  func blocks(isCheck: Bool) -> [Block] {
    guard !isEmpty else { return [] }
    let isCounted =
      hasInstructions || missing.contains { $0.resource == .instructionsPerRequest }
    let what = hasInstructions ? " compared: " : " of executed cells compared: "
    let remedy = isCheck ? ": \(CheckText.remedy(missing))" : ""
    let sentences: [Line] = [
      """
      \(NumberText.counted(compared, "figure"))\(what)\(compared - changes.count) within their \
      thresholds, \(worse.count) worse, \(changes.count - worse.count) better.
      """,
      missing.isEmpty
        ? "" : "\(NumberText.counted(missing.count, "figure")) not measured by this run\(remedy).",
    ]
    typealias Row = (
      name: CellName, resource: CheckResource, before: Double, change: ResourceChange?
    )
    let rows: [Row] =
      changes.map { ($0.name, $0.resource, $0.before, $0) }
      + missing.map { ($0.name, $0.resource, $0.before, nil) }
    let table = Table(
      rows,
      [
        Column<Row>("cell") { .code("\($0.name)") },
        .init("figure") { .code($0.resource.rawValue) },
        .init("verdict") { row in
          guard let change = row.change else { return .strong("not measured") }
          return change.isWorse ? .strong("worse") : .text("better")
        },
        .init("before") { .text(CheckText.figure($0.before)) },
        .init("now") { Table.text($0.change.map { CheckText.figure($0.after) }) },
        .init("change") { Table.text($0.change.map { CheckText.percent($0) }) },
      ])
    return Block.section(
      isCounted ? "Memory, disk and instructions" : "Memory and disk",
      sentences.filter { !$0.isEmpty }.map { .paragraph($0) }
        + (rows.isEmpty ? [] : [.table(table)]))
  }
}
