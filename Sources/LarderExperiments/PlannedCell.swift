public import LarderEngine

/// One cell with everything that is needed to run it.
public struct PlannedCell: Sendable, Hashable {
  /// The key of the results. Its seed chooses the trace.
  public var cell: Cell
  /// What to simulate.
  public var setup: SimulationSetup
  /// The name of the cache that is executed: see `ContenderRegistry`.
  public var contender: String
  /// The preset that the configuration names, nil for none.
  public var preset: String?
  /// Whether its policies are simulated. Where they are not, counts come from executing it in one
  /// thread.
  public var isSimulated: Bool
  /// Whether a real cache is driven.
  public var isExecuted: Bool

  /// A cell with its setup.
  public init(
    cell: Cell, setup: SimulationSetup, contender: String = ContenderRegistry.defaultName,
    preset: String? = nil, isSimulated: Bool = true, isExecuted: Bool = false
  ) {
    self.cell = cell
    self.setup = setup
    self.contender = contender
    self.preset = preset
    self.isSimulated = isSimulated
    self.isExecuted = isExecuted
  }
}
