import LarderExperiments
import LarderSupport

/// A result of a check in one sentence: log, summary, annotations and JUnit are made of these.
struct CheckFinding {
  enum Level {
    case failure, inconclusive
    /// A change that may be unintended.
    case change
    case remark
  }

  let level: Level
  /// The cell's name; nil for a trace.
  let cell: String?
  let title: String
  let kind: String?
  let sentence: String
  var advice: String?
  var command: String?

  var text: String { kind.map { "\($0): \(sentence)" } ?? sentence }
}

extension CheckResult {
  /// All findings: of traces, then of counts, memory and disk, and timings.
  var findings: [CheckFinding] {
    let traces = traceChanges.map { change in
      CheckFinding(level: .failure, cell: nil, title: "trace", kind: nil, sentence: change)
    }
    let changed = counts.changes.map { change in
      finding(
        counts.fails(change) ? .failure : change.kind == .different ? .change : .remark,
        change.after.name, change.kind.rawValue, CheckText.sentence(change))
    }
    let new = counts.new.map { finding(.remark, $0.name, nil, "not in the baseline") }
    let missing = counts.missing.map { cell in
      CheckFinding(
        level: .failure, cell: "\(cell.name)", title: "\(cell.name)", kind: "missing",
        sentence: "in the baseline, but not in the workload")
    }
    let unequal = unequalExecutions.map {
      finding(
        .failure, $0, nil, "executed counts with one thread differ from the simulation")
    }
    let timed = timings.map { timing in
      let levels: [TimingVerdict: CheckFinding.Level] = [
        .fail: .failure, .inconclusive: .inconclusive,
      ]
      return finding(
        levels[timing.verdict] ?? .remark, timing.name.cell, nil, CheckText.sentence(timing),
        title: timing.title)
    }
    let required = requirements.map { one in
      CheckFinding(
        level: one.isMet ? .remark : .failure, cell: one.cell, title: one.cell, kind: "required",
        sentence: one.text)
    }
    return traces + required + changed + new + missing + unequal + resourceFindings + timed
  }

  private var resourceFindings: [CheckFinding] {
    (resources?.changes ?? []).map { change in
      finding(
        change.isWorse ? .failure : .remark, change.name, change.isWorse ? "worse" : "better",
        CheckText.sentence(change))
    }
      + (resources?.missing ?? []).map { missing in
        var finding = finding(
          .inconclusive, missing.name, nil,
          "\(missing.resource.rawValue) \(CheckText.figure(missing.before)) -> not measured")
        finding.advice = CheckText.remedy([missing])
        return finding
      }
  }

  private func finding(
    _ level: CheckFinding.Level, _ cell: CellName, _ kind: String?, _ sentence: String,
    title: String? = nil
  ) -> CheckFinding {
    CheckFinding(
      level: level, cell: "\(cell)", title: title ?? "\(cell)", kind: kind, sentence: sentence,
      command: TextSafety.singleLine("\(command) \(ShellWord.option("--only", "\(cell)"))"))
  }
}

enum CheckText {
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

  static func sentence(_ metric: CellChange.MetricChange, of change: CellChange) -> String {
    let values = [metric.before, metric.after].map { $0.map { NumberText.grouped($0) } ?? "none" }
    let more = [
      difference(metric), ratios(metric.metric, change).map { "ratio \($0)" } ?? "",
    ].filter { !$0.isEmpty }
    return "\(metric.metric.rawValue) \(values[0]) -> \(values[1])"
      + (more.isEmpty ? "" : " (\(more.joined(separator: "; ")))")
  }

  static func sentence(_ change: CellChange) -> String {
    let worse = change.metrics.filter { $0.kind == .worse }
    let shown = worse.isEmpty ? change.metrics : worse
    return shown.isEmpty
      ? "capacity \(change.before.size) -> \(change.after.size)"
      : shown.map { sentence($0, of: change) }.joined(separator: ", ")
  }

  static func figure(_ value: Double) -> String {
    value >= 1_000 ? NumberText.whole(value) : NumberText.fixed(value, decimals: 2) ?? ""
  }

  static func plain(_ value: Double) -> String? {
    NumberText.fixed(value, decimals: value.rounded() == value ? 0 : 3)
  }

  static func percent(_ change: ResourceChange) -> String {
    guard change.before > 0 else { return "" }
    let percent = 100 * (change.after - change.before) / change.before
    return (percent < 0 ? "-" : "+") + (NumberText.fixed(abs(percent), decimals: 1) ?? "") + " %"
  }

  static func sentence(_ change: ResourceChange) -> String {
    "\(change.resource.rawValue) \(figure(change.before)) -> \(figure(change.after)) "
      + "(\(percent(change)); threshold \(change.threshold))"
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

  static func word(_ verdict: TimingVerdict) -> String {
    switch verdict {
    case .pass: "passed"
    case .fail: "FAILED"
    case .inconclusive: "inconclusive"
    }
  }
}
