import LarderEngine
import LarderSupport
import LarderTraces

/// What is advised for a trace, and everything it stands on: the content of `advice.json`.
package struct Advice: Sendable, Hashable, Codable {
  /// The version of the file's form.
  package var schemaVersion = 1
  /// What is known of the trace.
  package var trace: TraceFacts
  /// Seconds from the first request to the last; nil without times.
  package var durationSeconds: Double?
  /// What capacities count.
  package var unit: CapacityUnit
  /// Which tiers a design may have.
  package var tiers: AdviceSettings.Tiers
  /// The share of the requests that designs were chosen on, in billionths; the rest is what hit
  /// ratios count. nil where both is the whole trace.
  package var learnedBillionths: UInt64?
  /// Chooses the samples, and drives random policies.
  package var seed: UInt64
  /// How many designs were tried at each capacity.
  package var candidates: Int
  /// Requests that were replayed.
  package var replayedRequests: UInt64
  /// What is advised at each capacity, ascending.
  package var capacities: [CapacityAdvice]
  /// The place in `capacities` that is recommended.
  package var recommended: Int
  /// Why it is that one.
  package var reason: CapacityReason
  /// Hit ratios of the recommended design by capacity.
  package var curve: [CurvePoint] = []
  /// Those of LRU.
  package var lruCurve: [CurvePoint] = []
  /// Memory in front of disk; empty where that was not looked at.
  package var splits: [TierSplit] = []
  /// Times to live; empty where the trace has no times.
  package var lifetimes: [LifetimePoint] = []
  /// How much the advice depends on the part of the trace, and on single objects.
  package var stability: Stability?
  /// What designs cost.
  package var costs: Costs?
  /// What to know of how the advice came about.
  package var notes: [String] = []
  /// The order in which the blocks of prompts are requested, where hits are those of prefixes.
  package var prefix: PromptOrder?

  /// What is recommended.
  package var best: CapacityAdvice { capacities[recommended] }

  /// Why a capacity is recommended.
  package enum CapacityReason: String, Sendable, Hashable, Codable {
    /// It is the only one.
    case asked
    /// More memory gains less per byte from there on.
    case knee
    /// It costs least.
    case cheapest
  }
}

/// What is advised at one capacity.
package struct CapacityAdvice: Sendable, Hashable, Codable {
  /// The capacity.
  package var capacity: UInt64
  /// How it was written, such as `1%`.
  package var label: String
  /// The design that is advised: LRU where it does not matter.
  package var advised: DesignResult
  /// LRU.
  package var lru: DesignResult
  /// The design that was chosen where it does matter.
  package var chosen: DesignResult
  /// The design that turned out best on the scored part, of those replayed in full.
  package var hindsight: DesignResult
  /// The designs that were replayed in full and come after the chosen one, the best first.
  package var runnersUp: [DesignResult]
  /// False where the best is within 0.2 points of LRU.
  package var matters: Bool
  /// Points by which the best of all designs may be above the advised one.
  package var regretBoundPoints: Double
  /// Whether all designs were replayed in full.
  package var isExhaustive: Bool
  /// The capacity from which on LRU has the hit ratio of the advised design; nil where even the
  /// whole footprint is not enough, or nobody looked.
  package var lruCapacity: UInt64?
}

/// A design and what it reached.
package struct DesignResult: Sendable, Hashable, Codable {
  /// The policy, as one types it.
  package var policy: String
  /// The admission filter, as one types it; nil for none.
  package var admission: String?
  /// Hit ratio on the scored part.
  package var hitRatio: Double
  /// Bytes hit per byte requested, on the scored part; nil without sizes.
  package var byteHitRatio: Double?
  /// Hit ratio on the part that designs were chosen on.
  package var learnedHitRatio: Double
  /// Hit ratios in the first and the second half of the trace.
  package var halves: [Double]
  /// Hit ratio on the whole trace.
  package var wholeHitRatio: Double
  /// Tokens of prefix hits per token of prompts, on the scored part; nil unless prefixes are
  /// counted.
  package var tokenShare: Double?

  /// The design in words.
  package var name: String { policy + (admission.map { " behind \($0)" } ?? "") }

  /// Of the same design as another result.
  package func isSameDesign(as other: DesignResult) -> Bool {
    policy == other.policy && admission == other.admission
  }
}

/// A point of a curve.
package struct CurvePoint: Sendable, Hashable, Codable {
  /// The capacity.
  package var capacity: UInt64
  /// Hit ratio on the scored part.
  package var hitRatio: Double
  /// Whether it is from a sample.
  package var isEstimate: Bool
}

/// Memory in front of disk.
package struct TierSplit: Sendable, Hashable, Codable {
  /// Capacity of memory.
  package var memory: UInt64
  /// Capacity of disk; 0 for memory alone.
  package var disk: UInt64
  /// The policy in memory, with its filter.
  package var memoryPolicy: String
  /// The policy on disk; nil for memory alone.
  package var diskPolicy: String?
  /// Which tiers hold an object; nil for memory alone.
  package var inclusion: HybridRules.Inclusion?
  /// Hits in memory per get.
  package var memoryHitRatio: Double
  /// Hits on disk per get.
  package var diskHitRatio: Double
  /// What is written to disk per get, in the unit of the capacities.
  package var writtenPerGet: Double
  /// Cost in a month.
  package var monthlyCost: Double
  /// Whether it is from a sample.
  package var isEstimate: Bool
}

/// What a time to live costs in hits.
package struct LifetimePoint: Sendable, Hashable, Codable {
  /// The time to live, seconds: no hit is older.
  package var seconds: UInt32
  /// Hit ratio on the scored part.
  package var hitRatio: Double
  /// Points below the same cache without a time to live.
  package var lostPoints: Double
  /// Hits on copies that the origin has changed since, per get; nil where the trace has no changes.
  package var staleRatio: Double?
}

