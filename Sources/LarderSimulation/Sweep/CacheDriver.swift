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
  /// Load, origin, checks and the number of threads.
  package var spec: ExecutionSpec
  /// What is not counted.
  package var warmUp: WarmUp
  /// How often it is driven.
  package var repetitions: Int
  /// What the origin takes; nil for nothing.
  package var latency: LatencyModel?
  /// A folder for the caches' files, which stay there.
  package var folder: String
  /// Ends it.
  package var cancellation: Cancellation
  /// Told the number of requests just made, from any thread.
  package var progress: @Sendable (_ requests: Int) -> Void
}
