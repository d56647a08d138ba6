/// A violated guarantee.
package struct SimulationFailure: Error, CustomStringConvertible {
  /// The observed and the expected state.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Throws if a condition does not hold.
func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
  if !holds { throw SimulationFailure(message()) }
}
