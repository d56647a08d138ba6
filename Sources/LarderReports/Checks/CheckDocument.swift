import LarderHarness
import LarderSupport

/// Findings of a check as blocks, from which a log and the summary of a job are made.
package struct CheckDocument {
  private let result: CheckResult

  package init(_ result: CheckResult) { self.result = result }

  package func plain(colour: Bool = false) -> String {
    PlainMarkup(colour: colour).text(of: blocks)
  }

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

  private var commands: [Block] {
    var shown: [String] = []
    for finding in result.findings where finding.level == .failure {
      if let command = finding.command, !shown.contains(command) { shown.append(command) }
    }
    guard !shown.isEmpty else { return [] }
    return [
      .paragraph(["To reproduce:"]),
      .code(shown.prefix(3).joined(separator: "\n")),
    ]
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

/// Sentences and numbers of checks, the same in every format.
enum CheckText {
  /// A change with its sign, such as `-1`.
  static func difference(_ change: CellChange.MetricChange) -> String {
    guard let before = change.before, let after = change.after else { return "" }
    let magnitude = NumberText.grouped(max(before, after) - min(before, after))
    return (after < before ? "-" : "+") + magnitude
  }

  /// Two ratios, such as `0.411000 -> 0.410998`, with as many decimals as it takes to tell them
  /// apart; nil where the count is no part of anything.
  static func ratios(_ metric: CheckMetric, _ change: CellChange) -> String? {
    guard let whole = metric.whole, let old = change.before.counts[metric],
      let new = change.after.counts[metric], let oldWhole = change.before.counts[whole],
      let newWhole = change.after.counts[whole]
    else { return nil }
    for decimals in [6, 9, 12] {
      guard let before = NumberText.ratio(old, of: oldWhole, decimals: decimals),
        let after = NumberText.ratio(new, of: newWhole, decimals: decimals)
      else { return nil }
      if before != after || decimals == 12 { return "\(before) -> \(after)" }
    }
    return nil
  }

  /// A change of one count in a sentence, such as `hits 205 500 -> 205 499 (-1; ratio ...)`.
  static func sentence(_ metric: CellChange.MetricChange, of change: CellChange) -> String {
    let before = metric.before.map { NumberText.grouped($0) } ?? "none"
    let after = metric.after.map { NumberText.grouped($0) } ?? "none"
    var text = "\(metric.metric.rawValue) \(before) -> \(after)"
    let more = [
      difference(metric), ratios(metric.metric, change).map { "ratio \($0)" } ?? "",
    ].filter { !$0.isEmpty }
    if !more.isEmpty { text += " (\(more.joined(separator: "; ")))" }
    return text
  }

  /// The metrics of a cell that got worse, or those that changed if none did.
  static func sentence(_ change: CellChange) -> String {
    let worse = change.metrics.filter { $0.kind == .worse }
    let told = worse.isEmpty ? change.metrics : worse
    guard !told.isEmpty else {
      return "capacity \(change.before.size) -> \(change.after.size)"
    }
    return told.map { sentence($0, of: change) }.joined(separator: ", ")
  }

  static func figure(_ value: Double) -> String {
    value >= 1_000
      ? NumberText.grouped(UInt64(value.rounded())) : NumberText.fixed(value, decimals: 2) ?? ""
  }

  /// A figure for programs: whole where it is whole, else with three decimals.
  static func plain(_ value: Double) -> String? {
    NumberText.fixed(value, decimals: value.rounded() == value ? 0 : 3)
  }

  /// A change of a figure with its sign, such as `+39.7 %`.
  static func percent(_ change: ResourceChange) -> String {
    guard change.before > 0 else { return "" }
    let percent = 100 * (change.after - change.before) / change.before
    return (percent < 0 ? "-" : "+") + (NumberText.fixed(abs(percent), decimals: 1) ?? "") + " %"
  }

  static func sentence(_ change: ResourceChange) -> String {
    "\(change.resource.rawValue) \(figure(change.before)) -> \(figure(change.after)) "
      + "(\(percent(change)); threshold \(change.threshold))"
  }

  /// A figure that was not measured, in a sentence.
  static func sentence(_ missing: MissingResource) -> String {
    "\(missing.resource.rawValue) \(figure(missing.before)) -> not measured"
  }

  static func remedy(_ missing: [MissingResource]) -> String {
    let hasInstructions = missing.contains { $0.resource == .instructionsPerRequest }
    let hasOthers = missing.contains { $0.resource != .instructionsPerRequest }
    let ways =
      (hasOthers ? ["execute these cells as in the baseline run"] : [])
      + (hasInstructions ? ["count instructions with --instructions"] : [])
    let options = hasInstructions ? "--update --instructions" : "--update"
    return ways.joined(separator: " and ") + ", or remove the figures with \(options)"
  }

  /// A timing in a sentence, such as `1.052 times as slow as before (1.040 to 1.063)`.
  static func sentence(_ timing: TimingComparison) -> String {
    guard let ratio = timing.ratio else { return "too few measurements for a comparison" }
    let centre = number(ratio.centre)
    let sentence =
      switch timing.metric {
      case .time: "takes \(centre) times as long as in \(timing.against)"
      case .latency: "p99 of gets is \(centre) times that of \(timing.against)"
      }
    return "\(sentence), interval \(interval(ratio))"
  }

  /// The ends of an interval; one without ends says nothing.
  static func interval(_ ratio: CentreInterval) -> String {
    guard ratio.lower > 0, ratio.upper.isFinite else { return "unknown" }
    return "\(number(ratio.lower)) to \(number(ratio.upper))"
  }

  static func number(_ ratio: Double) -> String {
    NumberText.fixed(ratio, decimals: 3) ?? "unknown"
  }

  static func command(_ result: CheckResult, only cell: CellName) -> String {
    TextSafety.singleLine("\(result.command) \(ShellWord.option("--only", "\(cell)"))")
  }

  static func word(_ verdict: TimingVerdict) -> String {
    switch verdict {
    case .pass: "passed"
    case .fail: "FAILED"
    case .inconclusive: "inconclusive"
    }
  }
}
