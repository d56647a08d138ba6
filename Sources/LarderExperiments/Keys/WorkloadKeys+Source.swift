import LarderEngine
import LarderTraces

extension WorkloadKeys {
  static let trace = Section<TraceReference>(
    "trace", "A trace file, or the files of one trace: rotated logs, or those of several servers.",
    expected: "a map with the key 'trace'",
    keys: [
      Key(
        "trace", traceFiles,
        "path, relative to the folder of the workload file; the file may be compressed with "
          + "zstd, gzip, xz or bzip2. A list of paths is one trace: the files are merged by time",
        example: "[access.log.2.gz, access.log.1, access.log]"
      ) { files, trace, _ in trace.paths = files }
    ] + readingKeys)

  static let traces = Section<TraceList>(
    "traces", "Several traces, each with its own cells.",
    expected: "a map with the key 'traces'",
    keys: [
      Key(
        "traces", .items(of: listedTrace, "traces"), \.traces,
        "only in `source` itself: a list of traces, each a path as in `trace`, a list of paths, or "
          + "a map as in `source`; every configuration, policy and capacity is run on each of them",
        example: "[OLTP.lis.zst, cdn.csv]")
    ] + readingKeys.map { $0.within(\.reading) })

  private static let readingKeys: [Key<TraceReference>] = [
    Key(
      "format",
      Form(.proposing(FormatRegistry.standard.map { $0.description.name }, as: "format")) {
        value, reading in
        let spec = try ComponentSpec(
          parsing: try value.text(expected: "a format such as csv:time=1:id=2"))
        try reading.checks.format(spec)
        return spec
      }, \.format, "the format with its options",
      default: "recognised by file name and content", example: "csv:time=1:id=2:size=3"),
    Key(
      "max-bad", .ratio(), \.maxBadShare,
      "the share of lines of a log or table that may be unreadable; they are counted, and the "
        + "first three are shown", default: "`1%`", example: "0.1%"),
    Key(
      "sample", .ratio("share of the objects", from: false), \.sample,
      "the share of the objects that is read, for traces that are too large; capacities are scaled "
        + "by it, and results are estimates for all objects", default: "all", example: "1/100"),
    Key(
      "sizes", distribution(of: "sizes such as 8KiB"), \.sizes,
      "object sizes of a trace without sizes: a constant or a distribution", default: "none",
      example: "1KB"),
  ]

  static let phases = Section<SourceParts>(
    "phases", "Sequential sources.", expected: "a map with the key 'phases'",
    keys: [
      Key(
        "phases", .items(of: source, "sources"), \.phases,
        "a list of sources; each starts when the previous one has ended",
        example: "[{trace: a.csv}, {trace: b.csv}]"),
      sharedKeys,
    ])

  static let mix = Section<SourceParts>(
    "mix", "Sources interleaved at random.", expected: "a map with the key 'mix'",
    keys: [
      Key(
        "mix",
        .items(
          of: .map(mixPart, into: MixPart(weight: 0, source: .unread)),
          "maps with the keys weight and source"), \.mix,
        "a list of maps, each with a `weight` and a `source`; a part that ends starts again",
        example: "[{weight: 9, source: {trace: a.csv}}]"),
      Key(
        "requests", .count, \.requests, "of a mix: total number of requests to draw",
        example: "2M"),
      sharedKeys,
    ])

  static let mixPart = Section<MixPart>(
    "mix-part", "One source of a mix.", expected: "a map with the keys weight and source",
    keys: [
      Key(
        "weight", .positive("", most: 1e15), \.weight,
        "of a part of a mix: relative frequency with which it is drawn", example: "9"),
      Key(
        "source", source, \.source, "of a part of a mix: its source", example: "{trace: a.csv}"),
    ])

  private static let sharedKeys = Key<SourceParts>(
    "shared-keys", .boolean, \.sharedKeys,
    "`true`: equal keys are one object in all parts; otherwise each part has separate "
      + "objects",
    default: "`false`", example: "true")

}

/// Content of a source of several traces.
struct TraceList {
  var traces: [ListedTrace] = []
  var reading = TraceReference(path: "")

  var sources: [SourceSpec] {
    traces.map { trace in
      switch trace {
      case .source(.trace(var own)):
        own.format = own.format ?? reading.format
        own.maxBadShare = own.maxBadShare ?? reading.maxBadShare
        own.sample = own.sample ?? reading.sample
        own.sizes = own.sizes ?? reading.sizes
        return .trace(own)
      case .source(let source): return source
      case .files(let paths):
        var reference = reading
        reference.paths = paths
        return .trace(reference)
      }
    }
  }
}

