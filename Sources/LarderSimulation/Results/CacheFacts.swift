import Larder

/// What a report says of a configuration whose cache is a preset, or not Larder's own.
public struct CacheFacts: Sendable, Hashable, Codable {
  /// The configuration's name.
  public var configuration: String
  /// The cache that is executed: see `ContenderRegistry`.
  public var cache: String
  /// The preset, nil for none.
  public var preset: String?
  /// What it is or models, and where it differs.
  public var summary: String
  /// A preset's limits in words; nil where the sweep sets them.
  public var limits: String?

  /// The facts.
  public init(
    configuration: String, cache: String, preset: String? = nil, summary: String,
    limits: String? = nil
  ) {
    self.configuration = configuration
    self.cache = cache
    self.preset = preset
    self.summary = summary
    self.limits = limits
  }
}
