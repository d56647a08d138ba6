extension SourceSpec {
  /// Opens a trace. Called again when a mix starts the trace from the beginning.
  public typealias TraceOpener = @Sendable (TraceReference) throws -> any RecordSource

  /// The source that this describes, checked as far as can be without generating.
  ///
  /// `seed` decides every random choice. Generators in phases and mixes get seeds of their own that
  /// follow from it; where parts share their keys, an object has the same size and time to live in
  /// all of them.
  ///
  /// - Throws: `ComponentError` for an unknown generator, distribution or parameter, or a value
  ///   that cannot be; whatever `openTrace` throws. Complexity: O(parts + weights).
  public func makeSource(
    seed: UInt64, openTrace: @escaping TraceOpener
  ) throws -> any RecordSource {
    try makeSource(seed: seed, objectSeed: seed, openTrace: openTrace)
  }

  func makeSource(
    seed: UInt64, objectSeed: UInt64, openTrace: @escaping TraceOpener
  ) throws -> any RecordSource {
    switch self {
    case .trace(let reference): return try openTrace(reference)
    case .generator(let spec): return try spec.makeSource(seed: seed, objectSeed: objectSeed)
    case .phases(let sources, let sharedKeys):
      guard !sources.isEmpty else {
        throw ComponentError(component: "phases", parameter: nil, message: "expected a source")
      }
      let parts = try SourcePart.parts(
        of: sources, sharedKeys: sharedKeys, seed: seed, objectSeed: objectSeed,
        openTrace: openTrace)
      let counts = parts.compactMap(\.requestCount)
      let requests = counts.count == parts.count ? counts.reduce(0, +) : nil
      return SourcePart.source(of: parts, requests: requests) { PhasesCursor(parts) }
    case .mix(let weighted, let requests, let sharedKeys):
      try Self.check(weighted, requests: requests)
      let parts = try SourcePart.parts(
        of: weighted.map(\.source), sharedKeys: sharedKeys, seed: seed, objectSeed: objectSeed,
        openTrace: openTrace)
      let table = AliasTable(weights: weighted.map(\.weight))
      return SourcePart.source(of: parts, requests: requests) {
        try MixCursor(parts, table: table, requests: requests, seed: seed)
      }
    }
  }

  private static func check(_ parts: [MixPart], requests: Int) throws(ComponentError) {
    guard !parts.isEmpty else {
      throw ComponentError(component: "mix", parameter: nil, message: "expected a source")
    }
    try GeneratorSpec.check(requests: requests, of: "mix")
    for part in parts {
      guard part.weight > 0, part.weight <= 1e15 else {
        throw ComponentError(
          component: "mix", parameter: "weight",
          message: "expected a number above 0, found \(part.weight)")
      }
    }
  }
}

extension GeneratorSpec {
  /// The most records in a trace: next uses are numbered with 32 bits.
  private static let requestsMax = 4_294_967_294

  static func check(requests: Int, of component: String) throws(ComponentError) {
    guard (1...requestsMax).contains(requests) else {
      throw ComponentError(
        component: component, parameter: "requests",
        message: "expected a whole number from 1 to \(requestsMax), found \(requests)")
    }
  }

  /// The generator's records with everything the spec adds to them.
  func makeSource(seed: UInt64, objectSeed: UInt64) throws(ComponentError) -> GeneratedSource {
    let generator = try GeneratorRegistry.generator(named: component.name)
    try Self.check(requests: requests, of: component.name)
    let reader = try ParameterReader(component, parameters: generator.description.parameters)
    let plan = try generator.make(
      GeneratorSetup(
        parameters: reader, requests: requests, seed: seed, objectSeed: objectSeed))
    // A direct table pays while it is not much larger than the trace.
    let tableMax = min(1 << 28, max(1 << 22, 4 * requests))
    let keyLimit = plan.keyLimit.flatMap { $0 <= tableMax ? $0 : nil }
    let own = generator.description.columns
    // Made once here for its checks and its columns, and anew for each run.
    let added = try Decoration(
      self, own: own, keyLimit: nil, seed: seed, objectSeed: objectSeed)
    return GeneratedSource(
      columns: own.union(added.columns), keyLimit: keyLimit, requestCount: requests
    ) {
      DecoratedCursor(
        plan.makeCursor(),
        decoration: try Decoration(
          self, own: own, keyLimit: keyLimit, seed: seed, objectSeed: objectSeed),
        requests: requests)
    }
  }
}
