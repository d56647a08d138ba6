import LarderHarness
import LarderSupport

/// Changes between two runs as blocks of a report.
struct ChangeTables {
  let counts: CountsComparison

  /// The most lines of a table; further ones are only counted.
  static let linesMax = 100

  /// The number of cells of each kind, as a sentence without its full stop.
  var summary: String {
    var parts = CellChange.Kind.allCases.map { kind in
      "\(counts.changes(kind).count) \(kind == .tolerated ? "within tolerance" : kind.rawValue)"
    }
    parts += ["\(counts.new.count) new", "\(counts.missing.count) missing"]
    return parts.joined(separator: ", ")
  }

  /// A heading and a table for each kind of change that occurs, and the cells that only one run
  /// has.
  func blocks(level: Int) -> [Block] {
    let titles: [(CellChange.Kind, String)] = [
      (.worse, "Worse"), (.better, "Better"), (.different, "Different"),
      (.tolerated, "Within tolerance"),
    ]
    var blocks: [Block] = []
    for (kind, title) in titles where !counts.changes(kind).isEmpty {
      blocks.append(.heading(level, [.text(title)]))
      blocks += table(counts.changes(kind))
    }
    blocks += names("New", counts.new, level)
    blocks += names("Missing", counts.missing, level)
    return blocks
  }

  private func names(_ title: String, _ cells: [CheckedCell], _ level: Int) -> [Block] {
    guard !cells.isEmpty else { return [] }
    let items = cells.prefix(Self.linesMax).map { [Inline.code("\($0.name)")] }
    return [.heading(level, [.text(title)]), .list(items)] + Self.rest(cells.count, "cells")
  }

  private func table(_ changes: [CellChange]) -> [Block] {
    var table = Table(titles: ["cell", "count", "before", "after", "change", "ratio"])
    var lines = 0
    for change in changes {
      var rows = change.metrics.map { row($0, of: change) }
      if change.before.size != change.after.size || change.before.unit != change.after.unit {
        rows.append(sizes(change))
      }
      for (index, row) in rows.enumerated() where lines < Self.linesMax {
        let name: Inline = index == 0 ? .code("\(change.after.name)") : ""
        table.rows.append([name] + row)
        lines += 1
      }
    }
    let total = changes.reduce(0) { sum, change in
      sum + change.metrics.count + (change.before.size != change.after.size ? 1 : 0)
    }
    return [.table(table)] + Self.rest(total, "lines")
  }

  private func row(_ metric: CellChange.MetricChange, of change: CellChange) -> [Inline] {
    [
      .text(metric.metric.rawValue), Self.number(metric.before), Self.number(metric.after),
      Self.difference(metric), ratio(metric.metric, change),
    ]
  }

  private func sizes(_ change: CellChange) -> [Inline] {
    [
      .text("capacity, \(change.after.unit.rawValue)"), Self.number(change.before.size),
      Self.number(change.after.size), "", "",
    ]
  }

  private static func number(_ value: UInt64?) -> Inline {
    value.map { .text(NumberText.grouped($0)) } ?? Table.none
  }

  private static func difference(_ metric: CellChange.MetricChange) -> Inline {
    let text = CheckText.difference(metric)
    return metric.kind == .worse ? .strong(text) : .text(text)
  }

  private func ratio(_ metric: CheckMetric, _ change: CellChange) -> Inline {
    CheckText.ratios(metric, change).map { .text($0) } ?? ""
  }

  private static func rest(_ count: Int, _ what: String) -> [Block] {
    count > linesMax ? [.paragraph([.text("And \(count - linesMax) more \(what).")])] : []
  }
}

/// Changes in memory and disk use, for checks and for comparisons of two folders.
struct ResourceTable {
  let comparison: ResourceComparison
  /// True if there is a baseline that can be updated.
  let isCheck: Bool

  /// The subject of the comparison: memory and disk alone if nothing else changed.
  private var title: String {
    comparison.hasInstructions
      || comparison.missing.contains { $0.resource == .instructionsPerRequest }
      ? "Memory, disk and instructions" : "Memory and disk"
  }

  private var notMeasured: String {
    let count = NumberText.counted(comparison.missing.count, "figure")
    let text = "\(count) not measured by this run"
    return text + (isCheck ? ": \(CheckText.remedy(comparison.missing))." : ".")
  }

  /// A sentence and a table of changes; empty if nothing was compared.
  func blocks(level: Int) -> [Block] {
    guard !comparison.isEmpty else { return [] }
    var table = Table(titles: ["cell", "figure", "verdict", "before", "now", "change"])
    for change in comparison.changes {
      let word = change.isWorse ? "worse" : "better"
      table.rows.append([
        .code("\(change.name)"), .code(change.resource.rawValue),
        change.isWorse ? .strong(word) : .text(word), .text(CheckText.figure(change.before)),
        .text(CheckText.figure(change.after)), .text(CheckText.percent(change)),
      ])
    }
    for missing in comparison.missing {
      table.rows.append([
        .code("\(missing.name)"), .code(missing.resource.rawValue), .strong("not measured"),
        .text(CheckText.figure(missing.before)), Table.none, Table.none,
      ])
    }
    let (changed, worse) = (comparison.changes.count, comparison.worse.count)
    let sentence =
      NumberText.counted(comparison.compared, "figure")
      + (comparison.hasInstructions ? " compared: " : " of executed cells compared: ")
      + "\(comparison.compared - changed) within their thresholds, \(worse) worse, "
      + "\(changed - worse) better."
    var blocks: [Block] = [
      .heading(level, [.text(title)]), .paragraph([.text(sentence)]),
    ]
    if !comparison.missing.isEmpty { blocks.append(.paragraph([.text(notMeasured)])) }
    return table.rows.isEmpty ? blocks : blocks + [.table(table)]
  }
}
