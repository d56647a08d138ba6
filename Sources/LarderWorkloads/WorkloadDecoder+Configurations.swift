import LarderEngine

extension WorkloadDecoder {
  /// The caches, each with a name of its own.
  func configurations(
    _ value: YAMLValue, unit: CapacityUnit?, lines: inout WorkloadLines
  ) throws(WorkloadError) -> [ConfigurationSpec] {
    var specs: [ConfigurationSpec] = []
    for item in try value.items(orSingle: [.string, .object], of: "configurations") {
      for spec in try guarded(try configuration(item, unit: unit), item) {
        if specs.contains(where: { $0.name == spec.name }) {
          throw item.error(
            .refused("another configuration is named '\(spec.name)'; give this one a 'name'"))
        }
        lines.configurations[spec.name] = item.line
        specs.append(spec)
      }
    }
    return specs
  }

  /// A configuration once for each filter of its list, and named after it.
  private func guarded(
    _ spec: ConfigurationSpec, _ value: YAMLValue
  ) throws(WorkloadError) -> [ConfigurationSpec] {
    var spec = spec
    if let own = spec.admission { spec.name += "\(ConfigurationSpec.filterMark)\(own)" }
    guard value.type == .object else { return [spec] }
    let map = try YAMLMap(value, WorkloadKeys.configuration, expected: "a map")
    guard let filters = map["admission"] else { return [spec] }
    guard spec.runsPolicies else {
      throw map.error(
        at: "admission",
        .refused("'admission' does not apply here: '\(spec.contender)' has built-in rules"))
    }
    guard spec.admission == nil else {
      throw map.error(
        at: "admission",
        .refused("a tier also has an 'admission'; set it either here or in the tiers"))
    }
    var specs: [ConfigurationSpec] = []
    for item in try filters.items(orSingle: [.string], of: "admission filters") {
      specs.append(spec.guarded(by: try admission(item)))
    }
    return specs
  }

  private func configuration(
    _ value: YAMLValue, unit: CapacityUnit?
  ) throws(WorkloadError) -> ConfigurationSpec {
    if value.type == .string {
      let kind = try value.choice(of: ConfigurationKind.self)
      return ConfigurationSpec(name: kind.rawValue, kind: kind)
    }
    let table = WorkloadKeys.configuration
    let map = try YAMLMap(
      value, table, expected: "memory, disk, hybrid, or a map with the key 'kind' or 'preset'")
    if let preset = map["preset"] { return try self.preset(preset, in: map) }
    let kind = try map.required("kind", in: table).choice(of: ConfigurationKind.self)
    try refuseForeignKeys(map, kind: kind)
    var spec = ConfigurationSpec(name: kind.rawValue, kind: kind)
    if let cache = map["cache"] { try take(cache, into: &spec) }
    if let name = map["name"] { spec.name = try self.name(name) }
    if let memory = map["memory"] {
      let tier = try YAMLMap(memory, WorkloadKeys.memoryTier, expected: "a map of a tier")
      spec.memory = try self.tier(tier, unit: unit)
      if let share = tier["share"] {
        spec.memoryShare = try memoryShare(share, in: tier, kind: kind)
      }
    }
    if let disk = map["disk"] {
      let tier = try YAMLMap(disk, WorkloadKeys.diskTier, expected: "a map of a tier")
      spec.disk = try self.tier(tier, unit: unit)
    }
    if let inclusion = map["inclusion"] {
      spec.rules.inclusion = try inclusion.choice(of: HybridRules.Inclusion.self)
    }
    if let promotion = map["promotion"] {
      spec.rules.promotion = try promotion.choice(of: HybridRules.Promotion.self)
    }
    if let placement = map["placement"] { spec.rules.placement = try self.placement(placement) }
    try refusePolicies(map, of: spec)
    return spec
  }

