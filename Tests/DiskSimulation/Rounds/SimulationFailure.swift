/// Something that must not be.
package struct SimulationFailure: Error, CustomStringConvertible {
  /// What was found, and what was expected.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Throws when something does not hold.
func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
  if !holds { throw SimulationFailure(message()) }
}
