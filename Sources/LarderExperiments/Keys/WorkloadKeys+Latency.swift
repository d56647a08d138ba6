import LarderEngine

extension WorkloadKeys {
  static let latency = Section<LatencyModel>(
    "latency",
    "Access costs of each tier and of the origin: a time, a list of measured times, "
      + "or a distribution.",
    expected: "a map with the keys memory, disk, origin",
    keys: [
      Key(
        "memory", .access, \.memory, "an access to memory",
        default: "required if a configuration has a memory tier", example: "1us"),
      Key(
        "disk", .access, \.disk, "an access to disk",
        default: "required if a configuration has a disk tier", example: "[80us, 100us, 300us]"),
      Key(
        "origin", .origin,
        "a fetch from the origin. `from-trace`: the trace's costs, in milliseconds",
        default: .required, example: "{distribution: log-normal, median: 80ms, sigma: 0.5}"
      ) { origin, model, _ in
        model.origin = origin ?? AccessLatency()
        model.isOriginFromTrace = origin == nil
      },
    ],
    finish: { map, _, reading in
      for configuration in reading.workload.configurations {
        let needed =
          switch configuration.kind {
          case .memory: ["memory"]
          case .disk: ["disk"]
          case .hybrid: ["memory", "disk"]
          }
        for key in needed where map[key] == nil {
          throw map.missing(key, because: "configuration '\(configuration.name)' has that tier")
        }
      }
    })

  static let latencyShapes: [LatencyShape] = [
    LatencyShape(
      "constant", "Constant.",
      .time("value", \.value, "`constant`: the time", example: "1us")
    ) { .constant($0.value) },
    LatencyShape(
      "normal", "Normal; negative times are discarded.",
      .time("mean", \.value, "`normal`: the mean; negative times are discarded", example: "100us"),
      .time("deviation", \.spread, "`normal`: the standard deviation", example: "20us")
    ) { .normal(mean: $0.value, deviation: $0.spread) },
    LatencyShape(
      "log-normal", "Log-normal.",
      .time("median", \.value, "`log-normal`: the median", example: "80ms"),
      Key(
        "sigma", .number(upTo: 4), \.spread,
        "`log-normal`: the standard deviation of the natural logarithm, 0 to 4",
        default: .required, example: "0.5")
    ) { .logNormal(median: $0.value, sigma: $0.spread) },
    LatencyShape(
      "list", "Measured times, all equally likely.",
      Key(
        "values", .samples, \.samples, "`list`: the measured times, all equally likely",
        default: .required,
        example: "[40ms, 75ms]")
    ) { $0.samples.map { .empirical($0) } },
  ]
}

struct LatencyEntry: Sendable {
  /// Value, mean or median in nanoseconds.
  var value = 0.0
  /// Standard deviation: in nanoseconds, or of the logarithm.
  var spread = 0.0
  var samples: LatencySamples?
  var nanosecondsPerByte = 0.0
}

struct LatencyShape: Sendable {
  let name: String
  let section: Section<LatencyEntry>
  let make: @Sendable (LatencyEntry) -> LatencyDistribution?

  init(
    _ name: String, _ summary: String, _ own: Key<LatencyEntry>...,
    make: @escaping @Sendable (LatencyEntry) -> LatencyDistribution?
  ) {
    self.name = name
    self.make = make
    let distribution = Key<LatencyEntry>(
      "distribution", .text("a distribution").limited(to: name),
      "`constant`, `normal`, `log-normal` or `list`", default: .required, example: name
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
      "throughput", .throughput, \.nanosecondsPerByte,
      "the same as bytes per second; excludes `per-byte`", default: "no limit",
      example: "500MB/s"),
  ]
}

extension Key where Target == LatencyEntry {
  fileprivate static func time(
    _ name: String, _ path: WritableKeyPath<LatencyEntry, Double> & Sendable, _ meaning: String,
    example: String
  ) -> Key {
    Key(name, .time(), path, meaning, default: .required, example: example)
  }
}

extension ValueShape {
  fileprivate static let time = text(Quantity.duration.pattern).named("time")
}

extension Form {
  fileprivate func limited(to word: String) -> Form {
    Form(.words([word])) { value, reading in try read(value, reading) }
  }
}

extension Form where Value == Double {
  /// A time in nanoseconds; at most a day, because longer ones are mistakes.
  static func time(_ expected: String = "a time such as 100us or 80ms") -> Form {
    Form(.time) { value, _ in
      let text = try value.text([.string, .integer, .number], expected: expected)
      guard text.last?.isNumber == false, let time = Quantity.duration.value(text),
        time <= 86_400e9
      else { throw value.unexpected(expected) }
      return time
    }
  }

  /// Bytes per second, as nanoseconds per byte.
  fileprivate static var throughput: Form {
    Form(.text(Quantity.bytes.pattern + "/s")) { value, _ in
      let expected = "bytes per second such as 200MB/s"
      let text = try value.text(expected: expected)
      guard text.hasSuffix("/s"), let bytes = Quantity.bytes.amount(text.dropLast(2)), bytes > 0
      else {
        throw value.unexpected(expected)
      }
      return 1e9 / Double(bytes)
    }
  }
}

extension Form where Value == LatencySamples {
  fileprivate static var samples: Form {
    let form = Form<[Double]>.list(of: .time(), "times")
    return Form(form.shape) { value, reading in
      guard let samples = LatencySamples(try form.read(value, reading)) else {
        throw value.unexpected("a list of times")
      }
      return samples
    }
  }
}

extension Form where Value == LatencyModel {
  static var latency: Form { .map(WorkloadKeys.latency, into: LatencyModel(origin: .init())) }
}

extension Form where Value == AccessLatency? {
  /// A fetch from the origin; nil to use the trace's costs.
  fileprivate static var origin: Form {
    let access = Form<AccessLatency>.access
    return Form(.words(["from-trace"]).or(access.shape)) { value, reading in
      if value.type == .string, try value.text(expected: "a time") == "from-trace" { return nil }
      return try access.read(value, reading)
    }
  }
}

extension Form where Value == AccessLatency {
  static var access: Form {
    let shapes = WorkloadKeys.latencyShapes
    let names = shapes.map(\.name)
    let maps = shapes.map { ValueShape.map($0.section.table) }
    let samples = Form<LatencySamples>.samples
    let shape = maps.reduce(samples.shape) { $0.or($1) }
    return Form(shape) { value, reading in
      switch value.type {
      case .object: break
      case .array: return AccessLatency(base: .empirical(try samples.read(value, reading)))
      default:
        let time = Form<Double>.time("a time such as 100us, a list of times, or a map")
        return AccessLatency(base: .constant(try time.read(value, reading)))
      }
      let map = try YAMLMap(value, expected: "a map with the key 'distribution'")
      let word = try map.required("distribution", in: shapes[0].section.table)
      let name = try word.word(of: names)
      guard let shape = shapes.first(where: { $0.name == name }) else {
        throw word.unexpected("a distribution")
      }
      var entry = LatencyEntry()
      try shape.section.read(map, into: &entry, reading)
      guard let base = shape.make(entry) else { throw value.unexpected("a list of times") }
      return AccessLatency(base: base, nanosecondsPerByte: entry.nanosecondsPerByte)
    }
  }
}
