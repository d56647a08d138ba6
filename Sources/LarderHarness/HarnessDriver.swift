import LarderEngine
import LarderSimulation
import LarderTraces
import LarderWorkloads

/// Drives the caches of `ContenderRegistry`.
package struct HarnessDriver: CacheDriver {
  /// It has no state.
  package init() {}

  /// As `CellExecutor`, whose folders stay.
  package func drive(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?, _ order: DrivingOrder
  ) throws(ExecutionError) -> [Execution]? {
    var executor = CellExecutor(
      spec: order.spec, warmUp: order.warmUp, repetitions: order.repetitions,
      latency: order.latency, scratch: order.folder, cancellation: order.cancellation,
      progress: order.progress)
    executor.keepsFolders = true
    return try executor.run(planned, over: trace, simulated: simulated)
  }
}
