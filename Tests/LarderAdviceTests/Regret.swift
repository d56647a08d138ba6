import LarderEngine
import LarderSupport
import LarderTraces

@testable import LarderExperiments

/// Distance of the advice from the best of its search space: the measure of its quality.
struct Regret: Sendable {
  /// A line of the table.
  struct Row: Sendable, Hashable {
    var trace: String
    /// Data for the choice: `whole`, or a share of the requests.
    var chosenOn: String
    /// Capacity as a share of the footprint.
    var share: String
    var capacity: UInt64
    var advised: String
    var hitRatio: Double
    var best: String
    var bestHitRatio: Double
    var lruHitRatio: Double
    var boundPoints: Double
    /// True if the advice said that the choice matters.
    var matters: Bool
    var regretPoints: Double { (bestHitRatio - hitRatio) * 100 }
    var spreadPoints: Double { (bestHitRatio - lruHitRatio) * 100 }
  }

  /// Capacities of the table, as shares of the footprint: from 0.1 % to 50 %, in an approximately
  /// geometric sequence.
  static let shares = ["0.1%", "0.24%", "0.59%", "1.4%", "3.5%", "8.5%", "21%", "50%"]

  private let trace: PreparedTrace
  private let threads: Int
  private let seed: UInt64
  private let learned: Share
  private let cancellation: Cancellation

  /// A measurement over a trace. `learned` is the share that is chosen on in the second half of the
  /// table.
  init(
    trace: PreparedTrace, learned: Share, seed: UInt64, threads: Int, cancellation: Cancellation
  ) {
    self.trace = trace
    self.learned = learned
    self.seed = seed
    self.threads = threads
    self.cancellation = cancellation
  }

  /// Rows of the trace: the advice at each capacity with the standard effort, compared with exact
  /// simulations of the whole search space.
  ///
  /// - Throws: as `Advisor`.
  func rows(
    at shares: [String] = Self.shares, _ progress: @escaping @Sendable (String) -> Void
  ) throws -> [Row] {
    var rows: [Row] = []
    for share in shares {
      let capacity = try capacity(share)
      let exact = try exhaustive(capacity)
      for learned in [nil, learned] {
        progress("\(trace.name) at \(share), chosen on \(learned?.description ?? "the whole")")
        let advisor = try advisor(learned)
        let found = try advisor.search(capacity, share, among: advisor.candidates).advice
        let ratios = exact.counts.map { counts in
          exact.mini.hitRatio(counts, in: learned == nil ? 0..<counts.count : exact.scored)
        }
        func ratio(_ design: DesignResult) -> Double {
          exact.names.firstIndex(of: design.name).map { ratios[$0] } ?? design.hitRatio
        }
        let best = ratios.indices.max { ratios[$0] < ratios[$1] } ?? 0
        rows.append(
          Row(
            trace: trace.name, chosenOn: learned?.description ?? "whole", share: share,
            capacity: capacity, advised: found.advised.name, hitRatio: ratio(found.advised),
            best: exact.names[best], bestHitRatio: ratios[best], lruHitRatio: ratio(found.lru),
            boundPoints: found.regretBoundPoints, matters: found.matters))
      }
    }
    return rows
  }

  private func capacity(_ share: String) throws -> UInt64 {
    let facts = TraceFacts(trace)
    let whole = facts.footprintBytes ?? facts.storableObjects ?? facts.objects
    return max(1, Share(parsing: share)?.of(whole) ?? 1)
  }

  private func advisor(_ learned: Share?) throws -> Advisor {
    try Advisor(
      trace: trace,
      settings: AdviceSettings(learned: learned, seed: seed, threads: threads, searchOnly: true),
      cancellation: cancellation)
  }

  private func exhaustive(
    _ capacity: UInt64
  ) throws -> (names: [String], counts: [[Counts]], mini: MiniTrace, scored: Range<Int>) {
    let advisor = try advisor(learned)
    let whole = advisor.whole
    let candidates = advisor.space.candidates
    let jobs = try candidates.map {
      Replayer.Job(arrangement: .memory(try $0.tier(capacity: capacity)), trace: whole)
    }
    return (
      candidates.map(\.words), try advisor.replayer.run(jobs), whole, advisor.segments.scored
    )
  }
}

extension Regret {
  static let csvHeader =
    "trace,chosen_on,share,capacity,advised,hit_ratio,best,best_hit_ratio,lru_hit_ratio,"
    + "regret_points,bound_points,spread_points,says_it_matters\n"

  /// A row as CSV. Names of designs have no commas and no quotes; the name of a trace may have
  /// both.
  static func csv(_ row: Row) -> String {
    func ratio(_ value: Double) -> String { NumberText.fixed(value, decimals: 6) ?? "" }
    func points(_ value: Double) -> String { NumberText.fixed(value, decimals: 4) ?? "" }
    let name = TextSafety.singleLine(row.trace).replacing("\"", with: "\"\"")
    return [
      "\"\(name)\"", row.chosenOn, row.share, "\(row.capacity)", row.advised, ratio(row.hitRatio),
      row.best, ratio(row.bestHitRatio), ratio(row.lruHitRatio), points(row.regretPoints),
      points(row.boundPoints), points(row.spreadPoints), row.matters ? "true" : "false",
    ].joined(separator: ",") + "\n"
  }

  /// Summary of the rows as Markdown.
  static func summary(_ rows: [Row]) -> String {
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

  /// Accuracy of the statement that the choice does not matter.
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
