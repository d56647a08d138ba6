/// How long cells take in proportion to calibration kernels: what of a timing can be kept.
public struct CalibratedTimings: Sendable, Hashable {
  /// The machine they were measured on, in one line.
  public var machine: String
  /// One entry a cell, sorted.
  public var cells: [Entry]

  /// One cell.
  public struct Entry: Sendable, Hashable {
    /// The cell.
    public var name: TimedName
    /// The ratio to each kernel.
    public var ratios: [CalibrationKernel: CentreInterval]

    /// An entry; see the properties for the meaning of each part.
    public init(name: TimedName, ratios: [CalibrationKernel: CentreInterval]) {
      self.name = name
      self.ratios = ratios
    }
  }

  /// Timings; see the properties for the meaning of each part.
  public init(machine: String, cells: [Entry]) {
    self.machine = machine
    self.cells = cells
  }
}
