/// The memory tier of a hybrid cache.
public struct MemoryTier: Sendable {
  /// The limits. A `weight` is one in bytes: an entry weighs its encoded size, or the result of the
  /// cache's `weigh`, plus its overhead in memory: about 100 bytes, and the allocations of key and
  /// metadata.
  public var limits: MemoryCacheLimits {
    get { configuration.limits }
    set { configuration.limits = newValue }
  }
  /// The policy: see `MemoryCacheConfiguration.policy`.
  public var policy: CachePolicy {
    get { configuration.policy }
    set { configuration.policy = newValue }
  }
  /// The admission filter: see `MemoryCacheConfiguration.admission`.
  public var admission: String? {
    get { configuration.admission }
    set { configuration.admission = newValue }
  }
  /// True to observe the system's memory pressure: see
  /// `MemoryCacheConfiguration.observesMemoryPressure`.
  public var observesMemoryPressure: Bool {
    get { configuration.observesMemoryPressure }
    set { configuration.observesMemoryPressure = newValue }
  }
  /// Idle time after which an entry expires in memory: see
  /// `MemoryCacheConfiguration.expireAfterAccess`. Needs inclusive rules.
  public var expireAfterAccess: Duration? {
    get { configuration.expireAfterAccess }
    set { configuration.expireAfterAccess = newValue }
  }
  /// Maximum delay until an expired entry is removed: see `MemoryCacheConfiguration.promptExpiry`.
  public var promptExpiry: Duration? {
    get { configuration.promptExpiry }
    set { configuration.promptExpiry = newValue }
  }

  package var configuration: MemoryCacheConfiguration

  /// Creates a tier; see the properties for the meaning of each part.
  public init(
    limits: MemoryCacheLimits, policy: CachePolicy = .lru, admission: String? = nil,
    observesMemoryPressure: Bool = MemoryPressureRule.isObservedByDefault,
    expireAfterAccess: Duration? = nil, promptExpiry: Duration? = nil
  ) {
    configuration = MemoryCacheConfiguration(
      limits: limits, policy: policy, admission: admission,
      observesMemoryPressure: observesMemoryPressure, expireAfterAccess: expireAfterAccess,
      promptExpiry: promptExpiry)
  }

  package init(_ configuration: MemoryCacheConfiguration) { self.configuration = configuration }
}
