import LarderEngine
import LarderTraces

extension WorkloadDecoder {
  /// How deep sources may stand in sources.
  private static let sourceDepthMax = 16
  /// The most requests in a trace: later ones could not be numbered.
  private static let requestsMax = UInt64(UInt32.max) - 1

  /// Where requests come from.
  func source(_ value: YAMLValue, depth: Int = 0) throws(WorkloadError) -> SourceSpec {
    let map = try YAMLMap(
      value, expected: "a map with one of the keys trace, generator, phases, mix")
    guard depth <= Self.sourceDepthMax else {
      throw value.error(.refused("sources are nested more than \(Self.sourceDepthMax) deep"))
    }
    let kinds = ["trace", "generator", "phases", "mix"]
    let given = kinds.filter { map[$0] != nil }
    guard let kind = given.first else {
      throw value.error(
        .unexpected(
          expected: "one of the keys trace, generator, phases, mix",
          found: Self.keys(of: map, like: kinds)))
    }
    guard given.count == 1 else {
      throw map.error(
        at: given[1], .refused("'\(given[0])' and '\(given[1])' exclude each other; keep one"))
    }
    switch kind {
    case "trace": return .trace(try trace(map))
    case "generator": return .generator(try generator(map))
    case "phases": return try phases(map, depth: depth)
    default: return try mix(map, depth: depth)
    }
  }

  private static func keys(of map: YAMLMap, like kinds: [String]) -> String {
    for entry in map.entries {
      if let nearest = entry.key.nearest(among: kinds) {
        return "\(YAMLValue.quoted(entry.key)); did you mean '\(nearest)'?"
      }
    }
    return map.entries.isEmpty
      ? "an empty map"
      : "only " + YAMLValue.shortened(map.entries.map(\.key).joined(separator: ", "))
  }

  private func trace(_ map: YAMLMap) throws(WorkloadError) -> TraceReference {
    try map.check(WorkloadKeys.trace)
    let value = try map.required("trace", in: WorkloadKeys.trace)
    let path = try value.text(expected: "the path of a trace file")
    guard !path.isEmpty, !path.contains("\0") else {
      throw value.unexpected("the path of a trace file")
    }
    guard let format = map["format"] else { return TraceReference(path: path) }
    let text = try format.text(expected: "a format such as csv:time=1:id=2")
    do {
      let spec = try ComponentSpec(parsing: text)
      try checks.format(spec)
      return TraceReference(path: path, format: spec)
    } catch {
      throw format.error(.refused("\(error)"))
    }
  }

  private func phases(_ map: YAMLMap, depth: Int) throws(WorkloadError) -> SourceSpec {
    try map.check(WorkloadKeys.phases)
    let phases = try map.required("phases", in: WorkloadKeys.phases).items(of: "sources")
      .map { phase throws(WorkloadError) in try source(phase, depth: depth + 1) }
    return .phases(phases, sharedKeys: try sharedKeys(map))
  }

  private func mix(_ map: YAMLMap, depth: Int) throws(WorkloadError) -> SourceSpec {
    try map.check(WorkloadKeys.mix)
    let parts = try map.required("mix", in: WorkloadKeys.mix)
      .items(of: "maps with the keys weight and source")
      .map { part throws(WorkloadError) in
        let part = try YAMLMap(
          part, WorkloadKeys.mixPart, expected: "a map with the keys weight and source")
        let weight = try part.required("weight", in: WorkloadKeys.mixPart)
          .number(in: Double.leastNormalMagnitude...1e15, expected: "a number above 0")
        return MixPart(
          weight: weight,
          source: try source(
            part.required("source", in: WorkloadKeys.mixPart), depth: depth + 1))
      }
    return .mix(
      parts, requests: try requests(map, WorkloadKeys.mix), sharedKeys: try sharedKeys(map))
  }

  private func sharedKeys(_ map: YAMLMap) throws(WorkloadError) -> Bool {
    try map["shared-keys"].map { value throws(WorkloadError) in try value.boolean() } ?? false
  }

  func requests(_ map: YAMLMap, _ table: KeyTable) throws(WorkloadError) -> Int {
    Int(try map.required("requests", in: table).whole(in: 1...Self.requestsMax, or: [.string]))
  }
}
