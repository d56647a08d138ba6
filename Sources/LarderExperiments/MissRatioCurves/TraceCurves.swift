import LarderEngine

/// The curves of one trace.
public struct TraceCurves: Sendable, Hashable {
  /// What is known of the trace.
  public var facts: TraceFacts
  /// What capacities count.
  public var unit: CapacityUnit
  /// One a policy, in the order asked for.
  public var curves: [MissRatioCurve]
  /// What to know of how they came about.
  public var notes: [String]

  /// Curves; see the properties for the meaning of each part.
  public init(
    facts: TraceFacts, unit: CapacityUnit, curves: [MissRatioCurve], notes: [String] = []
  ) {
    self.facts = facts
    self.unit = unit
    self.curves = curves
    self.notes = notes
  }

  /// Gives the trace another name in all curves.
  public mutating func rename(_ name: String) {
    facts.name = name
    for place in curves.indices { curves[place].trace = name }
  }
}
