import LarderChecks
import LarderSystem

/// What a check found, as blocks: a log, and the summary of a job, are made from it.
package struct CheckDocument {
  private let result: CheckResult

  /// The document of a result.
  package init(_ result: CheckResult) { self.result = result }

  /// As plain text for a terminal or a log.
  package func plain(colour: Bool = false) -> String {
    PlainMarkup(colour: colour).text(of: blocks)
  }

  /// As Markdown for the summary of a job on GitHub.
  package var markdown: String { MarkdownMarkup().text(of: blocks) }

  /// Which figures of the baseline were not measured, and what to do, in one line; nil for none.
  package var whatIsMissing: String? {
    guard let missing = result.resources?.missing, !missing.isEmpty else { return nil }
    return "\(NumberText.counted(missing.count, "figure")) of the baseline not measured: "
      + CheckText.remedy(missing)
  }

  private var tables: ChangeTables { ChangeTables(counts: result.counts) }

  var blocks: [Block] {
    [
      .heading(2, [.text("larder check \(CheckText.word(result.verdict)): \(result.workload)")]),
      .paragraph([
        .text("\(NumberText.counted(result.counts.compared, "cell")) compared with "),
        .code(result.baseline),
        .text(": \(tables.summary)."),
      ]),
    ] + exactness + traces + executions + tables.blocks(level: 3) + resources + timings + commands
      + conditions
  }

  private var exactness: [Block] {
    guard result.counts.isExact, !result.counts.failing.isEmpty else { return [] }
    return [.paragraph(["The check is exact: every change of a count fails, whatever it is."])]
  }

  private var traces: [Block] {
    guard !result.traceChanges.isEmpty else { return [] }
    return [
      .paragraph(["The trace differs from that of the baseline, so counts cannot be compared:"]),
      .list(result.traceChanges.map { [.text($0)] }),
    ]
  }

  private var executions: [Block] {
    guard !result.unequalExecutions.isEmpty else { return [] }
    return [
      .paragraph(["Executed in one thread, the counts of these cells differ from the simulation:"]),
      .list(result.unequalExecutions.map { [.code("\($0)")] }),
    ]
  }

  private var resources: [Block] {
    result.resources.map { ResourceTable(comparison: $0, isCheck: true).blocks(level: 3) } ?? []
  }

  private var timings: [Block] {
    guard let method = result.timingMethod else { return [] }
    var table = Table(titles: ["cell", "verdict", "ratio", "interval", "pairs"])
    for timing in result.timings {
      let word = CheckText.word(timing.verdict)
      table.rows.append([
        .code(timing.title), timing.verdict == .fail ? .strong(word) : .text(word),
        timing.ratio.map { .text(CheckText.number($0.centre)) } ?? Table.none,
        timing.ratio.map { .text(CheckText.interval($0)) } ?? Table.none,
        .text("\(timing.pairs) in \(timing.blocks)"),
      ])
    }
    let blocks: [Block] = [.heading(3, ["Timings"]), .paragraph([.text(method)])]
    return result.timings.isEmpty ? blocks : blocks + [.table(table)]
  }

  /// What to type to see what went wrong.
  private var commands: [Block] {
    let shown = failedCells.prefix(3).map { CheckText.command(result, only: $0) }
    guard !shown.isEmpty else { return [] }
    return [
      .paragraph(["To reproduce:"]),
      .code(shown.joined(separator: "\n")),
    ]
  }

  private var failedCells: [CellName] {
    var names = result.counts.failing.map(\.after.name) + result.unequalExecutions
    names += result.resources?.worse.map(\.name) ?? []
    names += result.timings.filter { $0.verdict == .fail }.map(\.name.cell)
    var seen: Set<CellName> = []
    return names.filter { seen.insert($0).inserted }
  }

  private var conditions: [Block] {
    let loads = result.loads.map { NumberText.fixed($0, decimals: 2) ?? "" }
    var text = "Machine: \(result.machine)."
    if !loads.isEmpty {
      text +=
        " Load average at start and end: "
        + loads.joined(separator: ", ") + "."
    }
    return [.paragraph([.text(text)])]
      + (result.notes.isEmpty
        ? [] : [.list(result.notes.map { [.text($0)] })])
  }
}
