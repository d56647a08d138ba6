import LarderEngine

/// A configuration as it stands in the file: one for each of its filters.
struct ConfigurationEntry: Sendable {
  var spec = ConfigurationSpec(name: "", kind: .memory)
  /// The cache that is executed, where one is named.
  var cache: CacheChoice?
  var name: String?
  /// The filters in front of the tier whose capacity is swept.
  var filters: [PolicySpec]?

  /// The keys that a preset may have beside it.
  static let besidePreset = ["preset", "name", "admission"]

  /// Completes the configuration when all its keys have been read.
  mutating func finish(_ map: YAMLMap, _ checks: ComponentChecks) throws {
    if let cache { try take(cache, map, checks) }
    if let layout = spec.disk.layout {
      try check(layout, map)
      spec.setLayout(layout)
      spec.name = layout.word
    }
    if spec.disk.segmentBytes != nil { try checkSegments(map) }
    if let name { spec.name = name }
    if !spec.runsPolicies { try refusePolicies(map) }
    if let time = spec.time { try check(time, map) }
    if spec.prefix != nil, !spec.runsPolicies {
      throw map.error(
        at: "prefix",
        .refused("'prefix' applies to simulated caches; '\(spec.contender)' is only executed"))
    }
    if spec.prefix != nil, spec.time != nil {
      throw map.error(at: "prefix", .refused("'prefix' and 'time' cannot be combined; remove one"))
    }
    if let own = spec.admission { spec.name += "\(ConfigurationSpec.filterMark)\(own)" }
    guard filters != nil else { return }
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
  }

  /// Notes which cache is executed, after which the configuration is named.
  private mutating func take(
    _ cache: CacheChoice, _ map: YAMLMap, _ checks: ComponentChecks
  ) throws {
    switch cache {
    case .named(let name):
      spec.contender = name
      if name != ConfigurationSpec.defaultCache { spec.name = name }
    case .process(let process):
      spec.contender = ProcessSpec.contender
      spec.process = process
      spec.name = process.name
    }
    guard let value = map["cache"] else { return }
    spec.runsPolicies = try value.locating { try checks.cache(spec.contender, spec.kind) }
    if spec.contender == ProcessSpec.contender, spec.process == nil {
      throw map.error(
        at: "cache",
        .refused("name the program: cache: {process: [./my-cache, --size, \"{capacity}\"]}"))
    }
    if spec.objectsMaxOfTiers != nil, let process = spec.process, !process.uses(.objects) {
      throw map.error(
        at: "cache",
        .refused(
          "a limit on objects needs '{objects}' in the command: only the process can keep it"))
    }
  }

  /// Refuses times that no simulation of the configuration knows.
  private func check(_ time: FetchSpec, _ map: YAMLMap) throws(WorkloadError) {
    guard spec.runsPolicies else {
      throw map.error(
        at: "time",
        .refused("'time' applies to simulated caches; '\(spec.contender)' is only executed"))
    }
    if time.diskRead != nil, spec.kind == .memory {
      throw map.error(
        at: "time", .refused("'disk' does not apply here: a memory cache has no disk tier"))
    }
    guard time.hasOneClock else {
      throw map.error(
        at: "time", .refused("'fetch' and 'disk' must both be times, or both numbers of requests"))
    }
  }

  /// A layout is that of a simulated disk, and has rules of its own.
  private func check(_ layout: FlashLayout, _ map: YAMLMap) throws(WorkloadError) {
    guard spec.kind == .disk, spec.contender == ConfigurationSpec.defaultCache, spec.time == nil
    else {
      throw map.error(
        at: "disk",
        .refused(
          "layout '\(layout.word)' applies to a simulated cache of kind disk, without 'cache' and "
            + "'time'"))
    }
    guard filters == nil else {
      throw map.error(
        at: "admission",
        .refused("'admission' does not apply here: a layout has rules of its own"))
    }
  }

  /// Segments are those of Larder's disk cache, and their writes are simulated without time.
  private func checkSegments(_ map: YAMLMap) throws(WorkloadError) {
    guard spec.kind == .disk, spec.contender == ConfigurationSpec.defaultCache, spec.time == nil
    else {
      throw map.error(
        at: "disk",
        .refused("'segment' applies to a cache of kind disk, without 'cache' and 'time'"))
    }
  }

  /// A cache with a policy of its own takes no other.
  private func refusePolicies(_ map: YAMLMap) throws(WorkloadError) {
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

  /// Refuses keys that do not go with the preset or the kind, before any of them is read.
  static func check(_ map: YAMLMap) throws(WorkloadError) {
    try map.check(WorkloadKeys.configuration.table)
    if map["preset"] != nil {
      for entry in map.entries where !besidePreset.contains(entry.key) {
        throw map.error(
          at: entry.line,
          .refused(
            "'\(entry.key)' is set by the preset; only 'name' and 'admission' may be given with "
              + "'preset'"))
      }
      return
    }
    let kind = try map.required("kind", in: WorkloadKeys.configuration.table)
      .choice(of: ConfigurationKind.self)
    let foreign: [(key: String, what: String)] =
      switch kind {
      case .memory: [("disk", "disk tier")]
      case .disk: [("memory", "memory tier")]
      case .hybrid: []
      }
    let rules = ["inclusion", "promotion", "placement"].map { ($0, "second tier") }
    for (key, what) in foreign + (kind == .hybrid ? [] : rules) where map[key] != nil {
      throw map.error(
        at: key, .refused("'\(key)' does not apply here: a \(kind.rawValue) cache has no \(what)"))
    }
  }
}

extension Form where Value == [ConfigurationSpec] {
  /// The caches, each with a name of its own; their lines are kept for errors of the plan.
  static var configurations: Form {
    let form = Form<[ConfigurationSpec]>.configuration
    return Form(form.shape.listed) { value, reading in
      var specs: [ConfigurationSpec] = []
      for item in try value.items(orSingle: [.string, .object], of: "configurations") {
        for spec in try form.read(item, reading) {
          if specs.contains(where: { $0.name == spec.name }) {
            throw item.error(
              .refused("another configuration is named '\(spec.name)'; give this one a 'name'"))
          }
          reading.workload.lines.configurations[spec.name] = item.line
          specs.append(spec)
        }
      }
      return specs
    }
  }

  /// A cache: once for each filter of its list.
  private static var configuration: Form {
    let section = WorkloadKeys.configuration
    let kinds = ValueShape.words(ConfigurationKind.allCases.map(\.rawValue))
    return Form(ValueShape.map(section.table).or(kinds)) { value, reading in
      if value.type == .string {
        let kind = try value.choice(of: ConfigurationKind.self)
        return [ConfigurationSpec(name: kind.rawValue, kind: kind)]
      }
      let map = try YAMLMap(value, expected: section.expected)
      try ConfigurationEntry.check(map)
      var entry = ConfigurationEntry()
      try section.read(map, into: &entry, reading)
      return entry.filters?.map { entry.spec.guarded(by: $0) } ?? [entry.spec]
    }
  }
}
