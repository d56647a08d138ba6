import LarderExperiments
import LarderSupport

/// A result of a check in one sentence. Log, summary, annotations and JUnit are made of these.
struct CheckFinding {
  /// Levels, the worst first.
  enum Level {
    case failure, inconclusive
    /// A change that may be unintended.
    case change
    case remark
  }

  let level: Level
  /// The cell; nil for a trace.
  let cell: CellName?
  /// The cell, and the quantity where that is not in the sentence.
  let title: String
  /// The kind of change, such as `worse`; nil where the sentence says it.
  var kind: String?
  let sentence: String
  /// Advice on getting rid of the finding; nil where it is obvious.
  var advice: String?
  /// The command that reproduces it; nil where none does.
  var command: String?

  /// Kind and sentence.
  var text: String { kind.map { "\($0): \(sentence)" } ?? sentence }
}

extension CheckResult {
  /// All findings: of traces, then of counts, memory and disk, and timings. Linear in the cells.
  var findings: [CheckFinding] {
    traceChanges.map {
      CheckFinding(level: .failure, cell: nil, title: "trace", sentence: $0)
    } + countFindings + resourceFindings
      + timings.map { timing in
        let level: CheckFinding.Level =
          switch timing.verdict {
          case .fail: .failure
          case .inconclusive: .inconclusive
          case .pass: .remark
          }
        return finding(level, timing.name.cell, CheckText.sentence(timing), title: timing.title)
      }
  }

  private var countFindings: [CheckFinding] {
    counts.changes.map { change in
      let level: CheckFinding.Level =
        counts.fails(change) ? .failure : change.kind == .different ? .change : .remark
      return finding(
        level, change.after.name, CheckText.sentence(change), kind: change.kind.rawValue)
    } + counts.new.map { finding(.remark, $0.name, "not in the baseline") }
      + counts.missing.map { cell in
        CheckFinding(
          level: .failure, cell: cell.name, title: "\(cell.name)", kind: "missing",
          sentence: "in the baseline, but not in the workload")
      }
      + unequalExecutions.map {
        finding(.failure, $0, "executed counts with one thread differ from the simulation")
      }
  }

  private var resourceFindings: [CheckFinding] {
    (resources?.changes ?? []).map { change in
      finding(
        change.isWorse ? .failure : .remark, change.name, CheckText.sentence(change),
        kind: change.isWorse ? "worse" : "better")
    }
      + (resources?.missing ?? []).map { missing in
        var finding = finding(
          .inconclusive, missing.name,
          "\(missing.resource.rawValue) \(CheckText.figure(missing.before)) -> not measured")
        finding.advice = CheckText.remedy([missing])
        return finding
      }
  }

  private func finding(
    _ level: CheckFinding.Level, _ cell: CellName, _ sentence: String, kind: String? = nil,
    title: String? = nil
  ) -> CheckFinding {
    CheckFinding(
      level: level, cell: cell, title: title ?? "\(cell)", kind: kind, sentence: sentence,
      command: TextSafety.singleLine("\(command) \(ShellWord.option("--only", "\(cell)"))"))
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
    let values = [metric.before, metric.after].map { $0.map { NumberText.grouped($0) } ?? "none" }
    let more = [
      difference(metric), ratios(metric.metric, change).map { "ratio \($0)" } ?? "",
    ].filter { !$0.isEmpty }
    return "\(metric.metric.rawValue) \(values[0]) -> \(values[1])"
      + (more.isEmpty ? "" : " (\(more.joined(separator: "; ")))")
  }

  /// The metrics of a cell that got worse, or those that changed if none did.
  static func sentence(_ change: CellChange) -> String {
    let worse = change.metrics.filter { $0.kind == .worse }
    let shown = worse.isEmpty ? change.metrics : worse
    return shown.isEmpty
      ? "capacity \(change.before.size) -> \(change.after.size)"
      : shown.map { sentence($0, of: change) }.joined(separator: ", ")
  }

  /// A figure of memory or disk.
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

  /// A change of a figure in a sentence.
  static func sentence(_ change: ResourceChange) -> String {
    "\(change.resource.rawValue) \(figure(change.before)) -> \(figure(change.after)) "
      + "(\(percent(change)); threshold \(change.threshold))"
  }

  /// Advice on having a figure measured again.
  static func remedy(_ missing: [MissingResource]) -> String {
    let hasInstructions = missing.contains { $0.resource == .instructionsPerRequest }
    let hasOthers = missing.contains { $0.resource != .instructionsPerRequest }
    let ways =
      (hasOthers ? ["execute these cells as in the baseline run"] : [])
      + (hasInstructions ? ["count instructions with --instructions"] : [])
    let options = hasInstructions ? "--update --instructions" : "--update"
    return ways.joined(separator: " and ") + ", or remove the figures with \(options)"
  }

  /// A timing in a sentence, such as `takes 1.052 times as long as in old, interval 1.040 to
  /// 1.063`.
  static func sentence(_ timing: TimingComparison) -> String {
    guard let ratio = timing.ratio else { return "too few measurements for a comparison" }
    let sentence =
      switch timing.metric {
      case .time: "takes \(number(ratio.centre)) times as long as in \(timing.against)"
      case .latency: "p99 of gets is \(number(ratio.centre)) times that of \(timing.against)"
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

  /// The verdict as a word.
  static func word(_ verdict: TimingVerdict) -> String {
    switch verdict {
    case .pass: "passed"
    case .fail: "FAILED"
    case .inconclusive: "inconclusive"
    }
  }
}
