extension PolicyRegistry {
  /// What a spec means in a real cache: with the parameters whose defaults are others there, so
  /// that simulating it counts the same.
  ///
  /// - Throws: `unknownPolicy` or `unknownParameter`.
  public static func inRealCache(_ spec: PolicySpec) throws(PolicyError) -> PolicySpec {
    var text = spec.description
    for parameter in try policy(named: spec).description.parameters {
      if let value = parameter.realDefault, spec.values[parameter.name] == nil {
        text += ":\(parameter.name)=\(value)"
      }
    }
    return text == spec.description ? spec : try PolicySpec(parsing: text)
  }
}

extension SimulationSetup {
  /// The simulation that counts what real caches made for this one count: see
  /// `PolicyRegistry.inRealCache`.
  ///
  /// - Throws: `unknownPolicy` or `unknownParameter`.
  package func inRealCaches() throws(PolicyError) -> SimulationSetup {
    var setup = self
    switch arrangement {
    case .memory(let tier): setup.arrangement = .memory(try tier.inRealCache())
    case .disk(let tier): setup.arrangement = .disk(try tier.inRealCache())
    case .hybrid(let memory, let disk, let rules):
      setup.arrangement = .hybrid(
        memory: try memory.inRealCache(), disk: try disk.inRealCache(), rules: rules)
    }
    return setup
  }
}

extension TierSetup {
  fileprivate func inRealCache() throws(PolicyError) -> TierSetup {
    var tier = self
    tier.policy = try PolicyRegistry.inRealCache(policy)
    return tier
  }
}
