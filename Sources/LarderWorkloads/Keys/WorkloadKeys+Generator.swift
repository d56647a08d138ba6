import LarderTraces

extension WorkloadKeys {
  /// A source that is generated. Further keys are the generator's parameters.
  static let generator: Section<GeneratorSpec> = Section(
    "generator", "A generator with its parameters.", expected: "a map with the key 'generator'",
    components: KeyTable.Components(
      key: "generator",
      all: GeneratorRegistry.all.map { ($0.description.name, $0.description.parameters) }),
    keys: [
      Key(
        "generator", .text("the name of a generator"),
        "the generator's name: `larder trace generators` lists them",
        default: .required, example: "zipf"
      ) { name, spec, _ in spec.component.name = name.lowercased() },
      Key(
        "requests", .count, \.requests, "number of requests to generate",
        default: .required, example: "5M"),
      Key(
        "sizes", .distribution(of: "sizes such as 8KiB"), \.sizes,
        "object sizes: a constant or a distribution",
        default: "those of the generator, or none", example: "8KiB"),
      Key(
        "ttl", .distribution(of: "times such as 1h"), \.ttls,
        "TTLs of objects: a constant or a distribution",
        default: "those of the generator, or none", example: "1h"),
      Key(
        "operations", .map(operations, into: [:]), \.operations,
        "shares of the operations, with a sum of 1",
        default: "those of the generator, or gets only", example: "{get: 95%, set: 5%}"),
      Key(
        "rate", .positive(" of requests per second", least: 1e-9, most: 1e12), \.rate,
        "requests per second, for generators that do not set times themselves",
        default: "`1000` if times are needed", example: "250"),
    ],
    finish: { map, spec, reading in
      spec.component.values = try parameters(in: map, generator.table)
      try check(spec, in: map, reading.checks)
    })

  /// A distribution of sizes or times to live. Further keys are its parameters.
  static let distribution: Section<ComponentSpec> = Section(
    "distribution", "A distribution with its parameters.",
    expected: "a map with the key 'distribution'",
    components: KeyTable.Components(
      key: "distribution",
      all: DistributionRegistry.sizes.map { ($0.name, $0.parameters) }),
    keys: [
      Key(
        "distribution", .text("the name of a distribution"),
        "the distribution's name: "
          + DistributionRegistry.sizes.map { "`\($0.name)`" }.joined(separator: ", "),
        default: .required, example: "log-normal"
      ) { name, spec, _ in spec.name = name.lowercased() }
    ],
    finish: { map, spec, _ in spec.values = try parameters(in: map, distribution.table) })

  /// Shares of operations.
  static let operations = Section<[String: Double]>(
    "operations", "Shares of the operations, with a sum of 1.",
    expected: "a map such as {get: 0.95, set: 0.05}",
    keys: [
      share(of: "get", "gets"), share(of: "set", "sets"), share(of: "delete", "deletes"),
      share(of: "modify", "changes at the origin, of which caches are not notified"),
    ],
    finish: { map, shares, _ in
      // In the order of the file, so that the sum does not depend on a dictionary's order.
      let sum = map.entries.reduce(0) { $0 + (shares[$1.key] ?? 0) }
      guard abs(sum - 1) <= 1e-6 else {
        throw map.value.error(
          .unexpected(expected: "shares with a sum of 1", found: "a sum of \(sum)"))
      }
    })

  private static func share(of operation: String, _ what: String) -> Key<[String: Double]> {
    Key(operation, .ratio, "share of \(what)", default: "`0`", example: "5%") { share, shares, _ in
      shares[operation] = share
    }
  }

  /// The parameters of a component, as text; a list becomes its items with commas between.
  private static func parameters(
    in map: YAMLMap, _ table: KeyTable
  ) throws(WorkloadError) -> [String: String] {
    let scalars: Set<KeyTable.ValueType> = [.string, .integer, .number, .boolean]
    var parameters: [String: String] = [:]
    for entry in map.entries where !table.names.contains(entry.key) {
      let value = entry.value
      guard value.type == .array else {
        parameters[entry.key] = try value.text(scalars, expected: "a value or a list of values")
        continue
      }
      var texts: [String] = []
      for item in try value.items(of: "values") {
        texts.append(try item.text(scalars, expected: "a value"))
        if texts.last?.contains(",") == true { throw item.unexpected("a value without commas") }
      }
      parameters[entry.key] = texts.joined(separator: ",")
    }
    return parameters
  }

  /// Asks whether the generator, and then each of its distributions, is as it must be.
  private static func check(
    _ spec: GeneratorSpec, in map: YAMLMap, _ checks: ComponentChecks
  ) throws(WorkloadError) {
    var part = spec
    (part.sizes, part.ttls) = (nil, nil)
    try check(part, in: map, at: "generator", checks)
    for (key, path) in [("sizes", \GeneratorSpec.sizes), ("ttl", \GeneratorSpec.ttls)] {
      guard let value = map[key] else { continue }
      part[keyPath: path] = spec[keyPath: path]
      if value.type == .object {
        try check(part, in: YAMLMap(value, expected: "a map"), at: "distribution", checks)
      } else {
        try check(part, in: map, at: key, checks)
      }
    }
  }

  /// An error about a parameter is told at its line, any other at the key that names the component.
  private static func check(
    _ spec: GeneratorSpec, in map: YAMLMap, at key: String, _ checks: ComponentChecks
  ) throws(WorkloadError) {
    do {
      try checks.generator(spec)
    } catch let error as ComponentError {
      if let parameter = error.parameter, let value = map[parameter] {
        throw value.document.error(
          map.line(of: parameter), .refused(error.message), path: value.path)
      }
      // A value alone stands for a constant distribution, whose name the user has not seen.
      let isAlone = key == "sizes" || key == "ttl"
      throw refusal(isAlone ? error.message : error.description, in: map, at: key)
    } catch {
      throw refusal("\(error)", in: map, at: key)
    }
  }

  private static func refusal(
    _ message: String, in map: YAMLMap, at key: String
  ) -> WorkloadError {
    map[key]?.error(.refused(message)) ?? map.error(at: key, .refused(message))
  }
}

extension Form where Value == ComponentSpec {
  /// A distribution; a value alone stands for a constant one.
  fileprivate static func distribution(of what: String) -> Form {
    let section = WorkloadKeys.distribution
    let alone = ValueShape([.string, .integer], ["type": ["string", "integer"]])
    return Form(.map(section.table).or(alone)) { value, reading in
      let expected = "\(what), or a map with the key 'distribution'"
      if case .scalar = value.node {
        let text = try value.text([.string, .integer], expected: expected)
        return ComponentSpec(name: "constant", values: ["value": text])
      }
      var spec = ComponentSpec(name: "")
      try section.read(value, into: &spec, reading, expected: expected)
      return spec
    }
  }
}
