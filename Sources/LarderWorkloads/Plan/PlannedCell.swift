import LarderEngine

/// One cell with everything that is needed to run it.
package struct PlannedCell: Sendable, Hashable {
  /// The key of the results. Its seed chooses the trace.
  package var cell: Cell
  /// What to simulate.
  package var setup: SimulationSetup
  /// The order in which the blocks of prompts are requested; nil where prefixes are not counted.
  package var prefix: PromptOrder?
  /// How objects are arranged on flash; nil where a policy decides.
  package var layout: FlashLayout?
  /// Whether the time that the counted requests took is counted: where a drive's life is estimated.
  package var countsTime = false
  /// The name of the cache that is executed: see `ContenderRegistry`.
  package var contender: String
  /// The process that the cache runs in; nil for one of this program.
  package var process: ProcessSpec?
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
    preset: String? = nil, isSimulated: Bool = true, isExecuted: Bool = false,
    prefix: PromptOrder? = nil, layout: FlashLayout? = nil
  ) {
    self.cell = cell
    self.setup = setup
    self.prefix = prefix
    self.layout = layout
    self.contender = contender
    self.preset = preset
    self.isSimulated = isSimulated
    self.isExecuted = isExecuted
  }
}
