import LarderEngine
import LarderSystem
import LarderTraces
import LarderWorkloads

/// Drives real caches through cells for a sweep. `LarderHarness` has the one that there is; sweeps
/// know it by this protocol, so that simulating needs no harness.
package protocol CacheDriver: Sendable {
  /// Drives a cell's cache once for each repetition.
  ///
  /// - Parameter simulated: The counts to compare with; nil for none.
  /// - Returns: nil when it was cancelled before the first repetition was complete.
  /// - Throws: `ExecutionError`.
  func drive(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?, _ order: DrivingOrder
  ) throws(ExecutionError) -> [Execution]?
}

/// How a cell is to be driven.
package struct DrivingOrder: Sendable {
  /// Load, origin, checks and the numbers of threads.
  package var spec: ExecutionSpec
  /// What is not counted.
  package var warmUp: WarmUp
  /// How often it is driven.
  package var repetitions: Int
  /// Whether the latency of operations is recorded. Without, a run reads the clock less, and what
  /// it executes does not depend on how long anything took.
  package var recordsLatency: Bool
  /// What the origin takes; nil for nothing.
  package var latency: LatencyModel?
  /// A folder under which each run gets one of its own for its files.
  package var folder: String
  /// Ends it.
  package var cancellation: Cancellation
  /// Told the number of requests just made, from any of the threads, also at the same time.
  package var progress: @Sendable (_ requests: Int) -> Void

  /// An order; see the properties for the meaning of each part.
  package init(
    spec: ExecutionSpec, warmUp: WarmUp = .none, repetitions: Int = 1,
    recordsLatency: Bool = true, latency: LatencyModel? = nil, folder: String,
    cancellation: Cancellation = Cancellation(),
    progress: @escaping @Sendable (_ requests: Int) -> Void = { _ in }
  ) {
    self.spec = spec
    self.warmUp = warmUp
    self.repetitions = repetitions
    self.recordsLatency = recordsLatency
    self.latency = latency
    self.folder = folder
    self.cancellation = cancellation
    self.progress = progress
  }
}
