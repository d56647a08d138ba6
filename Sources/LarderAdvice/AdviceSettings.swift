import LarderEngine
import LarderWorkloads

/// What advice is asked for.
package struct AdviceSettings: Sendable, Hashable {
  /// Which tiers a design may have.
  package typealias Tiers = AdviceTiers

  /// The capacities; empty for a few shares of the footprint.
  package var capacities: [CapacitySpec]
  /// What capacities count; nil for bytes where the trace has sizes and objects where not.
  package var unit: CapacityUnit?
  /// Which tiers a design may have.
  package var tiers: Tiers
  /// The share of the requests that policies and parameters are chosen on; the rest is what they
  /// are scored on. nil to do both on the whole trace.
  package var learned: Share?
  /// Prices; nil for the example values.
  package var prices: Prices?
  /// Requests that may be replayed. nil for the standard of `Effort`.
  package var requestsMax: Double?
  /// Chooses the samples, and drives random policies.
  package var seed: UInt64
  /// Caches that are simulated at the same time. Advice does not depend on it.
  package var threads: Int
  /// Policies to restrict the search to, each with its parameters or, where it has none, with all
  /// that are worth trying; LRU is always among them. nil for all.
  package var policies: [PolicySpec]?
  /// The order in which the blocks of prompts are requested, where hits are those of prefixes; nil
  /// for hits of requests.
  package var prefix: PromptOrder?
  /// Whether only the search is done, without curves, tiers, TTLs and stability: for measuring it.
  package var searchOnly: Bool

  /// Settings; see the properties for the meaning of each part.
  package init(
    capacities: [CapacitySpec] = [], unit: CapacityUnit? = nil, tiers: Tiers = .auto,
    learned: Share? = Share(percent: 50), prices: Prices? = nil, requestsMax: Double? = nil,
    seed: UInt64 = 1, threads: Int = 1, searchOnly: Bool = false
  ) {
    self.capacities = capacities
    self.unit = unit
    self.tiers = tiers
    self.learned = learned
    self.prices = prices
    self.requestsMax = requestsMax
    self.seed = seed
    self.threads = threads
    self.searchOnly = searchOnly
  }

  /// What a workload file asks for; prices are the caller's to read.
  package init(_ spec: AdviseSpec, unit: CapacityUnit?, seed: UInt64, threads: Int) {
    self.init(
      capacities: spec.capacities, unit: unit, tiers: spec.tiers, learned: spec.learned,
      requestsMax: spec.budgetSeconds.map { Double($0) * Self.requestsPerSecond }, seed: seed,
      threads: threads)
  }

  /// What a second of a budget of time stands for, in replayed requests.
  package static var requestsPerSecond: Double { Effort.requestsPerSecond }

  /// Shares of the footprint that are tried where no capacity is named.
  package static let standardCapacities: [CapacitySpec] = ["1%", "3%", "10%", "30%"]
    .compactMap { try? CapacitySpec(parsing: $0) }

  /// Within so many points of LRU it does not matter which policy is chosen.
  package static let indifferentPoints = 0.2
  /// Halves of the trace that disagree by more points than this are different traffic.
  package static let unstablePoints = 0.5
}
