import LarderExperiments
import LarderSupport

/// Changes between two runs as blocks of a report.
struct ChangeTables {
  let counts: CountsComparison

  /// The most lines of a table; further ones are only counted.
  static let linesMax = 100

  /// The number of cells of each kind, as a sentence without its full stop.
  var summary: String {
    let parts = CellChange.Kind.allCases.map { kind in
      "\(counts.changes(kind).count) \(kind == .tolerated ? "within tolerance" : kind.rawValue)"
    }
    return (parts + ["\(counts.new.count) new", "\(counts.missing.count) missing"])
      .joined(separator: ", ")
  }

  /// A heading and a table for each kind of change that occurs, and the cells that only one run
  /// has.
  func blocks(level: Int) -> [Block] {
    let titles: [(CellChange.Kind, String)] = [
      (.worse, "Worse"), (.better, "Better"), (.different, "Different"),
      (.tolerated, "Within tolerance"),
    ]
    let names = [("New", counts.new), ("Missing", counts.missing)]
    return titles.filter { !counts.changes($0.0).isEmpty }.flatMap { kind, title in
      [.heading(level, [.text(title)])] + table(counts.changes(kind))
    }
      + names.filter { !$0.1.isEmpty }.flatMap { title, cells -> [Block] in
        let items = cells.prefix(Self.linesMax).map { [Inline.code("\($0.name)")] }
        return [.heading(level, [.text(title)]), .list(items)] + Self.rest(cells.count, "cells")
      }
  }

  /// A line of a table: a count of a cell, or its capacity.
  private typealias Line = (change: CellChange, metric: CellChange.MetricChange?, isFirst: Bool)

  private func table(_ changes: [CellChange]) -> [Block] {
    let lines = changes.flatMap { change -> [Line] in
      let isResized =
        change.before.size != change.after.size || change.before.unit != change.after.unit
      let metrics: [CellChange.MetricChange?] = change.metrics + (isResized ? [nil] : [])
      return metrics.enumerated().map { (change, $1, $0 == 0) }
    }
    func number(_ value: UInt64?) -> Inline {
      value.map { .text(NumberText.grouped($0)) } ?? Table.none
    }
    let table = Table(
      lines.prefix(Self.linesMax),
      [
        .init("cell") { $0.isFirst ? .code("\($0.change.after.name)") : "" },
        .init("count") { line in
          .text(
            line.metric?.metric.rawValue ?? "capacity, \(line.change.after.unit.rawValue)")
        },
        .init("before") { $0.metric.map { number($0.before) } ?? number($0.change.before.size) },
        .init("after") { $0.metric.map { number($0.after) } ?? number($0.change.after.size) },
        .init("change") { line in
          guard let metric = line.metric else { return "" }
          let text = CheckText.difference(metric)
          return metric.kind == .worse ? .strong(text) : .text(text)
        },
        .init("ratio") { line in
          .text(line.metric.flatMap { CheckText.ratios($0.metric, line.change) } ?? "")
        },
      ])
    return [.table(table)] + Self.rest(lines.count, "lines")
  }

  static func rest(_ count: Int, _ what: String) -> [Block] {
    count > linesMax ? [.paragraph([.text("And \(count - linesMax) more \(what).")])] : []
  }
}

extension ResourceComparison {
  /// A sentence and a table of changes; empty if nothing was compared. `isCheck` is true if there
  /// is a baseline that can be updated.
  func blocks(level: Int, isCheck: Bool) -> [Block] {
    guard !isEmpty else { return [] }
    let isCounted =
      hasInstructions || missing.contains { $0.resource == .instructionsPerRequest }
    let sentence =
      NumberText.counted(compared, "figure")
      + (hasInstructions ? " compared: " : " of executed cells compared: ")
      + "\(compared - changes.count) within their thresholds, \(worse.count) worse, "
      + "\(changes.count - worse.count) better."
    var blocks: [Block] = [
      .heading(
        level, [.text(isCounted ? "Memory, disk and instructions" : "Memory and disk")]),
      .paragraph([.text(sentence)]),
    ]
    if !missing.isEmpty {
      let count = NumberText.counted(missing.count, "figure")
      blocks.append(
        .paragraph([
          .text(
            "\(count) not measured by this run"
              + (isCheck ? ": \(CheckText.remedy(missing))." : "."))
        ]))
    }
    var table = Table(titles: ["cell", "figure", "verdict", "before", "now", "change"])
    table.rows = changes.map { change in
      [
        .code("\(change.name)"), .code(change.resource.rawValue),
        change.isWorse ? .strong("worse") : .text("better"), .text(CheckText.figure(change.before)),
        .text(CheckText.figure(change.after)), .text(CheckText.percent(change)),
      ]
    }
    table.rows += missing.map { missing in
      [
        .code("\(missing.name)"), .code(missing.resource.rawValue), .strong("not measured"),
        .text(CheckText.figure(missing.before)), Table.none, Table.none,
      ]
    }
    return table.rows.isEmpty ? blocks : blocks + [.table(table)]
  }
}