enum ListedTrace {
  case files([String])
  case source(SourceSpec)
}

/// Content of a source that consists of others.
struct SourceParts {
  var phases: [SourceSpec] = []
  var mix: [MixPart] = []
  var requests = 0
  var sharedKeys = false
}

extension SourceSpec {
  static var unread: SourceSpec { .phases([], sharedKeys: false) }
}

extension WorkloadKeys {
  private static let sourceKinds = ["trace", "generator", "phases", "mix"]
  private static let sourceDepthMax = 16

  private static let source: Form<SourceSpec> = {
    var shape = ValueShape([.object])
    let kinds = sourceKinds.map { JSONNode.reference($0) }
    shape.alternatives = [["type": "object", "oneOf": .array(kinds)]]
    return Form(shape.named("source")) { value, reading in
      reading.sourceDepth += 1
      defer { reading.sourceDepth -= 1 }
      return try source(value, reading)
    }
  }()

  static let sources: Form<[SourceSpec]> = {
    var shape = source.shape
    shape.alternatives.append(.reference("traces"))
    return Form(shape) { value, reading in
      guard value.type == .object, case let map = try YAMLMap(value, expected: "a map"),
        map["traces"] != nil
      else { return [try source.read(value, reading)] }
      try map.refusePairs(of: ["traces"] + sourceKinds)
      return try traces.read(map, into: TraceList(), reading).sources
    }
  }()

  private static func source(
    _ value: YAMLValue, _ reading: WorkloadReading
  ) throws(WorkloadError) -> SourceSpec {
    let expected = "one of the keys \(sourceKinds.joined(separator: ", "))"
    let map = try YAMLMap(value, expected: "a map with \(expected)")
    guard reading.sourceDepth <= sourceDepthMax + 1 else {
      throw value.refused("sources are nested more than \(sourceDepthMax) deep")
    }
    guard map["traces"] == nil else {
      throw map.refused(
        "traces",
        "'traces' are for 'source' itself; in phases and mixes write {trace: PATH} for each")
    }
    guard let kind = sourceKinds.first(where: { map[$0] != nil }) else {
      throw value.error(.unexpected(expected: expected, found: keys(of: map)))
    }
    try map.refusePairs(of: sourceKinds)
    switch kind {
    case "trace": return .trace(try trace.read(map, into: TraceReference(path: ""), reading))
    case "generator":
      let unread = GeneratorSpec(component: ComponentSpec(name: ""), requests: 0)
      return .generator(try generator.read(map, into: unread, reading))
    case "phases":
      let parts = try phases.read(map, into: SourceParts(), reading)
      return .phases(parts.phases, sharedKeys: parts.sharedKeys)
    default:
      let parts = try mix.read(map, into: SourceParts(), reading)
      return .mix(parts.mix, requests: parts.requests, sharedKeys: parts.sharedKeys)
    }
  }

  private static func keys(of map: YAMLMap) -> String {
    for entry in map.entries {
      if let nearest = entry.key.nearest(among: sourceKinds) {
        return "\(YAMLValue.quoted(entry.key)); did you mean '\(nearest)'?"
      }
    }
    return map.entries.isEmpty
      ? "an empty map"
      : "only " + YAMLValue.shortened(map.entries.map(\.key).joined(separator: ", "))
  }

  private static let listedTrace = Form<ListedTrace>(
    traceFiles.shape.or(source.shape)
  ) { value, reading in
    value.type == .object
      ? .source(try source.read(value, reading)) : .files(try traceFiles.read(value, reading))
  }

  private static let traceFiles = Form<[String]>(tracePath.shape.listed) { value, reading in
    guard value.type == nil || value.type == .array else {
      return [try tracePath.read(value, reading)]
    }
    var paths: [String] = []
    for item in try value.items(of: "paths of trace files") {
      let text = try tracePath.read(item, reading)
      if paths.contains(text) { throw item.refused("\(YAMLValue.quoted(text)) is given twice") }
      paths.append(text)
    }
    return paths
  }

  private static let tracePath = Form<String>.scalar(
    "the path of a trace file", ValueShape([.string], ["type": "string", "minLength": 1])
  ) { $0.isEmpty || $0.contains("\0") ? nil : $0 }
}

