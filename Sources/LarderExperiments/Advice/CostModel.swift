import LarderEngine
import LarderSupport
import LarderTraces

/// Storage with a price.
enum StorageTier: Sendable {
  case memory
  case flash

  func arrangement(_ tier: TierSetup) -> Arrangement {
    self == .flash ? .disk(tier) : .memory(tier)
  }
}

extension AdviceTiers {
  var storage: StorageTier { [.disk, .hybrid].contains(self) ? .flash : .memory }
}

/// Ratios of a replay that costs depend on.
struct Served: Sendable {
  var hitRatio: Double
  /// Bytes hit per byte requested; nil to use the hit ratio, for objects of one size.
  var byteHitRatio: Double?
  var diskHitRatio = 0.0
  var writtenPerGet = 0.0
}

extension MiniTrace {
  func served(_ counts: [Counts], in segments: Range<Int>, unit: CapacityUnit) -> Served {
    func sum(_ part: (Counts) -> UInt64) -> Double {
      counts[segments].reduce(0) { $0 + Double(part($1)) }
    }
    let (gets, bytes) = (max(1, sum { $0.requests }), sum { $0.bytesRequested })
    return Served(
      hitRatio: hitRatio(counts, in: segments),
      byteHitRatio: unit == .bytes && bytes > 0 ? sum { $0.bytesHit } / bytes : nil,
      diskHitRatio: sum { $0.diskHits } / gets,
      writtenPerGet: sum { $0.disk.bytesWritten } / gets)
  }
}

/// A result of a cache of one tier.
protocol SingleTierResult {
  var hitRatio: Double { get }
  var byteHitRatio: Double? { get }
  var writtenPerGet: Double? { get }
}

extension CurvePoint: SingleTierResult {}
extension DesignResult: SingleTierResult {}

extension SingleTierResult {
  func served(on tier: StorageTier) -> Served {
    Served(
      hitRatio: hitRatio, byteHitRatio: byteHitRatio, diskHitRatio: tier == .flash ? hitRatio : 0,
      writtenPerGet: writtenPerGet ?? 0)
  }
}

/// Cost of a design per month, for the traffic of a trace.
struct CostModel: Sendable {
  let prices: Prices
  let monthlyGets: Double
  /// Mean size of a request in bytes.
  let requestBytes: Double
  /// Mean size of an object in bytes.
  let objectBytes: Double
  let unit: CapacityUnit
  let rate: Double
  let hasSizes: Bool
  /// Source of the number of requests per month, as words after "a month".
  let basis: String

  /// A model for a trace with `gets` gets of `bytes` bytes in total.
  init(_ prices: Prices, trace: PreparedTrace, unit: CapacityUnit, gets: Double, bytes: UInt64) {
    self.prices = prices
    self.unit = unit
    rate = trace.sampling.rate
    hasSizes = trace.hasSizes
    let all = gets / rate
    let seconds = trace.durationSeconds
    if let given = prices.requestsPerMonth {
      monthlyGets = given
      basis = "with the requests of the price file"
    } else if seconds > 0 {
      monthlyGets = all * Prices.monthSeconds / seconds
      basis = "extrapolated from \(NumberText.time(seconds)) of trace"
    } else {
      monthlyGets = all * Prices.monthSeconds / 86400
      basis = "if the trace, which has no times, is that of a day"
    }
    objectBytes = trace.hasSizes ? trace.meanSize(in: .bytes) : prices.objectBytes
    requestBytes = trace.hasSizes ? Double(bytes) / max(1, gets) : prices.objectBytes
  }

  func gib(_ capacity: UInt64) -> Double {
    Double(capacity) / rate * (unit == .bytes ? 1 : objectBytes) / Prices.gib
  }

