import Foundation
import LarderEngine
import LarderExperiments

/// Compares two builds by running the same cells in both, in alternation.
///
/// The placement of a process's memory makes it faster or slower by some per cent for its whole
/// lifetime (Mytkowicz, Diwan, Hauswirth and Sweeney, Producing Wrong Data Without Doing Anything
/// Obviously Wrong!, ASPLOS 2009). So a *block* starts a fresh process of each build and runs pairs
/// of measurements in random order; the median of the logarithms of their ratios is one value, and
/// only values of different blocks are considered independent. For one build against itself the
/// processes of a block differ only in labels drawn at random, so either sign is equally likely:
/// `SignedRank` requires no more.
package struct PairedTiming {
  private let settings: TimingSettings
  private let against: String
  private let launch: (BuildSide) throws -> any TimedProcess
  private let now: () -> Double
  private let progress: (String) -> Void
  private var random: SeededGenerator
  private var runs: [TimedName: Int] = [:]
  private var ledgers: [Ledger] = []

  private struct Ledger {
    let name: TimedName
    let metric: TimedMetric
    var test: SequentialRatioTest
    var pairs = 0
    var doesDifferentWork = false

    func isOpen(_ cell: TimedName) -> Bool { name == cell && test.verdict == .inconclusive }
  }

  package init(
    _ settings: TimingSettings, against: String, now: @escaping () -> Double,
    progress: @escaping (String) -> Void = { _ in },
    launch: @escaping (BuildSide) throws -> any TimedProcess
  ) {
    self.settings = settings
    self.against = against
    self.launch = launch
    self.now = now
    self.progress = progress
    random = SeededGenerator(seed: settings.seed)
  }

  /// The shortest measurement; below it, the clock and the pipe would affect the result.
  private static var secondsMin: Double { 0.01 }
  private static var blocksWanted: Double { 80 }

  /// Measures until every cell has a verdict, one has failed (unless the settings keep going), or
  /// the budget is spent: a pair of processes that would probably exceed it, judging by the
  /// previous one, is not started. Cells that one build does not know are left out, as are
  /// latencies that one of them does not record.
  ///
  /// - Throws: `TimingError`.
  package mutating func run(_ names: [TimedName]) throws -> [TimingComparison] {
    let start = now()
    var looked = 0.0
    repeat {
      let began = now()
      let launch = launch
      let (other, this) = try both { try launch($0) }
      defer {
        other.end()
        this.end()
      }
      // Both are started before this, so they prepare at the same time.
      let common = try other.ready().intersection(this.ready())
      if ledgers.isEmpty {
        let known = names.filter(common.contains)
        guard !known.isEmpty else { throw TimingError.nothingToTime(program: against) }
        ledgers = begun(known)
      }
      try block(other, this, began: began)
      let isLast = 2 * now() - began - start > settings.budgetSeconds
      let progress = isLast ? 1 : (now() - start) / settings.budgetSeconds
      if progress >= 1 || progress - looked >= 1 / Double(TimingSettings.looks) {
        looked = progress
        look(progress)
      }
      if progress >= 1 { break }
    } while !isSettled
    return ledgers.map(comparison)
  }

  private func begun(_ names: [TimedName]) -> [Ledger] {
    let subjects = names.flatMap { name in
      TimedMetric.all(of: name.mode).map { (name: name, metric: $0) }
    }
    let errorRate = settings.errorRate / Double(subjects.count)
    return subjects.map {
      Ledger(
        name: $0.name, metric: $0.metric,
        test: SequentialRatioTest(
          border: settings.border(of: $0.metric), errorRate: errorRate))
    }
  }

  private var isSettled: Bool {
    let verdicts = ledgers.map(\.test.verdict)
    return !verdicts.contains(.inconclusive) || verdicts.contains(.fail) && !settings.keepsGoing
  }

  private mutating func look(_ part: Double) {
    for index in ledgers.indices where ledgers[index].test.verdict == .inconclusive {
      ledgers[index].test.look(progress: part)
    }
    let open = ledgers.count { $0.test.verdict == .inconclusive }
    let blocks = ledgers.map(\.test.logarithms.count).max() ?? 0
    progress("\(blocks) pairs of processes, \(open) of \(ledgers.count) comparisons undecided")
  }

  /// Both results, made in random order.
  private mutating func both<Result>(
    _ make: (BuildSide) throws -> Result
  ) rethrows -> (other: Result, this: Result) {
    if random.next(below: 2) == 0 {
      let other = try make(.other)
      return (other, try make(.this))
    }
    let this = try make(.this)
    return (try make(.other), this)
  }

  /// One pair of processes, from its start until its share of the budget has passed.
  private mutating func block(
    _ other: any TimedProcess, _ this: any TimedProcess, began: Double
  ) throws {
    var open = openNames
    // The first run of a process touches its memory for the first time, so it is not timed. It
    // determines how often a short cell is run for a measurement.
    for name in open {
      let (first, second) = try pair(name, other, this, runs: 1)
      if first.latencyNanoseconds == nil || second.latencyNanoseconds == nil {
        ledgers.removeAll { $0.name == name && $0.metric == .latency }
      }
      for index in ledgers.indices where ledgers[index].name == name {
        ledgers[index].doesDifferentWork = first.hits != second.hits
      }
      guard runs[name] == nil else { continue }
      let seconds = min(first.seconds(name.mode), second.seconds(name.mode))
      runs[name] = max(1, min(100_000, Int((Self.secondsMin / seconds).rounded(.up))))
    }
    let prepared = now()
    // At least as long as the preparation took, and at least three pairs.
    let until =
      prepared
      + max(
        settings.budgetSeconds / Self.blocksWanted - (prepared - began), prepared - began)
    var logarithms: [Int: [Double]] = [:]
    var rounds = 0
    repeat {
      open.shuffle(using: &random)
      for name in open {
        let times = runs[name] ?? 1
        let (first, second) = try pair(name, other, this, runs: times)
        for index in ledgers.indices where ledgers[index].isOpen(name) {
          let metric = ledgers[index].metric
          guard let old = metric.seconds(first, name.mode, runs: times),
            let new = metric.seconds(second, name.mode, runs: times)
          else { continue }
          ledgers[index].pairs += 1
          logarithms[index, default: []].append(log(new / old))
        }
      }
      rounds += 1
    } while rounds < 3 || now() < until
    for (index, values) in logarithms {
      if let middle = Self.median(values) { ledgers[index].test.add(middle) }
    }
  }

  private var openNames: [TimedName] {
    var seen: Set<TimedName> = []
    return ledgers.filter { $0.isOpen($0.name) && seen.insert($0.name).inserted }.map(\.name)
  }

  private mutating func pair(
    _ name: TimedName, _ other: any TimedProcess, _ this: any TimedProcess, runs: Int
  ) throws -> (other: RepetitionTime, this: RepetitionTime) {
    try both { try ($0 == .other ? other : this).time(name, runs: runs) }
  }

  private func comparison(_ ledger: Ledger) -> TimingComparison {
    TimingComparison(
      name: ledger.name, metric: ledger.metric, against: against, verdict: ledger.test.verdict,
      ratio: ledger.test.interval?.ratios, blocks: ledger.test.logarithms.count,
      pairs: ledger.pairs, doesDifferentWork: ledger.doesDifferentWork)
  }

  static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

package struct TimingSettings: Sendable, Hashable {
  /// The slowdown to detect, such as 0.05.
  package var threshold = 0.05
  /// The increase of the 99th percentile of latencies to detect, such as 0.1.
  package var latencyThreshold = 0.1
  package var budgetSeconds = 60.0
  package var errorRate = 0.005
  package var seed: UInt64 = 1
  /// True if measuring goes on after a cell has failed.
  package var keepsGoing = false

  package static var standard: TimingSettings { TimingSettings() }

  /// The number of looks at the data, at most.
  package static var looks: Int { 8 }

  /// The largest effect of code placement alone on a ratio, with a margin: executables linked from
  /// the same objects differed by up to 1.031 (`Results/examples/layouts`).
  package static var placement: Double { 1.035 }

  /// The border between pass and fail, as a logarithm: half-way to the threshold, so that neither
  /// an equally fast build nor one slower by the threshold is on the edge, and outside of the
  /// effect of placement.
  package var border: Double { border(of: .time) }

  func border(of metric: TimedMetric) -> Double {
    let threshold = metric == .time ? threshold : latencyThreshold
    return max(log(1 + threshold) / 2, log(Self.placement))
  }

  package var findsThreshold: Bool { log(1 + threshold) > border }

  /// The border as a slowdown, such as 0.035.
  package var borderSlowdown: Double { exp(border) - 1 }

  /// The border of latency as an increase, such as 0.049.
  package var latencyBorderGrowth: Double { exp(border(of: .latency)) - 1 }
}

extension TimedMetric {
  func seconds(_ time: RepetitionTime, _ mode: Timing.Mode, runs: Int) -> Double? {
    switch self {
    case .time: time.seconds(mode) / Double(max(1, runs))
    case .latency: time.latencyNanoseconds.map { Double(max(1, $0)) / 1e9 }
    }
  }
}

/// A process of one of two builds that times cells.
package protocol TimedProcess {
  func ready() throws -> Set<TimedName>

  func time(_ name: TimedName, runs: Int) throws -> RepetitionTime

  func end()
}

package enum BuildSide: Sendable, Hashable, CaseIterable {
  case other
  case this
}