extension WorkloadKeys {
  static let generator: Section<GeneratorSpec> = Section(
    "generator", "A generator with its parameters.", expected: "a map with the key 'generator'",
    components: KeyComponents(
      key: "generator",
      all: GeneratorRegistry.all.map { ($0.description.name, $0.description.parameters) }),
    keys: [
      Key(
        "generator", .text("the name of a generator"),
        "the generator's name: `larder list generators` lists them",
        example: "zipf"
      ) { name, spec, _ in spec.component.name = name.lowercased() },
      Key(
        "requests", .count, \.requests, "number of requests to generate",
        example: "5M"),
      Key(
        "sizes", distribution(of: "sizes such as 8KiB"), \.sizes,
        "object sizes: a constant or a distribution",
        default: "those of the generator, or none", example: "8KiB"),
      Key(
        "ttl", distribution(of: "times such as 1h"), \.ttls,
        "TTLs of objects: a constant or a distribution",
        default: "those of the generator, or none", example: "1h"),
      Key(
        "operations", .map(operations, into: [:]), \.operations,
        "shares of the operations, with a sum of 1",
        default: "those of the generator, or gets only", example: "{get: 95%, set: 5%}"),
      Key(
        "rate", .positive(" of requests per second", least: 1e-9, most: 1e12), \.rate,
        "requests per second, for generators that do not set times themselves",
        default: "`1000` with `ttl`, else no times", example: "250"),
    ],
    finish: { map, spec, reading in
      spec.component.values = try parameters(in: map, generator)
      try check(spec, in: map, reading.checks)
    })

  static let distribution: Section<ComponentSpec> = Section(
    "distribution", "A distribution with its parameters.",
    expected: "a map with the key 'distribution'",
    components: KeyComponents(
      key: "distribution",
      all: DistributionRegistry.sizes.map { ($0.name, $0.parameters) }),
    keys: [
      Key(
        "distribution", .text("the name of a distribution"),
        "the distribution's name: "
          + DistributionRegistry.sizes.map { "`\($0.name)`" }.joined(separator: ", "),
        example: "log-normal"
      ) { name, spec, _ in spec.name = name.lowercased() }
    ],
    finish: { map, spec, _ in spec.values = try parameters(in: map, distribution) })

  static let operations = Section<[String: Double]>(
    "operations", "Shares of the operations, with a sum of 1.",
    expected: "a map such as {get: 0.95, set: 0.05}",
    keys: [
      share(of: "get", "gets"), share(of: "set", "sets"), share(of: "delete", "deletes"),
      share(of: "modify", "changes at the origin without notification of the caches"),
    ],
    finish: { map, shares, _ in
      // In the order of the file, because the sum must not depend on a dictionary's order.
      let sum = map.entries.reduce(0) { $0 + (shares[$1.key] ?? 0) }
      guard abs(sum - 1) <= 1e-6 else {
        throw map.value.error(
          .unexpected(expected: "shares with a sum of 1", found: "a sum of \(sum)"))
      }
    })

  private static func share(of operation: String, _ what: String) -> Key<[String: Double]> {
    Key(operation, .ratio(), "share of \(what)", default: "`0`", example: "5%") {
      share, shares, _ in
      shares[operation] = share
    }
  }

  private static func parameters(
    in map: YAMLMap, _ table: any KeyTable
  ) throws(WorkloadError) -> [String: String] {
    let scalars: Set<ValueType> = [.string, .integer, .number, .boolean]
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

  private static func check(
    _ spec: GeneratorSpec, in map: YAMLMap, at key: String, _ checks: ComponentChecks
  ) throws(WorkloadError) {
    func refusal(_ message: String) -> WorkloadError {
      map[key]?.refused(message) ?? map.refused(key, message)
    }
    do {
      try checks.generator(spec)
    } catch let error as ComponentError {
      if let parameter = error.parameter, let value = map[parameter] {
        throw value.document.error(
          map.line(of: parameter), .refused(error.message), path: value.path)
      }
      // A single value represents a constant distribution, whose name the user has not seen.
      let isAlone = key == "sizes" || key == "ttl"
      throw refusal(isAlone ? error.message : error.description)
    } catch {
      throw refusal("\(error)")
    }
  }
}

extension WorkloadKeys {
  private static func distribution(of what: String) -> Form<ComponentSpec> {
    let alone = ValueShape([.string, .integer], ["type": ["string", "integer"]])
    return Form(.map(distribution).or(alone)) { value, reading in
      let expected = "\(what), or a map with the key 'distribution'"
      guard case .scalar = value.node else {
        return try distribution.read(
          value, into: ComponentSpec(name: ""), reading, expected: expected)
      }
      let text = try value.text([.string, .integer], expected: expected)
      return ComponentSpec(name: "constant", values: ["value": text])
    }
  }
}
