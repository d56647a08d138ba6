import LarderWorkloads

extension ComponentChecks {
  /// Asks the registries of this build, that of caches among them.
  package static let registered = ComponentChecks.registered { name, kind in
    try ContenderRegistry.checked(name, kind: kind).runsPolicies
  }
}

extension WorkloadDecoder {
  /// A decoder that knows the components of this build.
  package init() { self.init(checks: .registered) }
}
