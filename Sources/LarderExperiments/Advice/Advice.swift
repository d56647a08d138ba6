import LarderEngine
import LarderSupport
import LarderTraces

/// Recommendation for a trace, with everything it is based on: the content of `advice.json`.
package struct Advice: Sendable, Hashable, Codable {
  package var schemaVersion = 1
  package var trace: TraceFacts
  package var durationSeconds: Double?
  package var unit: CapacityUnit
  package var tiers: AdviceSettings.Tiers
  /// Share of the requests on which designs were chosen, in billionths; hit ratios count the rest.
  /// Nil if both use the whole trace.
  package var learnedBillionths: UInt64?
  package var seed: UInt64
  package var candidates: Int
  package var replayedRequests: UInt64
  package var capacities: [CapacityAdvice]
  package var recommended: Int
  package var reason: CapacityReason?
  package var obstacle: Obstacle?
  /// Size of the smallest object that a cache may store, in bytes; nil without sizes.
  package var smallestObject: UInt64?
  /// Share of the requests of the scored part that no cache may answer, which are misses in every
  /// hit ratio; nil for none.
  package var uncacheableRatio: Double?
  package var curve: [CurvePoint] = []
  package var lruCurve: [CurvePoint] = []
  /// Memory in front of disk; empty if not examined.
  package var splits: [TierSplit] = []
  /// Effects of TTLs; empty if the trace has no times.
  package var lifetimes: [LifetimePoint] = []
  package var stability: Stability?
  package var costs: Costs?
  package var notes: [String] = []
  package var prefix: PromptOrder?

  package var best: CapacityAdvice { capacities[recommended] }

  package enum CapacityReason: String, Sendable, Hashable, Codable {
    case asked
    /// Knee of the curve: more memory gains less per byte.
    case knee
    case cheapest
  }

  /// Reason for which no cache helps.
  package enum Obstacle: String, Sendable, Hashable, Codable {
    case nothingRepeats
    case nothingFits
    case nothingHits
  }
}

/// Recommendation at one capacity.
package struct CapacityAdvice: Sendable, Hashable, Codable {
  package var capacity: UInt64
  package var label: String
  /// Recommended design: LRU unless the chosen one is better by more than 0.2 points.
  package var advised: DesignResult
  package var lru: DesignResult
  /// Simplest design within 0.2 points of the one with the best score on the part for choosing.
  package var chosen: DesignResult
  package var hindsight: DesignResult
  /// Designs replayed over the whole trace, without the chosen one, the best first.
  package var runnersUp: [DesignResult]
  /// False if the best design is within 0.2 points of LRU.
  package var matters: Bool
  package var regretBoundPoints: Double
  /// True if all designs were replayed over the whole trace.
  package var isExhaustive: Bool
  /// Smallest capacity at which LRU has the hit ratio of the advised design; nil if the whole
  /// footprint is not enough, or it was not determined.
  package var lruCapacity: UInt64?
}

/// A design and its results.
package struct DesignResult: Sendable, Hashable, Codable {
  package var policy: String
  /// Admission filter, as typed; nil for none.
  package var admission: String?
  package var hitRatio: Double
  /// Bytes hit per byte requested, on the scored part; nil without sizes.
  package var byteHitRatio: Double?
  /// Amount written to disk per get, in the unit of the capacities; nil for memory.
  package var writtenPerGet: Double?
  package var learnedHitRatio: Double
  /// Hit ratios in the first and the second half of the trace.
  package var halves: [Double]
  package var wholeHitRatio: Double
  /// Tokens of prefix hits per token of prompts, on the scored part; nil unless prefixes are
  /// counted.
  package var tokenShare: Double?

  package var name: String { policy + (admission.map { " behind \($0)" } ?? "") }

  package func isSameDesign(as other: DesignResult) -> Bool {
    policy == other.policy && admission == other.admission
  }
}

package struct CurvePoint: Sendable, Hashable, Codable {
  package var capacity: UInt64
  package var hitRatio: Double
  /// Bytes hit per byte requested, on the scored part; nil without sizes and from stack distances.
  package var byteHitRatio: Double?
  /// Amount written to disk per get, in the unit of the capacities; nil for memory.
  package var writtenPerGet: Double?
  package var isEstimate: Bool
}

