/// Where a workload's requests come from, as written: not yet opened, not yet generated.
public indirect enum SourceSpec: Sendable, Hashable, Codable {
  /// A trace file.
  case trace(TraceReference)
  /// A generator.
  case generator(GeneratorSpec)
  /// Sources one after another. Each part's objects are its own unless `sharedKeys` is true, and
  /// its time goes on where the part before ended.
  case phases([SourceSpec], sharedKeys: Bool)
  /// Sources interleaved at random by weight until `requests` requests have been drawn (a source
  /// that ends starts again). Objects as for phases.
  case mix([MixPart], requests: Int, sharedKeys: Bool)
}

/// A trace file, or several that make one trace, and how to read them.
public struct TraceReference: Sendable, Hashable, Codable {
  /// Path as written; relative to the workload file's folder.
  public var path: String
  /// Further files of the same trace, such as those that a log was rotated into, or those of other
  /// servers; nil for none. They are merged by time.
  public var morePaths: [String]?
  /// Format and options, such as `csv:time=1:id=2`; nil to recognise it.
  public var format: ComponentSpec?

  /// The share of lines that may be unreadable in a format of text lines; nil for 1 %.
  public var maxBadShare: Double?

  /// The share of the objects whose requests are read, above 0 and below 1; nil for all. Capacities
  /// and results are scaled by it.
  public var sample: Double?

  /// A reference.
  public init(
    path: String, morePaths: [String]? = nil, format: ComponentSpec? = nil,
    maxBadShare: Double? = nil, sample: Double? = nil
  ) {
    self.path = path
    self.morePaths = morePaths
    self.format = format
    self.maxBadShare = maxBadShare
    self.sample = sample
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

/// A generator with what every generator accepts.
public struct GeneratorSpec: Sendable, Hashable, Codable {
  /// The generator and its own parameters.
  public var component: ComponentSpec
  /// How many requests to generate.
  public var requests: Int
  /// Distribution of object sizes in bytes; nil leaves the generator's own sizes, or none.
  public var sizes: ComponentSpec?
  /// Distribution of times to live in seconds, one draw an object; nil leaves the generator's own.
  public var ttls: ComponentSpec?
  /// Shares of get, set and delete, summing to 1; nil leaves the generator's own.
  public var operations: [String: Double]?
  /// Requests per second for generators without a clock of their own; nil means 1000 where times
  /// are needed.
  public var rate: Double?

  /// A spec; see the properties for the meaning of each part.
  public init(
    component: ComponentSpec, requests: Int, sizes: ComponentSpec? = nil,
    ttls: ComponentSpec? = nil, operations: [String: Double]? = nil, rate: Double? = nil
  ) {
    self.component = component
    self.requests = requests
    self.sizes = sizes
    self.ttls = ttls
    self.operations = operations
    self.rate = rate
  }
}

/// One source of a mix.
public struct MixPart: Sendable, Hashable, Codable {
  /// Relative weight, above 0.
  public var weight: Double
  /// The source.
  public var source: SourceSpec

  /// A part.
  public init(weight: Double, source: SourceSpec) {
    self.weight = weight
    self.source = source
  }
}
