import LarderEngine

/// Cacheus' learning rate, after the authors' program: the request that completes a period belongs
/// to the next one.
struct NaiveLearningRate {
  /// The rate of each period, the current one last; 0 before the first.
  var rates: [Double]
  let resetRate: Double
  /// The hit ratio of each completed period, in thousandths; 0 before the first.
  var ratios = [0.0]
  var period: Int
  var requests = 0
  var hits = 0
  var zeroes = 0
  var declines = 0

  init(period: Int) {
    self.period = max(period, 1)
    let first = (1.3862943611198906 / Double(self.period)).squareRoot()
    rates = [0, first]
    resetRate = min(max(first, 0.001), 1)
  }

  var value: Double { rates[rates.count - 1] }

  mutating func count(isHit: Bool, _ nextPeriod: Int, _ random: inout SeededGenerator) {
    requests += 1
    if requests == period {
      ratios.append(thousandths(Double(hits) / Double(period)))
      rates.append(next(&random))
      (requests, hits, period) = (0, 0, max(nextPeriod, 1))
    }
    hits += isHit ? 1 : 0
  }

  private func thousandths(_ value: Double) -> Double {
    (value * 1000).rounded(.toNearestOrEven) / 1000
  }

  private mutating func next(_ random: inout SeededGenerator) -> Double {
    let ratio = ratios[ratios.count - 1]
    let gain = thousandths(ratio - ratios[ratios.count - 2])
    let step = thousandths(value) - thousandths(rates[rates.count - 2])
    if step * gain != 0 {
      (zeroes, declines) = (0, 0)
      let change = abs(value * step)
      return step * gain > 0 ? min(value + change, 1) : max(value - change, 0.001)
    }
    if gain > 0 { return value }
    if gain < 0 { declines += 1 }
    if gain < 0 || ratio == 0 { zeroes += 1 }
    if zeroes >= 10 {
      zeroes = 0
      return resetRate
    }
    if gain == 0 { return value }
    if declines >= 10 {
      declines = 0
      return resetRate
    }
    if value >= 1 { return 0.9 }
    if value <= 0.001 { return 0.005 }
    return random.next(below: 2) == 0 ? min(value * 1.25, 1) : max(value * 0.75, 0.001)
  }
}
