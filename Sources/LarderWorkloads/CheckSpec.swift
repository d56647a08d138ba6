/// What a workload file says of checks: what may change, and what is timed.
package struct CheckSpec: Sendable, Hashable {
  /// What may change, exact to a billionth. What is not here may not change at all.
  package var tolerances: [CheckTolerance: Share]
  /// Whether every change of a count fails the check, and not only a loss.
  package var isExact = false
  /// How much of memory and disk may change, exact to a billionth of the baseline's figure; what is
  /// not here, by the `threshold` of each.
  package var resources: [CheckResource: Share] = [:]
  /// Which cells are timed.
  package var timed: ExecutionFilter

  /// By default nothing may change and everything is timed.
  package init(
    tolerances: [CheckTolerance: Share] = [:], timed: ExecutionFilter = ExecutionFilter()
  ) {
    self.tolerances = tolerances
    self.timed = timed
  }
}
