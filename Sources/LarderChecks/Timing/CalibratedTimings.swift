/// How long cells take in proportion to calibration kernels: what of a timing can be kept.
package struct CalibratedTimings: Sendable, Hashable {
  /// The machine they were measured on, in one line.
  package var machine: String
  /// One entry a cell, sorted.
  package var cells: [Entry]

  /// One cell.
  package struct Entry: Sendable, Hashable {
    /// The cell.
    package var name: TimedName
    /// The ratio to each kernel.
    package var ratios: [CalibrationKernel: CentreInterval]

    /// An entry; see the properties for the meaning of each part.
    package init(name: TimedName, ratios: [CalibrationKernel: CentreInterval]) {
      self.name = name
      self.ratios = ratios
    }
  }

  /// Timings; see the properties for the meaning of each part.
  package init(machine: String, cells: [Entry]) {
    self.machine = machine
    self.cells = cells
  }
}
