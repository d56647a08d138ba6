import LarderEngine

@testable import LarderExperiments

/// Advice with every optional value.
enum SampleAdvice {
  static func design(_ policy: String, _ ratio: Double, admission: String? = nil) -> DesignResult {
    DesignResult(
      policy: policy, admission: admission, hitRatio: ratio, byteHitRatio: ratio / 2,
      writtenPerGet: 12, learnedHitRatio: ratio + 0.01, halves: [ratio + 0.01, ratio],
      wholeHitRatio: ratio - 0.02,
      tokenShare: 0.25)
  }

  static func capacity(_ capacity: UInt64, matters: Bool = true) -> CapacityAdvice {
    let lru = design("lru", 0.753)
    let chosen = design("s3-fifo:small=0.2", matters ? 0.821 : 0.7535, admission: "second-hit")
    return CapacityAdvice(
      capacity: capacity, label: "64MiB", advised: matters ? chosen : lru, lru: lru,
      chosen: chosen, hindsight: matters ? design("arc", 0.8222) : chosen,
      runnersUp: [design("arc", 0.8222), lru], matters: matters, regretBoundPoints: 0.3,
      isExhaustive: false, lruCapacity: 118 << 20)
  }

  static func decision(_ name: String = "web.csv") -> Decision {
    func side(_ cache: String, _ ratio: Double, _ amounts: [Double]) -> Decision.Side {
      var side = Decision.Side(cache: cache, capacity: 64 << 20, hitRatio: ratio)
      side.byteHitRatio = ratio / 2
      (side.originRequestsPerDay, side.originBytesPerDay) = (amounts[0], amounts[1])
      side.monthlyCost = amounts[2]
      return side
    }
    var decision = Decision(
      trace: name, unit: .bytes, scope: "the last 50 % of the trace, with a warm cache",
      today: side("nginx lru, inactive=10m", 0.7, [48_000, 5e9, 21.5]),
      proposed: side("nginx inactive=1d", 0.75, [40_000, 4.5e9, 20]))
    decision.other = side("arc", 0.8222, [30_000, 4e9, 18])
    (decision.recordedHitRatio, decision.ttlSeconds) = (0.62, 3600)
    (decision.keyOption, decision.currency) = ("query=drop", "USD")
    decision.basis = "extrapolated from 2.0 h of trace"
    return decision
  }

  static func advice(matters: Bool = true, name: String = "web.csv") -> Advice {
    var advice = Advice(
      trace: TraceFacts(name: name, requests: 5000, objects: 900, footprintBytes: 1 << 30),
      durationSeconds: 7200, unit: .bytes, tiers: .auto, learnedBillionths: 500_000_000, seed: 1,
      candidates: 353, replayedRequests: 123_456,
      capacities: [capacity(16 << 20, matters: matters), capacity(64 << 20, matters: matters)],
      recommended: 1, reason: .knee)
    advice.trace.samplingRate = 0.01
    advice.trace.storableObjects = 800
    advice.prefix = .tail
    advice.smallestObject = 2048
    advice.uncacheableRatio = 0.125
    advice.curve = [(32, 0.75), (64, 0.821), (128, 0.861)].map {
      CurvePoint(
        capacity: $0.0 << 20, hitRatio: $0.1, byteHitRatio: 0.5, writtenPerGet: 12,
        isEstimate: $0.0 != 64)
    }
    advice.lruCurve = [(32, 0.65), (64, 0.753), (128, 0.831)].map {
      CurvePoint(
        capacity: $0.0 << 20, hitRatio: $0.1, byteHitRatio: 0.5, writtenPerGet: 12,
        isEstimate: false)
    }
    advice.splits = [
      TierSplit(
        memory: 64 << 20, disk: 0, memoryPolicy: "lru", memoryHitRatio: 0.82, diskHitRatio: 0,
        writtenPerGet: 0, monthlyCost: 20, isEstimate: false),
      TierSplit(
        memory: 64 << 20, disk: 1 << 30, memoryPolicy: "lru", diskPolicy: "fifo",
        inclusion: .exclusive, memoryHitRatio: 0.82, diskHitRatio: 0.08, writtenPerGet: 900,
        monthlyCost: 15, isEstimate: true),
    ]
    advice.lifetimes = [
      LifetimePoint(seconds: 300, hitRatio: 0.8, lostPoints: 2.1, staleRatio: 0.01),
      LifetimePoint(seconds: 3600, hitRatio: 0.82, lostPoints: 0.1),
    ]
    advice.decision = decision(name)
    advice.stability = Stability(
      halves: [design("arc", 0.8222), design("lirs", 0.83)], disagreementPoints: 0.7,
      changes: true, safest: design("arc", 0.8222), safestLossPoints: 0.4,
      auto: design("auto", 0.8301))
    var prices = Prices()
    prices.requestsPerMonth = 1e9
    let point = CostPoint(capacity: 64 << 20, storage: 0.19, misses: 20.4, total: 20.59)
    let larger = CostPoint(capacity: 128 << 20, storage: 0.38, misses: 15.9, total: 16.28)
    advice.costs = Costs(
      prices: prices, areExamples: true, monthlyGets: 1e9,
      basis: "extrapolated from 30 s of trace", withoutCache: 120,
      points: [point, larger], cheapest: larger, recommended: point, breakEvenMemorySeconds: 4000,
      breakEvenFlashSeconds: 90_000, assumptions: ["a GiB of DRAM for a month: 3"])
    advice.notes = ["a note"]
    return advice
  }
}
