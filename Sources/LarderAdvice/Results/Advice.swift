import LarderEngine
import LarderWorkloads

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
