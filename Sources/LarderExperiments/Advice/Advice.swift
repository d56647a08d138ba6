import LarderEngine
import LarderSupport
import LarderTraces

/// Recommendation for a trace, with everything it is based on: the content of `advice.json`.
package struct Advice: Sendable, Hashable, Codable {
  package var schemaVersion = 1
  package var trace: TraceFacts
  package var durationSeconds: Double?
  package var unit: CapacityUnit
  package var tiers: AdviceTiers
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
  package var smallestObject: UInt64?
  package var uncacheableRatio: Double?
  package var curve: [CurvePoint] = []
  package var lruCurve: [CurvePoint] = []
  package var splits: [TierSplit] = []
  package var lifetimes: [LifetimePoint] = []
  package var stability: Stability?
  package var costs: Costs?
  package var notes: [String] = []
  package var prefix: PromptOrder?
  package var decision: Decision?

  package var best: CapacityAdvice { capacities[recommended] }

  package enum CapacityReason: String, Sendable, Hashable, Codable {
    case asked
    case knee
    case cheapest
  }

  package enum Obstacle: String, Sendable, Hashable, Codable {
    case nothingRepeats
    case nothingFits
    case nothingHits
  }
}

package struct CapacityAdvice: Sendable, Hashable, Codable {
  package var capacity: UInt64
  package var label: String
  /// Recommended design: LRU unless the chosen one is better by more than 0.2 points.
  package var advised: DesignResult
  package var lru: DesignResult
  package var chosen: DesignResult
  package var hindsight: DesignResult
  package var runnersUp: [DesignResult]
  package var matters: Bool
  package var regretBoundPoints: Double
  package var isExhaustive: Bool
  package var lruCapacity: UInt64?
}

package struct DesignResult: Sendable, Hashable, Codable {
  package var policy: String
  package var admission: String?
  package var hitRatio: Double
  package var byteHitRatio: Double?
  /// Amount written to disk per get, in the unit of the capacities; nil for memory.
  package var writtenPerGet: Double?
  package var learnedHitRatio: Double
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
  package var byteHitRatio: Double?
  /// Amount written to disk per get, in the unit of the capacities; nil for memory.
  package var writtenPerGet: Double?
  package var isEstimate: Bool
}

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

package struct LifetimePoint: Sendable, Hashable, Codable {
  package var seconds: UInt32
  package var hitRatio: Double
  package var lostPoints: Double
  /// Stale hits per get, on copies that the origin has changed; nil if the trace has no changes.
  package var staleRatio: Double?
}

/// Dependence of the advice on the part of the trace, and on single objects.
package struct Stability: Sendable, Hashable, Codable {
  package var halves: [DesignResult]
  package var disagreementPoints: Double
  package var changes: Bool
  package var safest: DesignResult
  package var safestLossPoints: Double
  package var auto: DesignResult?
}

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
  package var storage: Double
  package var misses: Double
  package var total: Double
}

package enum AdviceNumbers {
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
    advice.decision = decision?.with { $0.capacity = sampling.represented($0.capacity) }
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
