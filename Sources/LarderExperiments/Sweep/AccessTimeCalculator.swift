import LarderEngine

/// Computes access times for one kind of configuration; created once and used for all its cells.
package struct AccessTimeCalculator: Sendable {
  private struct Outcome {
    var baseMean: Double
    var grid: [Double]
    var nanosecondsPerByte: Double
  }

  private let memoryHit: Outcome
  private let diskHit: Outcome
  private let miss: Outcome
  /// True if the times of misses were counted, so that they are not drawn.
  private let isOriginFromTrace: Bool

  package init(model: LatencyModel, kind: ConfigurationKind, unit: CapacityUnit) {
    isOriginFromTrace = model.isOriginFromTrace
    let places = model.places(of: kind)
    func outcome(_ places: [AccessLatency]) -> Outcome {
      Outcome(
        baseMean: places.reduce(0) { $0 + $1.base.mean },
        grid: LatencyGrid.sum(of: places.map(\.base)),
        nanosecondsPerByte: unit == .objects ? 0 : places.last?.nanosecondsPerByte ?? 0)
    }
    memoryHit = outcome([model.memory])
    diskHit = outcome(kind == .hybrid ? [model.memory, model.disk] : [model.disk])
    var miss = outcome(places)
    // That histogram has microseconds instead of bytes.
    if isOriginFromTrace { miss.nanosecondsPerByte = 1000 }
    self.miss = miss
  }

  /// Access time over all outcomes, rounded to a nanosecond; nil without requests.
  package func accessTime(of sizes: OutcomeSizes) -> ModelledAccessTime? {
    let misses = isOriginFromTrace ? sizes.originTimes : sizes.misses
    let parts = [(memoryHit, sizes.memoryHits), (diskHit, sizes.diskHits), (miss, misses)]
    let requests = parts.reduce(UInt64(0)) { $0 + $1.1.count }
    guard requests > 0 else { return nil }
    var total = 0.0
    for (outcome, histogram) in parts {
      total += outcome.baseMean * Double(histogram.count)
      total += outcome.nanosecondsPerByte * Double(histogram.bytes)
    }
    let steps = parts.flatMap(Self.steps)
    func percentile(_ share: Double) -> Double {
      Self.microseconds(Self.quantile(of: steps, rank: share * Double(requests)))
    }
    return ModelledAccessTime(
      meanMicroseconds: Self.microseconds(total / Double(requests)),
      p50Microseconds: percentile(0.5), p90Microseconds: percentile(0.9),
      p99Microseconds: percentile(0.99))
  }

  private struct Step {
    var requests: Double
    var shift: Double
    var grid: [Double]
  }

  private static func steps(of outcome: Outcome, _ histogram: SizeHistogram) -> [Step] {
    guard outcome.nanosecondsPerByte > 0 else {
      let count = histogram.count
      return count == 0 ? [] : [Step(requests: Double(count), shift: 0, grid: outcome.grid)]
    }
    return zip(histogram.counts, histogram.sums).compactMap { count, sum in
      guard count > 0 else { return nil }
      let bytes = Double(sum) / Double(count)
      return Step(
        requests: Double(count), shift: bytes * outcome.nanosecondsPerByte, grid: outcome.grid)
    }
  }

  private static func quantile(of steps: [Step], rank: Double) -> Double {
    let largest = steps.map { $0.shift + ($0.grid.last ?? 0) }.max() ?? 0
    // Times are non-negative, and the bit patterns of non-negative numbers have their order. One
    // step up, because a decomposed sum may miss the value by a rounding error.
    var low = UInt64(0)
    var high = largest.nextUp.nextUp.bitPattern
    while low < high {
      let middle = low + (high - low) / 2
      let time = Double(bitPattern: middle)
      let within = steps.reduce(0.0) { sum, step in
        let answered = LatencyGrid.count(in: step.grid, notAbove: time - step.shift)
        return sum + step.requests * (Double(answered) / Double(step.grid.count))
      }
      if within >= rank { high = middle } else { low = middle + 1 }
    }
    return Double(bitPattern: low)
  }

  private static func microseconds(_ nanoseconds: Double) -> Double { nanoseconds.rounded() / 1000 }
}

/// Calculators of one latency model, each created once and shared by all cells of its kind.
package struct AccessTimeCalculators: Sendable {
  private struct Key: Hashable {
    var kind: ConfigurationKind
    var unit: CapacityUnit
  }

  private let calculators: [Key: AccessTimeCalculator]

  init(model: LatencyModel, cells: [PlannedCell]) {
    var calculators: [Key: AccessTimeCalculator] = [:]
    for planned in cells {
      let key = Key(kind: planned.cell.kind, unit: planned.cell.unit)
      guard calculators[key] == nil else { continue }
      calculators[key] = AccessTimeCalculator(model: model, kind: key.kind, unit: key.unit)
    }
    self.calculators = calculators
  }

  func accessTime(of outcomes: OutcomeSizes, in cell: Cell) -> ModelledAccessTime? {
    calculators[Key(kind: cell.kind, unit: cell.unit)]?.accessTime(of: outcomes)
  }
}

enum LatencyGrid {
  static let alone = 4096
  static let widest = 2048
  static let others = 256

  static func sum(of distributions: [LatencyDistribution]) -> [Double] {
    let constant = distributions.filter(\.isConstant).reduce(0) { $0 + $1.quantile(0.5) }
    let random = distributions.filter { !$0.isConstant }
      .sorted { spread($0) < spread($1) }
    guard let last = random.last else { return [constant] }
    guard random.count > 1 else { return last.grid(limit: alone).map { $0 + constant } }
    // Narrow ones first, so that the most important one has the finest grid.
    var narrow = [constant]
    for distribution in random.dropLast() {
      narrow = thinned(sums(narrow, slices(of: distribution)), to: others)
    }
    return thinned(sums(narrow, last.grid(limit: widest)), to: alone)
  }

  static func count(in grid: [Double], notAbove time: Double) -> Int {
    var low = 0
    var high = grid.count
    while low < high {
      let middle = (low + high) / 2
      if grid[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func slices(of distribution: LatencyDistribution) -> [Double] {
    thinned(distribution.grid(limit: alone), to: others)
  }

  private static func spread(_ distribution: LatencyDistribution) -> Double {
    distribution.quantile(0.99) - distribution.quantile(0.01)
  }

  private static func sums(_ left: [Double], _ right: [Double]) -> [Double] {
    var all: [Double] = []
    all.reserveCapacity(left.count * right.count)
    for value in left { for other in right { all.append(value + other) } }
    return all.sorted()
  }

  private static func thinned(_ sorted: [Double], to limit: Int) -> [Double] {
    guard sorted.count > limit else { return sorted }
    return (0..<limit).map { index in
      let run = sorted[index * sorted.count / limit..<(index + 1) * sorted.count / limit]
      return run.reduce(0, +) / Double(run.count)
    }
  }
}
