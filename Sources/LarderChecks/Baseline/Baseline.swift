import LarderWorkloads

/// What a cache is held to: the counts of every cell and, where asked for, how long cells took in
/// proportion to calibration kernels. `LarderReports` reads and writes its file.
package struct Baseline: Sendable, Hashable {
  /// Name of the workload.
  package var workload: String
  /// The traces that were replayed.
  package var traces: [TraceFacts]
  /// The cells, sorted.
  package var cells: [CheckedCell]
  /// What executed cells took of memory and disk; nil where none was executed.
  package var resources: MeasuredResources?
  /// Times in proportion to calibration kernels; nil where none were measured.
  package var timings: CalibratedTimings?

  /// The version of the file that this code writes.
  package static var currentVersion: Int { 1 }

  /// A baseline; the cells are put into order.
  package init(
    workload: String, traces: [TraceFacts], cells: [CheckedCell],
    resources: MeasuredResources? = nil, timings: CalibratedTimings? = nil
  ) {
    self.workload = workload
    self.traces = traces
    self.cells = cells.sorted()
    self.resources = resources
    self.timings = timings
  }
}
