import LarderEngine

/// Which cells of a workload are executed: all that can be, unless something is named.
package struct ExecutionFilter: Sendable, Hashable {
  /// Names of configurations, nil for all.
  package var configurations: [String]?
  /// Policies of the sweep, nil for all. Configurations that name theirs are not asked.
  package var policies: [PolicySpec]?
  /// Capacities of the sweep, nil for all. Configurations that name theirs are not asked.
  package var capacities: [CapacitySpec]?

  /// A filter that lets everything pass that it does not name.
  package init(
    configurations: [String]? = nil, policies: [PolicySpec]? = nil,
    capacities: [CapacitySpec]? = nil
  ) {
    self.configurations = configurations
    self.policies = policies
    self.capacities = capacities
  }

  /// Whether a cell passes. What is nil was not swept.
  func passes(
    configuration: ConfigurationSpec, policy: PolicySpec?, capacity: CapacitySpec?
  ) -> Bool {
    func contains<Value>(_ values: [Value]?, _ matches: (Value) -> Bool?) -> Bool {
      values?.contains { matches($0) ?? true } ?? true
    }
    return contains(configurations) { configuration.answers(to: $0) }
      && contains(policies) { named in policy.map { $0.description == named.description } }
      && contains(capacities) { named in capacity.map { $0.amount == named.amount } }
  }
}
