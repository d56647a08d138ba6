import LarderEngine

extension WorkloadKeys {
  static let latency = Section<LatencyModel>(
    "latency",
    "Access costs of each tier and of the origin: a time, a list of measured times, "
      + "or a distribution.",
    expected: "a map with the keys memory, disk, origin",
    keys: [
      Key(
        "memory", access, \.memory, "an access to memory",
        default: "required if a configuration has a memory tier", example: "1us"),
      Key(
        "disk", access, \.disk, "an access to disk",
        default: "required if a configuration has a disk tier", example: "[80us, 100us, 300us]"),
      Key(
        "origin", origin,
        "a fetch from the origin. `from-trace`: the trace's costs, in milliseconds",
        example: "{distribution: log-normal, median: 80ms, sigma: 0.5}"
      ) { origin, model, _ in
        model.origin = origin ?? AccessLatency()
        model.isOriginFromTrace = origin == nil
      },
    ],
    finish: { map, _, reading in
      for configuration in reading.workload.configurations {
        let tiers = [("memory", ConfigurationKind.disk), ("disk", .memory)]
        for (key, without) in tiers where configuration.kind != without && map[key] == nil {
          throw map.missing(key, because: "configuration '\(configuration.name)' has that tier")
        }
      }
    })

  static let latencyShapes: [LatencyShape] = [
    LatencyShape(
      "constant", "Constant.",
      Key("value", .time(), \.value, "`constant`: the time", example: "1us")
    ) { .constant($0.value) },
    LatencyShape(
      "normal", "Normal; negative times are discarded.",
      Key(
        "mean", .time(), \.value, "`normal`: the mean; negative times are discarded",
        example: "100us"),
      Key("deviation", .time(), \.spread, "`normal`: the standard deviation", example: "20us")
    ) { .normal(mean: $0.value, deviation: $0.spread) },
    LatencyShape(
      "log-normal", "Log-normal.",
      Key("median", .time(), \.value, "`log-normal`: the median", example: "80ms"),
      Key(
        "sigma", .number(upTo: 4), \.spread,
        "`log-normal`: the standard deviation of the natural logarithm, 0 to 4", example: "0.5")
    ) { .logNormal(median: $0.value, sigma: $0.spread) },
    LatencyShape(
      "list", "Measured times, all equally likely.",
      Key(
        "values", samples, \.samples, "`list`: the measured times, all equally likely",
        example: "[40ms, 75ms]")
    ) { $0.samples.map { .empirical($0) } },
  ]
}

/// Content of a map that describes a latency distribution.
struct LatencyEntry: Sendable {
  /// Value, mean or median in nanoseconds.
  var value = 0.0
  /// Standard deviation: in nanoseconds, or of the logarithm.
  var spread = 0.0
  var samples: LatencySamples?
  var nanosecondsPerByte = 0.0
}

/// A latency distribution with its keys.
struct LatencyShape: Sendable {
  let name: String
  let section: Section<LatencyEntry>
  /// Nil for a list without values.
  let make: @Sendable (LatencyEntry) -> LatencyDistribution?

  init(
    _ name: String, _ summary: String, _ own: Key<LatencyEntry>...,
    make: @escaping @Sendable (LatencyEntry) -> LatencyDistribution?
  ) {
    self.name = name
    self.make = make
    let text = Form<String>.text("a distribution")
    let distribution = Key<LatencyEntry>(
      "distribution", Form(.words([name])) { try text.read($0, $1) },
      "`constant`, `normal`, `log-normal` or `list`", example: name
    ) { _, _, _ in }
    section = Section(
      "latency-\(name)", summary, expected: "a map with the key 'distribution'",
      exclusive: ["per-byte", "throughput"],
      keys: [distribution] + own + Self.transferKeys)
  }

  private static let transferKeys: [Key<LatencyEntry>] = [
    Key(
      "per-byte", .time("a time per byte, such as 2ns"), \.nanosecondsPerByte,
      "additional time for each byte transferred", default: "`0`", example: "2ns"),
    Key(
      "throughput",
      .scalar("bytes per second such as 200MB/s", .text(Quantity.bytes.pattern + "/s")) { text in
        FetchSpec.bandwidth(parsing: text).map { 1e9 / Double($0) }
      }, \.nanosecondsPerByte,
      "the same as bytes per second; excludes `per-byte`", default: "no limit",
      example: "500MB/s"),
  ]
}

extension Form where Value == Double {
  static func time(_ expected: String = "a time such as 100us or 80ms") -> Form {
    .scalar(
      expected, .text(Quantity.duration.pattern).named("time"), [.string, .integer, .number],
      parse: FetchSpec.time)
  }
}

extension WorkloadKeys {
  private static let samples: Form<LatencySamples> = {
    let times = Form<[Double]>.list(of: .time(), "times")
    return Form(times.shape) { value, reading in
      guard let samples = LatencySamples(try times.read(value, reading)) else {
        throw value.unexpected("a list of times")
      }
      return samples
    }
  }()

  /// A fetch from the origin; nil to use the trace's costs.
  private static let origin = Form<AccessLatency?>(
    .words(["from-trace"]).or(access.shape)
  ) { value, reading in
    if value.type == .string, try value.text(expected: "a time") == "from-trace" { return nil }
    return try access.read(value, reading)
  }

  static let access = Form<AccessLatency>(
    latencyShapes.reduce(samples.shape) { $0.or(.map($1.section)) }
  ) { value, reading in
    switch value.type {
    case .object: break
    case .array: return AccessLatency(base: .empirical(try samples.read(value, reading)))
    default:
      let time = Form<Double>.time("a time such as 100us, a list of times, or a map")
      return AccessLatency(base: .constant(try time.read(value, reading)))
    }
    let shapes = latencyShapes
    let map = try YAMLMap(value, expected: "a map with the key 'distribution'")
    let word = try map.required("distribution", in: shapes[0].section)
    let name = try word.word(of: shapes.map(\.name))
    guard let shape = shapes.first(where: { $0.name == name }) else {
      throw word.unexpected("a distribution")
    }
    let entry = try shape.section.read(map, into: LatencyEntry(), reading)
    guard let base = shape.make(entry) else { throw value.unexpected("a list of times") }
    return AccessLatency(base: base, nanosecondsPerByte: entry.nanosecondsPerByte)
  }
}
