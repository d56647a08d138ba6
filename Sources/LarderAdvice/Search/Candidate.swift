import LarderEngine

/// A cache that may be advised: an eviction policy, and the admission filter in front of it.
package struct Candidate: Sendable, Hashable, CustomStringConvertible {
  /// The policy with the parameters that differ from its defaults.
  package let policy: PolicySpec
  /// The filter; nil to store every miss that the policy admits.
  package let admission: PolicySpec?

  /// A candidate of these parts.
  package init(policy: PolicySpec, admission: PolicySpec? = nil) {
    self.policy = policy
    self.admission = admission
  }

  /// As users type it, with the filter after a plus sign: `s3-fifo:small=0.2+second-hit`.
  package var description: String {
    policy.description + (admission.map { "+\($0.description)" } ?? "")
  }

  /// As a sentence has it: `s3-fifo:small=0.2 behind second-hit`.
  package var words: String {
    policy.description + (admission.map { " behind \($0.description)" } ?? "")
  }

  /// The tier that a real cache of this kind has, for a sample of a share of the objects: capacity
  /// and parameters that count requests or objects are scaled down.
  ///
  /// - Throws: `PolicyError` for a policy or parameter that does not exist.
  func tier(
    capacity: UInt64, rate: Double = 1, timeToLiveSeconds: UInt32? = nil
  ) throws(PolicyError) -> TierSetup {
    var policy = try PolicyRegistry.inRealCache(policy)
    var admission = admission
    if rate < 1 {
      let parameters = try PolicyRegistry.policy(named: policy).description.parameters
      policy = try policy.scaled(by: rate, parameters) { spec throws(PolicyError) in
        try PolicyRegistry.validate(spec)
      }
      if let filter = admission {
        let parameters = AdmissionRegistry.description(of: filter)?.parameters ?? []
        admission = try filter.scaled(by: rate, parameters) { spec throws(PolicyError) in
          try AdmissionRegistry.validate(spec)
        }
      }
    }
    return TierSetup(
      policy: policy, capacity: Self.scaled(capacity, by: rate),
      timeToLiveSeconds: timeToLiveSeconds, admission: admission)
  }

  /// A capacity for a sample of a share of the objects.
  static func scaled(_ capacity: UInt64, by rate: Double) -> UInt64 {
    rate < 1 ? max(1, UInt64((Double(capacity) * rate).rounded())) : capacity
  }
}

extension PolicySpec {
  /// The spec with each parameter that is a count multiplied by `rate`. Where that is below the
  /// smallest valid value, the smallest valid one of its doublings is taken.
  fileprivate func scaled(
    by rate: Double, _ parameters: [PolicyParameter],
    _ validate: (PolicySpec) throws(PolicyError) -> Void
  ) throws(PolicyError) -> PolicySpec {
    var spec = self
    for parameter in parameters where parameter.isCount {
      let text = spec.values[parameter.name] ?? parameter.defaultValue
      guard let count = Double(text), count > 0 else { continue }
      var scaled = max(1, (count * rate).rounded())
      while scaled < count {
        var values = spec.values
        values[parameter.name] = "\(UInt64(scaled))"
        let candidate = try PolicySpec(name: spec.name, values: values)
        if (try? validate(candidate)) != nil {
          spec = candidate
          break
        }
        scaled *= 2
      }
    }
    return spec
  }

  /// A spec of a name and parameters, which are written in the order of their names.
  init(name: String, values: [String: String]) throws(PolicyError) {
    let parameters = values.sorted { $0.key < $1.key }.map { ":\($0.key)=\($0.value)" }
    try self.init(parsing: name + parameters.joined())
  }
}
