import LarderWorkloads

/// Where a sweep finds the counts of cells that were simulated before, and keeps those of cells
/// that it has simulated. `LarderStore` has the one that there is; sweeps know it by this protocol.
package protocol RecordStore: Sendable {
  /// The record of the same cell from an earlier run, or nil. It has counts and no timings: a time
  /// that was measured earlier says nothing about this run.
  func record(of planned: PlannedCell) -> Record?

  /// Keeps a record that was just computed, with its timings. Called from several threads.
  ///
  /// - Throws: when it cannot be kept and the sweep must end.
  func keep(_ record: Record, of planned: PlannedCell) throws
}