  /// Cost per month of a cache of these capacities: of its storage, with the wear of flash and the
  /// latency of its reads, and of its misses. A tier of capacity 0 costs nothing.
  func cost(
    memory: UInt64 = 0, disk: UInt64 = 0, _ served: Served
  ) -> (storage: Double, misses: Double) {
    var storage =
      gib(memory) * prices.perGiBMonth(of: .memory) + gib(disk) * prices.perGiBMonth(of: .flash)
    if disk > 0 {
      let written = served.writtenPerGet * (unit == .bytes ? 1 : objectBytes) / Prices.gib
      let waited = served.diskHitRatio * prices.secondOfLatency * prices.flashMilliseconds / 1000
      storage += monthlyGets * (written * prices.wearPerGiB + waited)
    }
    let fetched =
      requestBytes / Prices.gib * (1 - (served.byteHitRatio ?? served.hitRatio))
      * prices.originPerGiB
    let misses = (1 - served.hitRatio) * prices.miss(bytes: 0)
    return (storage, monthlyGets * (misses + fetched))
  }

  func point(_ capacity: UInt64, on tier: StorageTier, _ served: Served) -> CostPoint {
    let (storage, misses) =
      tier == .flash ? cost(disk: capacity, served) : cost(memory: capacity, served)
    return CostPoint(
      capacity: capacity, storage: storage, misses: misses, total: storage + misses)
  }

  /// Seconds for which keeping an object of mean size in a tier costs as much as fetching it once:
  /// Gray and Putzolu, The 5 minute rule for trading memory for disc accesses, SIGMOD 1987. Nil if
  /// keeping it is free.
  func breakEvenSeconds(in tier: StorageTier) -> Double? {
    let keeping = objectBytes / Prices.gib * prices.perGiBMonth(of: tier) / Prices.monthSeconds
    return keeping > 0 ? prices.miss(bytes: objectBytes) / keeping : nil
  }

  var assumptions: [String] {
    let amounts = Prices.keys.compactMap { key in
      key.amount.map { "\(key.meaning): \(AdviceNumbers.plain(prices[keyPath: $0]))" }
    }
    let fetched =
      unit == .objects && hasSizes
      ? [
        "bytes of a miss, the mean of the requests: \(AdviceNumbers.plain(requestBytes.rounded()))"
      ]
      : []
    return amounts + fetched
      + ["requests in a month: \(AdviceNumbers.plain(monthlyGets.rounded())) (\(basis))"]
  }
}

extension PreparedTrace {
  /// Seconds from the first request to the last; 0 without times.
  var durationSeconds: Double {
    guard let times = requests.times, requests.count > 1 else { return 0 }
    return Double(times[requests.count - 1] &- times[0]) / 1e6
  }

  func footprint(in unit: CapacityUnit) -> UInt64 {
    max(1, unit == .bytes ? footprintBytes : UInt64(storableObjects))
  }

  func meanSize(in unit: CapacityUnit) -> Double {
    max(1, Double(footprint(in: unit)) / Double(max(1, storableObjects)))
  }

  func capacity(_ spec: CapacitySpec, in unit: CapacityUnit) throws(CapacityError) -> UInt64 {
    sampling.scaled(try spec.resolve(unit: unit, of: TraceFacts(self)))
  }
}

extension Advisor {
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

  func costs(_ advice: Advice, _ model: CostModel) -> Costs {
    let tier = settings.tiers.storage
    let points = advice.curve.map { model.point($0.capacity, on: tier, $0.served(on: tier)) }
    let best = advice.best
    let recommended = model.point(best.capacity, on: tier, best.advised.served(on: tier))
    return Costs(
      prices: prices, areExamples: settings.prices == nil, monthlyGets: model.monthlyGets,
      basis: model.basis, withoutCache: model.cost(Served(hitRatio: 0)).misses, points: points,
      cheapest: points.min { $0.total < $1.total } ?? recommended, recommended: recommended,
      breakEvenMemorySeconds: model.breakEvenSeconds(in: .memory),
      breakEvenFlashSeconds: model.breakEvenSeconds(in: .flash), assumptions: model.assumptions)
  }
}
