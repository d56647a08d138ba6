import LarderSystem

extension Regret {
  /// The titles of a table of rows.
  package static let csvHeader =
    "trace,chosen_on,share,capacity,advised,hit_ratio,best,best_hit_ratio,lru_hit_ratio,"
    + "regret_points,bound_points,spread_points,says_it_matters\n"

  /// A row as CSV. Names of designs have no commas and no quotes; that of a trace may have both.
  package static func csv(_ row: Row) -> String {
    func ratio(_ value: Double) -> String { NumberText.fixed(value, decimals: 6) ?? "" }
    func points(_ value: Double) -> String { NumberText.fixed(value, decimals: 4) ?? "" }
    let name = TextSafety.singleLine(row.trace).replacing("\"", with: "\"\"")
    return [
      "\"\(name)\"", row.chosenOn, row.share, "\(row.capacity)", row.advised, ratio(row.hitRatio),
      row.best, ratio(row.bestHitRatio), ratio(row.lruHitRatio), points(row.regretPoints),
      points(row.boundPoints), points(row.spreadPoints), row.matters ? "true" : "false",
    ].joined(separator: ",") + "\n"
  }

  /// What the rows say together, as Markdown.
  package static func summary(_ rows: [Row]) -> String {
    var text =
      "| chosen on | cells | mean | median | 99th percentile | largest | above 2 points |\n"
      + "| :-- | --: | --: | --: | --: | --: | --: |\n"
    var parts: [String] = []
    for row in rows where !parts.contains(row.chosenOn) { parts.append(row.chosenOn) }
    for part in parts {
      let values = rows.filter { $0.chosenOn == part }.map(\.regretPoints).sorted()
      func quantile(_ share: Double) -> Double {
        values[min(values.count - 1, Int((share * Double(values.count)).rounded(.up)) - 1)]
      }
      let mean = values.reduce(0, +) / Double(values.count)
      let figures = [mean, quantile(0.5), quantile(0.99), values.last ?? 0]
        .map { AdviceNumbers.points($0) }
      text +=
        "| \(part) | \(values.count) | \(figures.joined(separator: " | ")) "
        + "| \(values.count { $0 > 2 }) |\n"
    }
    return text + indifference(rows) + perTrace(rows, parts)
  }

  /// How often advice is right that it does not matter.
  private static func indifference(_ rows: [Row]) -> String {
    let whole = rows.filter { $0.chosenOn == "whole" }
    let close = whole.filter { $0.spreadPoints < 0.2 }
    let far = whole.filter { $0.spreadPoints > 0.4 }
    return
      "\nWhole traces: LRU is within 0.2 points of the best in \(close.count) cells, of which "
      + "\(close.count { !$0.matters }) are said not to matter; it is more than 0.4 points below "
      + "in \(far.count), of which \(far.count { !$0.matters }) are said not to matter.\n"
  }

  private static func perTrace(_ rows: [Row], _ parts: [String]) -> String {
    var traces: [String] = []
    for row in rows where !traces.contains(row.trace) { traces.append(row.trace) }
    let titles = parts.flatMap { ["\($0), mean", "\($0), largest"] }
    var text = "\n| trace | \(titles.joined(separator: " | ")) |\n| :-- |"
    text += String(repeating: " --: |", count: titles.count) + "\n"
    for trace in traces {
      let figures = parts.flatMap { part in
        let values = rows.filter { $0.trace == trace && $0.chosenOn == part }.map(\.regretPoints)
        return [values.reduce(0, +) / Double(max(1, values.count)), values.max() ?? 0]
      }
      let name = TextSafety.singleLine(trace).replacing("|", with: "\\|")
      text +=
        "| \(name) | " + figures.map { AdviceNumbers.points($0) }.joined(separator: " | ") + " |\n"
    }
    return text
  }
}
