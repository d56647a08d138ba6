import LarderEngine

/// One cell with everything that is needed to run it.
package struct PlannedCell: Sendable, Hashable {
  /// The key of the results. Its seed chooses the trace.
  package var cell: Cell
  /// What to simulate.
  package var setup: SimulationSetup
  /// The name of the cache that is executed: see `ContenderRegistry`.
  package var contender: String
  /// The preset that the configuration names, nil for none.
  package var preset: String?
  /// Whether its policies are simulated. Where they are not, counts come from executing it in one
  /// thread.
  package var isSimulated: Bool
  /// Whether a real cache is driven.
  package var isExecuted: Bool

  /// A cell with its setup.
  package init(
    cell: Cell, setup: SimulationSetup, contender: String = ConfigurationSpec.defaultCache,
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
