public import LarderEngine

/// A named configuration: a design that is in use elsewhere, as far as this library's caches can be
/// made like it.
///
/// ```swift
/// let cache = try HybridCache<String, Article>(preset: .yycache, path: folder)
/// ```
///
/// A preset is a file in `Presets/` and a line in `all`.
public struct CachePreset: Sendable, Hashable {
  /// The tier in memory. Limits that are nil are none.
  public struct Memory: Sendable, Hashable {
    /// The policy with its parameters.
    public var policy = CachePolicy.lru
    /// At most so many entries.
    public var count: Int?
    /// At most this sum of weights, which are the bytes of values, as encoded.
    public var weight: Int?
    /// The longest life of an entry.
    public var age: Duration?
  }

  /// The tier on disk. Limits that are nil are none.
  public struct Disk: Sendable, Hashable {
    /// The policy with its parameters.
    public var policy = CachePolicy.lru
    /// At most so many entries.
    public var count: Int?
    /// At most so many bytes of values, as encoded.
    public var bytes: UInt64?
    /// The longest life of an entry.
    public var age: Duration?
    /// Values of up to this many bytes stand in the database, larger ones in files.
    public var inlineBytesMax = 20 << 10
    /// Whether what is stored is encrypted, with a key of the app's.
    public var isEncrypted = false
  }

  /// What it is called in workload files.
  public let name: String
  /// What it is, in one line.
  public let summary: String
  /// Which design it follows.
  public let models: String
  /// Where it differs from that.
  public let differences: String
  /// The tier in front, or nil for none.
  public let memory: Memory?
  /// The tier behind, or nil for none.
  public let disk: Disk?
  /// What passes between the tiers.
  public let rules: HybridRules
  /// How values are had unless a call says otherwise.
  public let strategy: CacheStrategy
  /// Whether each read has a value of its own.
  public let copiesOnRead: Bool
  /// How much memory keeps when the system is short of it.
  public let pressureRule: MemoryPressureRule

  init(
    name: String, summary: String, models: String, differences: String, memory: Memory? = nil,
    disk: Disk? = nil, rules: HybridRules = HybridRules(),
    strategy: CacheStrategy = .cacheElseFetch, copiesOnRead: Bool = false,
    pressureRule: MemoryPressureRule = MemoryPressureRule(keptOnWarning: 0, keptWhenCritical: 0)
  ) {
    self.name = name
    self.summary = summary
    self.models = models
    self.differences = differences
    self.memory = memory
    self.disk = disk
    self.rules = rules
    self.strategy = strategy
    self.copiesOnRead = copiesOnRead
    self.pressureRule = pressureRule
  }

  /// All of them, in the order in which lists show them.
  public static let all: [CachePreset] = [
    .nscache, .yycache, .tiered, .mfs, .etag, .newsApp, .shopImages,
  ]

  /// The preset of a name, or nil.
  public static func named(_ name: String) -> CachePreset? { all.first { $0.name == name } }
}
