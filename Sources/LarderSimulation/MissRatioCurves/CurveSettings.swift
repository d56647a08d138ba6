import LarderEngine
import LarderWorkloads

/// Which curves to make of a trace, and how.
package struct CurveSettings: Sendable, Hashable {
  /// The policies.
  package var policies: [PolicySpec]
  /// The capacities; empty for `points` of them up to the footprint, each larger by one factor.
  package var capacities: [CapacitySpec]
  /// How many capacities to choose where none are named.
  package var points: Int
  /// What capacities count; nil for bytes where the trace has sizes and objects where not.
  package var unit: CapacityUnit?
  /// How the curves come about.
  package var method: CurveMethod
  /// The share of the objects that a sample has; nil to choose one.
  package var rate: Double?
  /// How many objects SHARDS keeps; nil for a fixed rate.
  package var samples: Int?
  /// Chooses the sample, and drives random policies.
  package var seed: UInt64
  /// Whether estimates are compared with exact counts.
  package var measuresError: Bool
  /// The share of the best hit ratio that a smallest cache is looked for.
  package var share: Share
  /// Cells that are simulated at the same time. Curves do not depend on it.
  package var threads: Int

  /// Settings; see the properties for the meaning of each part.
  package init(
    policies: [PolicySpec], capacities: [CapacitySpec] = [], points: Int = 50,
    unit: CapacityUnit? = nil, method: CurveMethod = .auto, rate: Double? = nil,
    samples: Int? = nil, seed: UInt64 = 1, measuresError: Bool = false,
    share: Share = Share(percent: 90), threads: Int = 1
  ) {
    self.policies = policies
    self.capacities = capacities
    self.points = points
    self.unit = unit
    self.method = method
    self.rate = rate
    self.samples = samples
    self.seed = seed
    self.measuresError = measuresError
    self.share = share
    self.threads = threads
  }

  /// Requests that may be replayed for a policy before a sample takes the trace's place.
  static let replayedMax = 200_000_000
  /// A sample has this many objects at least, or all that there are.
  static let sampledObjectsMin = 128
  /// What is sampled for SHARDS where nothing else is said.
  static let defaultRate = 0.001
  /// A capacity that is chosen for an estimate has room for so many sampled objects.
  static let scaledObjectsMin = 10.0
}
