import LarderEngine
import LarderWorkloads

/// What to try.
package struct TuningSettings: Sendable, Hashable {
  /// The policy's name.
  package var policy: String
  /// The capacities.
  package var capacities: [CapacitySpec]
  /// What capacities count; nil for bytes where the trace has sizes and objects where not.
  package var unit: CapacityUnit?
  /// The share of the objects to try configurations on; nil to choose one.
  package var rate: Double?
  /// How many of the best are simulated in full.
  package var finalists: Int
  /// Chooses the sample, and drives random policies.
  package var seed: UInt64
  /// Cells that are simulated at the same time. Results do not depend on it.
  package var threads: Int

  /// Settings; see the properties for the meaning of each part.
  package init(
    policy: String, capacities: [CapacitySpec], unit: CapacityUnit? = nil, rate: Double? = nil,
    finalists: Int = 3, seed: UInt64 = 1, threads: Int = 1
  ) {
    self.policy = policy
    self.capacities = capacities
    self.unit = unit
    self.rate = rate
    self.finalists = finalists
    self.seed = seed
    self.threads = threads
  }

  /// Requests that all configurations may replay together at a capacity before a sample takes the
  /// trace's place.
  static let replayedMax = 200_000_000
  /// A sample is large enough for the capacity to hold so many of its objects.
  static let scaledObjectsMin = 1000.0
}
