import LarderChecks
import LarderSystem

/// What changed between two runs, as blocks of a report.
struct ChangeTables {
  /// The comparison that is shown.
  let counts: CountsComparison

  /// Lines of a table, beyond which only their number is told.
  static let linesMax = 100

  /// How many cells of each kind, in one sentence without its end.
  var summary: String {
    var parts = CellChange.Kind.allCases.map { kind in
      "\(counts.changes(kind).count) \(kind == .tolerated ? "within tolerance" : kind.rawValue)"
    }
    parts += ["\(counts.new.count) new", "\(counts.missing.count) missing"]
    return parts.joined(separator: ", ")
  }

  /// A heading and a table for each kind of change that there is, and the cells that only one of
  /// the two has.
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
