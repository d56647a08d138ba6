import LarderExperiments
import LarderSupport

/// Findings of a check as blocks, from which a log and the summary of a job are made.
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

  /// The baseline's figures that were not measured, and the remedy, in one line; nil for none.
  package var whatIsMissing: String? {
    guard let missing = result.resources?.missing, !missing.isEmpty else { return nil }
    return "\(NumberText.counted(missing.count, "figure")) of the baseline not measured: "
      + CheckText.remedy(missing)
  }

  private var tables: ChangeTables { ChangeTables(counts: result.counts) }

  var blocks: [Block] {
    [
      .heading(2, [.text("larder check \(word): \(result.workload)")]),
      .paragraph([
        .text("\(NumberText.counted(result.counts.compared, "cell")) compared with "),
        .code(result.baseline),
        .text(": \(tables.summary)."),
      ]),
    ] + exactness + traces + executions + tables.blocks(level: 3) + resources + timings + commands
      + conditions
  }

  private var word: String {
    result.isAccepted ? "updated the baseline" : CheckText.word(result.verdict)
  }

  private var exactness: [Block] {
    guard !result.isAccepted, result.counts.isExact, !result.counts.failing.isEmpty else {
      return []
    }
    return [.paragraph(["The check is exact: every change of a count fails."])]
  }

  private var traces: [Block] {
    guard !result.traceChanges.isEmpty else { return [] }
    return [
      .paragraph(["The trace differs from the baseline's, so counts cannot be compared:"]),
      .list(result.traceChanges.map { [.text($0)] }),
    ]
  }

  private var executions: [Block] {
    guard !result.unequalExecutions.isEmpty else { return [] }
    return [
      .paragraph(["Executed counts with one thread differ from the simulation in these cells:"]),
      .list(result.unequalExecutions.map { [.code("\($0)")] }),
    ]
  }

  private var resources: [Block] {
    result.resources?.blocks(level: 3, isCheck: true) ?? []
  }

  private var timings: [Block] {
    guard let method = result.timingMethod else { return [] }
    let table = Table(
      result.timings,
      [
        .init("cell") { .code($0.title) },
        .init("verdict") { timing in
          let word = CheckText.word(timing.verdict)
          return timing.verdict == .fail ? .strong(word) : .text(word)
        },
        .init("ratio") { $0.ratio.map { .text(CheckText.number($0.centre)) } ?? Table.none },
        .init("interval") { $0.ratio.map { .text(CheckText.interval($0)) } ?? Table.none },
        .init("pairs") { .text("\($0.pairs) in \($0.blocks)") },
      ])
    let blocks: [Block] = [.heading(3, ["Timings"]), .paragraph([.text(method)])]
    return result.timings.isEmpty ? blocks : blocks + [.table(table)]
  }

  /// Commands that reproduce failures.
  private var commands: [Block] {
    var seen: Set<String> = []
    let shown = result.findings.filter { $0.level == .failure }.compactMap(\.command)
      .filter { seen.insert($0).inserted }
    return shown.isEmpty
      ? []
      : [.paragraph(["To reproduce:"]), .code(shown.prefix(3).joined(separator: "\n"))]
  }

  private var conditions: [Block] {
    let loads = result.loads.map { NumberText.fixed($0, decimals: 2) ?? "" }
    let text =
      "Machine: \(result.machine)."
      + (loads.isEmpty
        ? "" : " Load average at start and end: \(loads.joined(separator: ", ")).")
    return [.paragraph([.text(text)])]
      + (result.notes.isEmpty ? [] : [.list(result.notes.map { [.text($0)] })])
  }
}