  /// Which tiers take an entry, by the life that it has left.
  private func placement(_ value: YAMLValue) throws(WorkloadError) -> HybridRules.Placement {
    let expected = "'by-lifetime', or a map such as {memory-only-below: 5m, disk-only-from: 1h}"
    var placement = HybridRules.Placement()
    guard value.type == .object else {
      guard try value.text(expected: expected) == WorkloadKeys.placementByLifetime else {
        throw value.unexpected(expected)
      }
      return placement
    }
    let map = try YAMLMap(value, WorkloadKeys.placement, expected: expected)
    if let border = map["memory-only-below"] {
      placement.memoryOnlyBelowSeconds = try timeToLive(border)
    }
    if let border = map["disk-only-from"] { placement.diskOnlyFromSeconds = try timeToLive(border) }
    guard placement.memoryOnlyBelowSeconds <= placement.diskOnlyFromSeconds else {
      throw value.error(
        .refused(
          "'memory-only-below' (\(placement.memoryOnlyBelowSeconds) s) is above 'disk-only-from' "
            + "(\(placement.diskOnlyFromSeconds) s): nothing would be stored in both tiers"))
    }
    return placement
  }

  /// The cache that is executed; one that is not Larder's own names the configuration.
  private func take(
    _ value: YAMLValue, into spec: inout ConfigurationSpec
  ) throws(WorkloadError) {
    spec.contender = try value.text(expected: "the name of a cache")
    do {
      spec.runsPolicies = try checks.cache(spec.contender, spec.kind)
    } catch {
      throw value.error(.refused("\(error)"))
    }
    if spec.contender != ConfigurationSpec.defaultCache { spec.name = spec.contender }
  }

  /// A configuration that a preset makes: it may have another name, and nothing else of its own.
  private func preset(
    _ value: YAMLValue, in map: YAMLMap
  ) throws(WorkloadError) -> ConfigurationSpec {
    let preset = try value.text(expected: "the name of a preset")
    for entry in map.entries where !["preset", "name", "admission"].contains(entry.key) {
      throw map.error(
        at: entry.line,
        .refused(
          "'\(entry.key)' is set by the preset; only 'name' and 'admission' may be given with "
            + "'preset'"))
    }
    var spec: ConfigurationSpec
    do {
      spec = try checks.preset(preset)
    } catch {
      throw value.error(.refused("\(error)"))
    }
    if let name = map["name"] { spec.name = try self.name(name) }
    return spec
  }

  /// A cache with a policy of its own takes no other.
  private func refusePolicies(
    _ map: YAMLMap, of spec: ConfigurationSpec
  ) throws(WorkloadError) {
    guard !spec.runsPolicies else { return }
    for tier in ["memory", "disk"] {
      guard let value = map[tier] else { continue }
      let tier = try YAMLMap(value, expected: "a map of a tier")
      for key in ["policy", "admission"] where tier[key] != nil {
        throw tier.error(
          at: key,
          .refused("'\(key)' does not apply here: '\(spec.contender)' has a built-in policy"))
      }
    }
  }

  private func refuseForeignKeys(
    _ map: YAMLMap, kind: ConfigurationKind
  ) throws(WorkloadError) {
    let foreign: [(key: String, what: String)] =
      switch kind {
      case .memory: [("disk", "disk tier")]
      case .disk: [("memory", "memory tier")]
      case .hybrid: []
      }
    let rules =
      kind == .hybrid
      ? []
      : [
        ("inclusion", "second tier"), ("promotion", "second tier"), ("placement", "second tier"),
      ]
    for (key, what) in foreign + rules where map[key] != nil {
      throw map.error(
        at: key, .refused("'\(key)' does not apply here: a \(kind.rawValue) cache has no \(what)"))
    }
  }

  private func memoryShare(
    _ value: YAMLValue, in tier: YAMLMap, kind: ConfigurationKind
  ) throws(WorkloadError) -> Share {
    if kind != .hybrid {
      throw tier.error(
        at: "share", .refused("'share' applies to memory in a hybrid only; use 'capacity'"))
    }
    if tier["capacity"] != nil {
      throw tier.error(at: "share", .refused("'capacity' and 'share' exclude each other; keep one"))
    }
    return try share(value)
  }

  private func tier(_ map: YAMLMap, unit: CapacityUnit?) throws(WorkloadError) -> TierSpec {
    var tier = TierSpec()
    if let policy = map["policy"] { tier.policy = try self.policy(policy) }
    if let filter = map["admission"] {
      let filter = try admission(filter)
      tier.admission = filter.name == AdmissionRegistry.always ? nil : filter
    }
    if let capacity = map["capacity"] { tier.capacity = try self.capacity(capacity, unit: unit) }
    if let objects = map["objects"] { tier.objectsMax = try self.objects(objects) }
    if let ttl = map["ttl"] { tier.timeToLiveSeconds = try timeToLive(ttl) }
    return tier
  }
}
