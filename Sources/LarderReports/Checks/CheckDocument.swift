import LarderExperiments
import LarderSupport

package struct CheckDocument {
  private let result: CheckResult

  package init(_ result: CheckResult) { self.result = result }

  package func plain(colour: Bool = false) -> String {
    PlainMarkup(colour: colour).text(of: blocks)
  }

  package var markdown: String { MarkdownMarkup().text(of: blocks) }

  package func html() -> String {
    HTMLReport().page(of: result.results, title: "Check of \(result.workload)", blocks)
  }

  /// The baseline's figures that were not measured, and the remedy, in one line; nil for none.
  package var whatIsMissing: String? {
    guard let missing = result.resources?.missing, !missing.isEmpty else { return nil }
    return "\(NumberText.counted(missing.count, "figure")) of the baseline not measured: "
      + CheckText.remedy(missing)
  }

  var blocks: [Block] {
    let word = result.isAccepted ? "updated the baseline" : CheckText.word(result.verdict)
    let compared = NumberText.counted(result.counts.compared, "cell")
    let isExact = !result.isAccepted && result.counts.isExact && !result.counts.failing.isEmpty
    return [
      .heading(2, "larder check \(word): \(result.workload)"),
      .paragraph(
        "\(compared) compared with \(code: result.baseline): \(result.counts.summary)."),
    ] + (isExact ? [.paragraph("The check is exact: every change of a count fails.")] : [])
      + list(
        "The trace differs from the baseline's, so counts cannot be compared:",
        result.traceChanges.map { Line(text: $0) })
      + list(
        "Requirements of the workload file that are missed:",
        result.requirements.filter { !$0.isMet }.map { Line(text: $0.text) })
      + list(
        "Executed counts with one thread differ from the simulation in these cells:",
        result.unequalExecutions.map { Line([.code("\($0)")]) })
      + result.counts.blocks + (result.resources?.blocks(isCheck: true) ?? []) + timings
      + commands + conditions
  }

  private func list(_ title: Line, _ lines: [Line]) -> [Block] {
    lines.isEmpty ? [] : [.paragraph(title), .list(lines)]
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
        .init("ratio") { Table.text($0.ratio.map { CheckText.number($0.centre) }) },
        .init("interval") { Table.text($0.ratio.map { CheckText.interval($0) }) },
        .init("pairs") { .text("\($0.pairs) in \($0.blocks)") },
      ])
    return Block.section(
      "Timings",
      [.paragraph(Line(text: method))] + (result.timings.isEmpty ? [] : [.table(table)]))
  }

  private var commands: [Block] {
    let shown = result.findings.filter { $0.level == .failure }.compactMap(\.command).distinct
    return shown.isEmpty
      ? []
      : [.paragraph("To reproduce:"), .code(shown.prefix(3).joined(separator: "\n"))]
  }

  private var conditions: [Block] {
    let loads = result.loads.map { NumberText.fixed($0, decimals: 2) ?? "" }
    let load =
      loads.isEmpty ? "" : " Load average at start and end: \(loads.joined(separator: ", "))."
    return [.paragraph("Machine: \(result.machine).\(load)")]
      + (result.notes.isEmpty ? [] : [.list(result.notes.map { Line(text: $0) })])
  }
}
