import LarderEngine

/// Specification of a workload's requests, before any file is opened or request generated.
public indirect enum SourceSpec: Sendable, Hashable, Codable {
  case trace(TraceReference)
  case generator(GeneratorSpec)
  /// A sequence of sources. Objects are separate per part unless `sharedKeys` is true; the time of
  /// a part continues from the end of the previous one.
  case phases([SourceSpec], sharedKeys: Bool)
  /// Sources interleaved at random by weight until `requests` requests have been drawn; a source
  /// that ends restarts. Objects are separate per part unless `sharedKeys` is true.
  case mix([MixPart], requests: Int, sharedKeys: Bool)
}

/// A trace file, or several that form one trace, with reading options.
public struct TraceReference: Sendable, Hashable, Codable {
  /// Path as written; relative to the workload file's folder.
  public var path: String
  /// Further files of the trace, such as rotated logs or logs of other servers; nil for none. They
  /// are merged by time.
  public var morePaths: [String]?
  /// Format and options, such as `csv:time=1:id=2`; nil to recognise it.
  public var format: ComponentSpec?

  /// Maximum share of bad lines in text formats; nil for 1 %.
  public var maxBadShare: Double?

  /// Share of the objects whose requests are read, above 0 and below 1; nil for all. Capacities and
  /// results are scaled by it.
  public var sample: Double?

  /// Distribution of object sizes in bytes, for a trace without sizes; nil for none.
  public var sizes: ComponentSpec?

  /// Creates a reference.
  public init(
    path: String, morePaths: [String]? = nil, format: ComponentSpec? = nil,
    maxBadShare: Double? = nil, sample: Double? = nil, sizes: ComponentSpec? = nil
  ) {
    (self.path, self.morePaths, self.format) = (path, morePaths, format)
    (self.maxBadShare, self.sample, self.sizes) = (maxBadShare, sample, sizes)
  }

  /// All files, at least one.
  public var paths: [String] {
    get { [path] + (morePaths ?? []) }
    set {
      path = newValue.first ?? ""
      morePaths = newValue.count > 1 ? Array(newValue.dropFirst()) : nil
    }
  }
}

/// A generator and the options common to all generators.
public struct GeneratorSpec: Sendable, Hashable, Codable {
  /// The generator and its own parameters.
  public var component: ComponentSpec
  /// Number of requests to generate.
  public var requests: Int
  /// Distribution of object sizes in bytes; nil for the generator's own sizes, or none.
  public var sizes: ComponentSpec?
  /// Distribution of TTLs in seconds, one draw per object; nil for the generator's own.
  public var ttls: ComponentSpec?
  /// Shares of get, set and delete, summing to 1; nil for the generator's own.
  public var operations: [String: Double]?
  /// Requests per second for generators without times; nil: 1000 with TTLs, else no times.
  public var rate: Double?

  /// Creates a spec; see the properties for the meaning of each part.
  public init(
    component: ComponentSpec, requests: Int, sizes: ComponentSpec? = nil,
    ttls: ComponentSpec? = nil, operations: [String: Double]? = nil, rate: Double? = nil
  ) {
    (self.component, self.requests, self.sizes, self.ttls) = (component, requests, sizes, ttls)
    (self.operations, self.rate) = (operations, rate)
  }
}

/// One source of a mix.
public struct MixPart: Sendable, Hashable, Codable {
  /// Relative weight, above 0.
  public var weight: Double
  /// The source.
  public var source: SourceSpec

  /// Creates a part.
  public init(weight: Double, source: SourceSpec) {
    self.weight = weight
    self.source = source
  }
}

extension SourceSpec {
  /// Opens a trace. Called again when a mix restarts the trace.
  public typealias TraceOpener = @Sendable (TraceReference) throws -> any RecordSource

  /// Creates the source, and validates it as far as possible without generating.
  /// - Throws: `ComponentError` for an unknown generator, distribution or parameter, or an invalid
  ///   value; any error of `openTrace`. Complexity: O(parts + weights).
  public func makeSource(
    seed: UInt64, openTrace: @escaping TraceOpener
  ) throws -> any RecordSource {
    try makeSource(seed: seed, objectSeed: seed, openTrace: openTrace)
  }

  func makeSource(
    seed: UInt64, objectSeed: UInt64, openTrace: @escaping TraceOpener
  ) throws -> any RecordSource {
    switch self {
    case .trace(let reference):
      let trace = try openTrace(reference)
      return try reference.sizes.map { try SizedSource(trace, $0, seed: objectSeed) } ?? trace
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
  package static func operations(
    parsing text: String
  ) throws(ComponentError) -> [String: Double] {
    var shares: [String: Double] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2, let share = Share(parsing: words[1]) else {
        throw ComponentError(
          component: "", parameter: "operations",
          message: "expected shares such as get=0.95,set=0.05 or get=95%,set=5%, found '\(part)'")
      }
      guard shares.updateValue(share.ratio, forKey: words[0].lowercased()) == nil else {
        throw ComponentError(
          component: "", parameter: "operations", message: "'\(words[0])' occurs twice; keep one")
      }
    }
    return shares
  }

  private static let requestsMax = 4_294_967_294

  static func check(requests: Int, of component: String) throws(ComponentError) {
    guard (1...requestsMax).contains(requests) else {
      throw ComponentError(
        component: component, parameter: "requests",
        message: "expected a whole number from 1 to \(requestsMax), found \(requests)")
    }
  }

  func makeSource(seed: UInt64, objectSeed: UInt64) throws(ComponentError) -> GeneratedSource {
    let generator = try GeneratorRegistry.generator(named: component.name)
    try Self.check(requests: requests, of: component.name)
    let reader = try ParameterReader(component, parameters: generator.description.parameters)
    let plan = try generator.make(
      GeneratorSetup(
        parameters: reader, requests: requests, seed: seed, objectSeed: objectSeed))
    // A direct table pays off if it is not much larger than the trace.
    let tableMax = min(1 << 28, max(1 << 22, 4 * requests))
    let keyLimit = plan.keyLimit.flatMap { $0 <= tableMax ? $0 : nil }
    let own = generator.description.columns
    // Created once here for its checks and columns, and again for each run.
    let added = try Decoration(self, own: own, keyLimit: nil, seed: seed, objectSeed: objectSeed)
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
