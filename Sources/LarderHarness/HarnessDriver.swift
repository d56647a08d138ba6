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
    var executor = CellExecutor(order)
    executor.keepsFolders = true
    return try executor.run(planned, over: trace, simulated: simulated)
  }
}
