import LarderEngine
import LarderTraces

/// Cost of a design per month, for the traffic of a trace.
struct CostModel: Sendable {
  let prices: Prices
  /// Gets per month.
  let monthlyGets: Double
  /// Mean size of a request in bytes.
  let requestBytes: Double
  /// Mean size of an object in bytes.
  let objectBytes: Double
  /// Unit of capacities.
  let unit: CapacityUnit
  /// Share of the objects that the trace has; capacities are scaled by it.
  let rate: Double
  /// Source of the number of requests per month.
  let volume: String

  /// A model for a trace with `gets` gets of `bytes` bytes in total.
  init(_ prices: Prices, trace: PreparedTrace, unit: CapacityUnit, gets: Double, bytes: UInt64) {
    self.prices = prices
    self.unit = unit
    rate = trace.sampling.rate
    let all = gets / rate
    let seconds = trace.durationSeconds
    if let given = prices.requestsPerMonth {
      monthlyGets = given
      volume = "from the price file"
    } else if seconds > 0 {
      monthlyGets = all * Prices.monthSeconds / seconds
      volume = "at the request rate of the trace"
    } else {
      monthlyGets = all * Prices.monthSeconds / 86400
      volume = "the trace has no times and is assumed to span one day"
    }
    let objects = Double(max(1, trace.storableObjects))
    objectBytes =
      trace.hasSizes ? max(1, Double(trace.footprintBytes) / objects) : prices.objectBytes
    requestBytes = trace.hasSizes ? Double(bytes) / max(1, gets) : prices.objectBytes
  }

  /// Capacity in GiB.
  func gib(_ capacity: UInt64) -> Double {
    Double(capacity) / rate * (unit == .bytes ? 1 : objectBytes) / Prices.gib
  }

  /// Cost of misses per month.
  ///
  /// - Parameters:
  ///   - hitRatio: hits per get.
  ///   - byteHitRatio: bytes hit per byte requested; nil to use the hit ratio.
  func origin(hitRatio: Double, byteHitRatio: Double?) -> Double {
    let misses = monthlyGets * (1 - hitRatio)
    let gib = monthlyGets * requestBytes / Prices.gib * (1 - (byteHitRatio ?? hitRatio))
    return misses
      * (prices.originPerMillionRequests / 1e6
        + prices.secondOfLatency * prices.originMilliseconds / 1000)
      + gib * prices.originPerGiB
  }

  /// Cost of memory per month.
  func memory(_ capacity: UInt64) -> Double { gib(capacity) * prices.memoryPerGiBMonth }

  /// Cost of flash per month, including wear by the amount written per get and the latency of
  /// reads.
  func flash(_ capacity: UInt64, writtenPerGet: Double, readShare: Double) -> Double {
    let written = monthlyGets * writtenPerGet * (unit == .bytes ? 1 : objectBytes) / Prices.gib
    return gib(capacity) * prices.flashPerGiBMonth + written * prices.wearPerGiB
      + monthlyGets * readShare * prices.secondOfLatency * prices.flashMilliseconds / 1000
  }

  /// Seconds for which keeping an object of mean size in memory, or on flash, costs as much as
  /// fetching it once: Gray and Putzolu, The 5 minute rule for trading memory for disc accesses,
  /// SIGMOD 1987. Nil if keeping it is free.
  func breakEvenSeconds(perGiBMonth price: Double) -> Double? {
    let keeping = objectBytes / Prices.gib * price / Prices.monthSeconds
    return keeping > 0 ? prices.miss(bytes: objectBytes) / keeping : nil
  }

  /// Assumptions behind the figures, one per line.
  var assumptions: [String] {
    Prices.keys.compactMap { key in
      guard key.name != "requests-per-month", let number = prices.number(of: key.name) else {
        return nil
      }
      return "\(key.meaning): \(AdviceNumbers.plain(number))"
    } + ["requests in a month: \(AdviceNumbers.plain(monthlyGets.rounded())) (\(volume))"]
  }
}

extension PreparedTrace {
  /// Seconds from the first request to the last; 0 without times.
  var durationSeconds: Double {
    guard let times = requests.times, requests.count > 1 else { return 0 }
    return Double(times[requests.count - 1] &- times[0]) / 1e6
  }
}

extension Advisor {
  /// Cost model for the traffic of the trace.
  func costModel() -> CostModel {
    let columns = trace.requests
    var bytes: UInt64 = 0
    if let sizes = columns.sizes {
      for place in 0..<columns.count
      where columns.operations.map({ Operation.isCounted($0[place]) }) ?? true {
        bytes &+= UInt64(sizes[place])
      }
    }
    let whole = whole
    let (gets, sampled) = (whole.gets.reduce(0, +), whole.sampledGets.reduce(0, +))
    return CostModel(
      prices, trace: trace, unit: unit, gets: gets,
      bytes: gets == sampled ? bytes : UInt64(Double(bytes) * gets / max(1, sampled)))
  }

  /// Costs along the curve of the recommended design.
  func costs(_ advice: Advice, _ model: CostModel) -> Costs {
    let best = advice.best
    // The curve has only hit ratios: byte hit ratios are scaled from the capacity where they were
    // counted.
    let byteFactor = best.advised.byteHitRatio.map { $0 / max(best.advised.hitRatio, 1e-12) }
    func point(_ capacity: UInt64, _ hitRatio: Double) -> CostPoint {
      let memory =
        settings.tiers == .disk
        ? model.flash(capacity, writtenPerGet: 0, readShare: hitRatio) : model.memory(capacity)
      let misses = model.origin(
        hitRatio: hitRatio, byteHitRatio: byteFactor.map { min(1, $0 * hitRatio) })
      return CostPoint(capacity: capacity, memory: memory, misses: misses, total: memory + misses)
    }
    let points = advice.curve.map { point($0.capacity, $0.hitRatio) }
    let recommended = point(best.capacity, best.advised.hitRatio)
    return Costs(
      prices: prices, areExamples: settings.prices == nil, monthlyGets: model.monthlyGets,
      withoutCache: model.origin(hitRatio: 0, byteHitRatio: 0), points: points,
      cheapest: points.min { $0.total < $1.total } ?? recommended, recommended: recommended,
      breakEvenMemorySeconds: model.breakEvenSeconds(perGiBMonth: prices.memoryPerGiBMonth),
      breakEvenFlashSeconds: model.breakEvenSeconds(perGiBMonth: prices.flashPerGiBMonth),
      assumptions: model.assumptions)
  }
}
