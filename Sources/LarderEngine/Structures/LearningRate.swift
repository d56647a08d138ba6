/// Cacheus' learning rate: it goes on changing in the direction in which the hit ratio rises,
/// period by period, and tries a direction at random when the ratio falls while the rate stands
/// still.
///
/// As the authors' program, thresholds and rounding to thousandths included.
struct LearningRate {
  private static var least: Double { 0.001 }
  private static var patience: Int { 10 }

  /// The rate, from 0.001 to 1 once it has changed.
  private(set) var value: Double
  private var current: Double
  private var previous = 0.0
  private let resetValue: Double
  private var period: Int
  private var requests = 0
  private var hits = 0
  private var hitRatio = 0.0
  private var periodsWithoutHits = 0
  private var periodsOfDecline = 0

  /// The rate to begin with, given the number of requests in a period.
  init(period: Int) {
    // The root of 2 ln 2 / period.
    value = (1.3862943611198906 / Double(max(period, 1))).squareRoot()
    current = value
    resetValue = min(max(value, LearningRate.least), 1)
    self.period = max(period, 1)
  }

  /// Takes note of a request; with the first of each period the rate changes. `nextPeriod` is how
  /// many requests the period that then begins has.
  @inline(__always)
  mutating func count(isHit: Bool, nextPeriod: Int, _ random: inout SeededGenerator) {
    requests += 1
    if requests >= period {
      change(&random)
      requests = 0
      hits = 0
      period = max(nextPeriod, 1)
    }
    if isHit { hits += 1 }
  }

  @inline(never)
  private mutating func change(_ random: inout SeededGenerator) {
    let ratio = LearningRate.rounded(Double(hits) / Double(period))
    let gain = LearningRate.rounded(ratio - hitRatio)
    let step = LearningRate.rounded(current) - LearningRate.rounded(previous)
    let direction = step * gain
    if direction > 0 {
      value = min(value + abs(value * step), 1)
      periodsWithoutHits = 0
      periodsOfDecline = 0
    } else if direction < 0 {
      value = max(value - abs(value * step), LearningRate.least)
      periodsWithoutHits = 0
      periodsOfDecline = 0
    } else if gain <= 0 {
      standStill(ratio, gain, &random)
    }
    previous = current
    current = value
    hitRatio = ratio
  }

  private mutating func standStill(
    _ ratio: Double, _ gain: Double, _ random: inout SeededGenerator
  ) {
    if ratio <= 0, gain == 0 { periodsWithoutHits += 1 }
    if gain < 0 {
      periodsOfDecline += 1
      periodsWithoutHits += 1
    }
    if periodsWithoutHits >= LearningRate.patience {
      value = resetValue
      periodsWithoutHits = 0
    } else if gain < 0 {
      if periodsOfDecline >= LearningRate.patience {
        value = resetValue
        periodsOfDecline = 0
      } else {
        tryDirection(&random)
      }
    }
  }

  private mutating func tryDirection(_ random: inout SeededGenerator) {
    if value >= 1 {
      value = 0.9
    } else if value <= LearningRate.least {
      value = 0.005
    } else if random.next(below: 2) == 0 {
      value = min(value * 1.25, 1)
    } else {
      value = max(value * 0.75, LearningRate.least)
    }
  }

  private static func rounded(_ value: Double) -> Double {
    (value * 1000).rounded(.toNearestOrEven) / 1000
  }
}