/// How much the advice depends on the part of the trace, and on single objects.
package struct Stability: Sendable, Hashable, Codable {
  /// The best design in the first half of the trace, and in the second.
  package var halves: [DesignResult]
  /// Points that the best of each half loses in the other half against the best there: the larger
  /// of the two.
  package var disagreementPoints: Double
  /// Whether that is more than 0.5 points.
  package var changes: Bool
  /// The design whose larger loss in the two halves is the smallest.
  package var safest: DesignResult
  /// That loss, points.
  package var safestLossPoints: Double
  /// Points that the chosen design is above LRU, with an interval of 95 % from a bootstrap over
  /// parts of the objects; nil where samples would be too small.
  package var advantage: Interval?
  /// The share of the resamples in which the chosen design is at most 0.2 points below the best
  /// finalist.
  package var confirmedShare: Double?

  /// An estimate with its interval.
  package struct Interval: Sendable, Hashable, Codable {
    /// The estimate.
    package var estimate: Double
    /// 2.5 % of the resamples are below.
    package var low: Double
    /// 2.5 % of the resamples are above.
    package var high: Double
  }
}

/// What designs cost in a month.
package struct Costs: Sendable, Hashable, Codable {
  /// The prices.
  package var prices: Prices
  /// Whether they are the example values.
  package var areExamples: Bool
  /// Gets in a month.
  package var monthlyGets: Double
  /// Cost without a cache.
  package var withoutCache: Double
  /// Cost of the recommended design by capacity.
  package var points: [CostPoint]
  /// The cheapest of them.
  package var cheapest: CostPoint
  /// Cost of the recommended capacity.
  package var recommended: CostPoint
  /// Seconds for which keeping an object of mean size in memory costs as much as fetching it.
  package var breakEvenMemorySeconds: Double?
  /// The same on flash.
  package var breakEvenFlashSeconds: Double?
  /// What the figures stand on.
  package var assumptions: [String]
}

/// Cost at a capacity.
package struct CostPoint: Sendable, Hashable, Codable {
  /// The capacity.
  package var capacity: UInt64
  /// Cost of memory in a month.
  package var memory: Double
  /// Cost of misses in a month.
  package var misses: Double
  /// The sum.
  package var total: Double
}

/// Numbers as advice writes them.
package enum AdviceNumbers {
  /// A number with up to six significant decimals, without needless zeros.
  package static func plain(_ value: Double) -> String {
    var text = NumberText.fixed(value, decimals: value.magnitude < 0.01 ? 9 : 4) ?? "–"
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// A ratio in per cent, with one decimal.
  package static func percent(_ ratio: Double) -> String {
    (NumberText.fixed(ratio * 100, decimals: 1) ?? "–") + " %"
  }

  /// Points, with two decimals.
  package static func points(_ points: Double) -> String {
    NumberText.fixed(points, decimals: 2) ?? "–"
  }

  /// An amount of money.
  package static func money(_ amount: Double, _ currency: String) -> String {
    "\(self.amount(amount)) \(currency)"
  }

  /// An amount without its currency.
  package static func amount(_ amount: Double) -> String {
    let decimals = amount.magnitude >= 100 ? 0 : amount.magnitude >= 0.1 || amount == 0 ? 2 : 6
    return NumberText.fixed(amount, decimals: decimals) ?? "–"
  }

  /// A time in the unit that suits it.
  package static func time(_ seconds: Double) -> String {
    let (value, unit): (Double, String) =
      switch seconds {
      case ..<1: (seconds * 1000, "ms")
      case ..<120: (seconds, "s")
      case ..<7200: (seconds / 60, "min")
      case ..<172_800: (seconds / 3600, "h")
      case ..<63_072_000: (seconds / 86400, "days")
      default: (seconds / 31_557_600, "years")
      }
    let decimals = value == value.rounded() || value >= 100 ? 0 : 1
    return "\(NumberText.fixed(value, decimals: decimals) ?? "–") \(unit)"
  }
}

extension Advice {
  /// Advice that was made for a sample of the objects, with capacities scaled down, as advice for
  /// all the traffic. Hit ratios and costs are that already.
  func ofAllTraffic(_ sampling: TraceSampling) -> Advice {
    guard sampling.isPart else { return self }
    var advice = self
    if let note = sampling.note, !notes.contains(note) { advice.notes.append(note) }
    for place in capacities.indices {
      advice.capacities[place].capacity = sampling.represented(capacities[place].capacity)
      advice.capacities[place].lruCapacity =
        capacities[place].lruCapacity.map(sampling.represented)
    }
    for place in curve.indices {
      advice.curve[place].capacity = sampling.represented(curve[place].capacity)
    }
    for place in lruCurve.indices {
      advice.lruCurve[place].capacity = sampling.represented(lruCurve[place].capacity)
    }
    for place in splits.indices {
      advice.splits[place].memory = sampling.represented(splits[place].memory)
      advice.splits[place].disk = sampling.represented(splits[place].disk)
    }
    advice.costs = costs.map { costs in
      var costs = costs
      costs.points = costs.points.map { $0.ofAllTraffic(sampling) }
      costs.cheapest = costs.cheapest.ofAllTraffic(sampling)
      costs.recommended = costs.recommended.ofAllTraffic(sampling)
      return costs
    }
    return advice
  }
}

extension CostPoint {
  fileprivate func ofAllTraffic(_ sampling: TraceSampling) -> CostPoint {
    var point = self
    point.capacity = sampling.represented(capacity)
    return point
  }
}
