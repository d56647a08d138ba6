import LarderEngine

extension WorkloadDecoder {
  /// The latency model; it must have every place that a configuration has.
  func latency(
    _ value: YAMLValue, for configurations: [ConfigurationSpec]
  ) throws(WorkloadError) -> LatencyModel {
    let map = try YAMLMap(
      value, WorkloadKeys.latency, expected: "a map with the keys memory, disk, origin")
    var model = LatencyModel(
      origin: try access(map.required("origin", in: WorkloadKeys.latency)))
    if let memory = map["memory"] { model.memory = try access(memory) }
    if let disk = map["disk"] { model.disk = try access(disk) }
    for configuration in configurations {
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
    return model
  }

  private func access(_ value: YAMLValue) throws(WorkloadError) -> AccessLatency {
    switch value.type {
    case .object: break
    case .array: return AccessLatency(base: .empirical(try samples(value)))
    default:
      return AccessLatency(
        base: .constant(
          try time(value, expected: "a time such as 100us, a list of times, or a map")))
    }
    let known = WorkloadKeys.latencyDistributions
    let names = known.map(\.name)
    let map = try YAMLMap(value, expected: "a map with the key 'distribution'")
    let shape = try map.required("distribution", in: known[0].table)
    let name = try shape.text(expected: "one of \(names.joined(separator: ", "))")
    guard let table = known.first(where: { $0.name == name })?.table else {
      let hint = name.nearest(among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw shape.error(
        .unexpected(
          expected: "one of \(names.joined(separator: ", "))", found: shape.found + hint))
    }
    try map.check(table)
    return AccessLatency(
      base: try distribution(name, map, table), nanosecondsPerByte: try perByte(map))
  }

  private func distribution(
    _ name: String, _ map: YAMLMap, _ table: KeyTable
  ) throws(WorkloadError) -> LatencyDistribution {
    func time(_ key: String) throws(WorkloadError) -> Double {
      try self.time(map.required(key, in: table), expected: "a time such as 100us or 80ms")
    }
    switch name {
    case "constant":
      return .constant(try time("value"))
    case "normal":
      return .normal(mean: try time("mean"), deviation: try time("deviation"))
    case "log-normal":
      let sigma = try map.required("sigma", in: table)
        .number(in: 0...4, expected: "a number from 0 to 4")
      let median = try time("median")
      return .logNormal(median: median, sigma: sigma)
    default:
      return .empirical(try samples(map.required("values", in: table)))
    }
  }

  private func samples(_ value: YAMLValue) throws(WorkloadError) -> LatencySamples {
    var times: [Double] = []
    for item in try value.items(orSingle: [.string], of: "times") {
      times.append(try time(item, expected: "a time such as 100us or 80ms"))
    }
    guard let samples = LatencySamples(times) else { throw value.unexpected("a list of times") }
    return samples
  }

  /// At most a day: what is longer was meant otherwise.
  private func time(_ value: YAMLValue, expected: String) throws(WorkloadError) -> Double {
    let text = try value.text([.string, .integer, .number], expected: expected)
    guard let time = Quantity.nanoseconds(text), time <= 86_400e9 else {
      throw value.unexpected(expected)
    }
    return time
  }

  private func perByte(_ map: YAMLMap) throws(WorkloadError) -> Double {
    if map["per-byte"] != nil, map["throughput"] != nil {
      throw map.error(
        at: "throughput", .refused("'per-byte' and 'throughput' exclude each other; keep one"))
    }
    if let value = map["per-byte"] {
      return try time(value, expected: "a time per byte, such as 2ns")
    }
    guard let value = map["throughput"] else { return 0 }
    let expected = "bytes per second such as 200MB/s"
    let text = try value.text(expected: expected)
    guard text.hasSuffix("/s"), let bytes = Quantity.bytes(text.dropLast(2)), bytes > 0 else {
      throw value.unexpected(expected)
    }
    return 1e9 / Double(bytes)
  }
}
