import LarderEngine
import LarderWorkloads

/// The curves of one trace.
package struct TraceCurves: Sendable, Hashable {
  /// What is known of the trace.
  package var facts: TraceFacts
  /// What capacities count.
  package var unit: CapacityUnit
  /// One a policy, in the order asked for.
  package var curves: [MissRatioCurve]
  /// What to know of how they came about.
  package var notes: [String]

  /// Curves; see the properties for the meaning of each part.
  package init(
    facts: TraceFacts, unit: CapacityUnit, curves: [MissRatioCurve], notes: [String] = []
  ) {
    self.facts = facts
    self.unit = unit
    self.curves = curves
    self.notes = notes
  }

  /// Gives the trace another name in all curves.
  package mutating func rename(_ name: String) {
    facts.name = name
    for place in curves.indices { curves[place].trace = name }
  }
}
