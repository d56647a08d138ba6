import LarderExperiments
import LarderSupport

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
