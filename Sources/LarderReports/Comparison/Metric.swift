import LarderEngine
import LarderSimulation
import LarderSystem

/// Which end of a scale is the better one.
enum Better: Sendable {
  case higher
  case lower
  /// Neither: nothing is marked.
  case none
}

/// What is measured of records, by which policies are ranked, marked and drawn.
struct Metric: Sendable {
  /// The title of a chart, and of its axis.
  let title: String
  /// The name in sentences.
  let name: String
  /// What values are in.
  let unit: ChartUnit
  /// Which end is better.
  let better: Better
  /// Whether the policies that know the future are drawn.
  var showsOffline = true
  /// The value of a record; nil where it does not exist.
  let value: @Sendable (Record) -> Double?

  static let hitRatio = Metric(
    title: "hit ratio", name: "hit ratio", unit: .percent, better: .higher
  ) { $0.counts.hitRatio }

  /// Hits that spare a model work: blocks of prompts with all blocks ahead of them.
  static let prefixHitRatio = Metric(
    title: "prefix hit ratio", name: "prefix hit ratio", unit: .percent, better: .higher
  ) { $0.prefixHitRatio }

  /// The tokens of prefix hits, of those of all prompts.
  static let prefixTokens = Metric(
    title: "tokens not computed", name: "share of tokens not computed", unit: .percent,
    better: .higher
  ) { $0.prefix?.tokenShare }

  /// Hits of blocks, whatever is ahead of them in their prompts: for information.
  static let blockHitRatio = Metric(
    title: "block hit ratio", name: "block hit ratio", unit: .percent, better: .none
  ) { $0.counts.hitRatio }

  static let byteHitRatio = Metric(
    title: "byte hit ratio", name: "byte hit ratio", unit: .percent, better: .higher
  ) { $0.counts.byteHitRatio }

  static let accessTime = Metric(
    title: "mean access time: modelled, not measured", name: "modelled mean access time",
    unit: .nanoseconds, better: .lower
  ) { $0.modelled.map { $0.meanMicroseconds * 1000 } }

  /// A part of the requests.
  static func share(
    _ name: String, _ better: Better = .none, of part: @escaping @Sendable (Counts) -> UInt64
  ) -> Metric {
    Metric(title: name, name: name, unit: .percent, better: better) { $0.share(part) }
  }

  /// A value in a table: a share without its unit, which the title has.
  func cell(_ value: Double) -> String? {
    guard isShare else { return unit.value(value) }
    return NumberText.fixed(value * 100, decimals: 2)
  }

  /// Differences below this are no real difference: 0.2 percentage points of a share; of anything
  /// else, 1 % of `value`.
  func noise(at value: Double) -> Double {
    isShare ? Self.noisePoints / 100 : value.magnitude * 0.01
  }

  /// The difference of hit ratios, in percentage points, from which on it matters.
  static let noisePoints = 0.2

  /// A difference between two values, in points of a share and else in per cent of the other.
  func gap(_ own: Double, _ other: Double) -> String {
    let change = abs(own - other)
    if isShare { return ChartUnit.points.value(change) }
    guard other != 0, let share = NumberText.fixed(change / abs(other) * 100, decimals: 1) else {
      return unit.value(change)
    }
    return "\(share) %"
  }

  /// True where values are shares of 1, or differences between such.
  private var isShare: Bool { unit == .percent || unit == .points }
}