/// A combination of memory and disk tiers.
package struct TierSplit: Sendable, Hashable, Codable {
  package var memory: UInt64
  package var disk: UInt64
  package var memoryPolicy: String?
  package var diskPolicy: String?
  package var inclusion: HybridRules.Inclusion?
  package var memoryHitRatio: Double
  package var diskHitRatio: Double
  package var writtenPerGet: Double
  package var monthlyCost: Double
  package var isEstimate: Bool
}

/// Effect of a TTL on hits.
package struct LifetimePoint: Sendable, Hashable, Codable {
  /// TTL in seconds; no hit is older.
  package var seconds: UInt32
  package var hitRatio: Double
  /// Percentage points lost against the cache without a TTL.
  package var lostPoints: Double
  /// Stale hits per get, on copies that the origin has changed; nil if the trace has no changes.
  package var staleRatio: Double?
}

/// Dependence of the advice on the part of the trace, and on single objects.
package struct Stability: Sendable, Hashable, Codable {
  /// Best design in the first half of the trace, and in the second.
  package var halves: [DesignResult]
  /// Percentage points that the best design of each half loses in the other half against the best
  /// there: the larger of the two.
  package var disagreementPoints: Double
  package var changes: Bool
  package var safest: DesignResult
  package var safestLossPoints: Double
  /// The policy `auto`, which changes its policy while it runs; nil if it was not searched.
  package var auto: DesignResult?
}

/// Costs of designs per month.
package struct Costs: Sendable, Hashable, Codable {
  package var prices: Prices
  package var areExamples: Bool
  package var monthlyGets: Double
  package var basis: String
  package var withoutCache: Double
  package var points: [CostPoint]
  /// The cheapest of the points, which need not be one of the searched capacities.
  package var cheapest: CostPoint
  package var recommended: CostPoint
  package var breakEvenMemorySeconds: Double?
  package var breakEvenFlashSeconds: Double?
  package var assumptions: [String]
}

package struct CostPoint: Sendable, Hashable, Codable {
  package var capacity: UInt64
  /// Cost of memory per month, or of flash with its wear if that is the tier.
  package var storage: Double
  package var misses: Double
  package var total: Double
}

/// Number formats of advice.
package enum AdviceNumbers {
  /// Largest difference of hit ratios, in points, that does not matter.
  package static let indifferentPoints = Choice.indifferentPoints

  package static func plain(_ value: Double) -> String {
    NumberText.trimmed(value, decimals: value.magnitude < 0.01 ? 9 : 4)
  }

  package static func points(_ points: Double) -> String {
    NumberText.fixed(points, decimals: 2) ?? "–"
  }

  package static func money(_ amount: Double, _ currency: String) -> String {
    "\(self.amount(amount)) \(currency)"
  }

  package static func amount(_ amount: Double) -> String {
    let decimals = amount.magnitude >= 100 ? 0 : amount.magnitude >= 0.1 || amount == 0 ? 2 : 6
    return NumberText.fixed(amount, decimals: decimals) ?? "–"
  }
}

extension Advice {
  /// Advice for all the traffic, from advice for a sample of the objects with scaled capacities.
  /// Hit ratios and costs already represent all the traffic.
  func ofAllTraffic(_ sampling: TraceSampling) -> Advice {
    guard sampling.isPart else { return self }
    var advice = self
    if let note = sampling.note, !notes.contains(note) { advice.notes.append(note) }
    func all<Element>(
      _ elements: [Element], _ capacities: WritableKeyPath<Element, UInt64>...
    ) -> [Element] {
      elements.map { element in
        var element = element
        for path in capacities {
          element[keyPath: path] = sampling.represented(element[keyPath: path])
        }
        return element
      }
    }
    advice.capacities = all(capacities, \.capacity)
    for place in capacities.indices {
      advice.capacities[place].lruCapacity =
        capacities[place].lruCapacity.map(sampling.represented)
    }
    advice.curve = all(curve, \.capacity)
    advice.lruCurve = all(lruCurve, \.capacity)
    advice.splits = all(splits, \.memory, \.disk)
    advice.costs = costs.map { costs in
      var costs = costs
      costs.points = all(costs.points, \.capacity)
      costs.cheapest.capacity = sampling.represented(costs.cheapest.capacity)
      costs.recommended.capacity = sampling.represented(costs.recommended.capacity)
      return costs
    }
    return advice
  }
}
