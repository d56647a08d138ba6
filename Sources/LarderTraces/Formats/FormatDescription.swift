/// What users can know of a trace format.
public struct FormatDescription: Sendable, Hashable {
  /// The name for `--format`.
  public var name: String
  /// One line.
  public var summary: String
  /// The layout of a file, in a few lines, and how operations and times are read.
  public var layout: String
  /// Endings of file names (without the ending of a compression) by which it is recognised.
  public var suffixes: [String]
  /// Its options.
  public var parameters: [FormatParameter]

  /// A description; see the properties for the meaning of each part.
  public init(
    name: String, summary: String, layout: String, suffixes: [String],
    parameters: [FormatParameter] = []
  ) {
    self.name = name
    self.summary = summary
    self.layout = layout
    self.suffixes = suffixes
    self.parameters = parameters
  }
}

/// An option of a format.
public struct FormatParameter: Sendable, Hashable {
  /// The name before the `=`.
  public var name: String
  /// The value that holds when it is not given, as text; empty when there is none.
  public var fallback: String
  /// What it does, in a line.
  public var meaning: String

  /// A parameter; see the properties for the meaning of each part.
  public init(name: String, fallback: String, meaning: String) {
    self.name = name
    self.fallback = fallback
    self.meaning = meaning
  }

  /// For every format with sizes: leave out requests of size 0, as libCacheSim does.
  public static let skipZeroSize = FormatParameter(
    name: "skip-zero-size", fallback: "false",
    meaning: "true skips requests of size 0, as libCacheSim does")

  /// For logs and tables: how many lines may be unreadable.
  static let maxBad = FormatParameter(
    name: "max-bad", fallback: "1%",
    meaning: "share of lines that may be unreadable; they are counted and the first three shown")

  /// For formats with sizes: the rule for those of one object that differ.
  static func size(_ fallback: SizeRule, named name: String = "size") -> FormatParameter {
    FormatParameter(
      name: name, fallback: fallback.rawValue,
      meaning: """
        sizes of one object that differ: last-full, max, first, or logged (each request keeps its \
        own)
        """)
  }

  /// For text formats with times: the unit of the time column.
  public static let timeUnit = FormatParameter(
    name: "time-unit", fallback: "",
    meaning: "unit of the times: s, ms, us or ns; by default s, or what makes them of our days")
}
