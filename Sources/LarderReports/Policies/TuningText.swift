import Foundation
import LarderExperiments
import LarderSupport

/// The best configurations of a policy for a terminal.
package enum TuningText {
  /// A line for each capacity: the best configuration, and what the defaults reach.
  package static func text(of tuning: Tuning) -> String {
    var text = "\(TextSafety.singleLine(tuning.trace)): \(tuning.policy), "
    text += "\(tuning.configurations) configurations\n\n"
    let rows =
      [["capacity", "best", "misses", "hit ratio", "defaults", "gain"]]
      + tuning.points.map { row($0, tuning) }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += (column == 0 ? "" : "  ") + (column == 1 ? cell + padding : padding + cell)
      }
      text += line + "\n"
    }
    return text + "\n" + findings(tuning).map { $0 + "\n" }.joined()
  }

  private static func row(_ point: Tuning.Point, _ tuning: Tuning) -> [String] {
    let best = point.best
    let gain = (best?.hitRatio ?? 0) - point.defaults.hitRatio
    return [
      NumberText.capacity(point.capacity, bytes: tuning.unit == .bytes), best?.policy ?? "",
      best?.hits.map { NumberText.grouped(point.requests - $0) } ?? "",
      percent(best?.hitRatio ?? 0) + " %", percent(point.defaults.hitRatio) + " %",
      (gain >= 0 ? "+" : "") + percent(gain),
    ]
  }

  private static func findings(_ tuning: Tuning) -> [String] {
    var lines: [String] = []
    let sampled = tuning.points.filter { $0.sampleRate < 1 }
    if let rate = sampled.map(\.sampleRate).min() {
      let exact = sampled.map { $0.trials.count { $0.standardError == nil } }.min() ?? 0
      lines.append(
        "Tried on a sample of \(percent(rate)) % of the objects or more; the best \(exact) and "
          + "the defaults were simulated in full.")
    } else {
      lines.append("All were simulated in full.")
    }
    let worse = tuning.points.filter { ($0.best?.hitRatio ?? 0) <= $0.defaults.hitRatio }
    if !worse.isEmpty {
      let capacities = worse.map {
        NumberText.capacity($0.capacity, bytes: tuning.unit == .bytes)
      }
      lines.append(
        "No configuration is better than the defaults at \(capacities.joined(separator: ", ")).")
    }
    return lines
  }

  private static func percent(_ value: Double) -> String {
    NumberText.fixed(value * 100, decimals: 2) ?? ""
  }
}

/// The best configurations of a policy as JSON.
package enum TuningJSON {
  /// A list with an object for each trace, keys sorted, with a line break at the end.
  ///
  /// - Throws: what the encoder throws; it does not for numbers that are finite.
  package static func text(of tunings: [Tuning]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(tunings), as: UTF8.self) + "\n"
  }
}
