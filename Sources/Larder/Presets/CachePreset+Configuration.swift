import LarderEngine

extension CachePreset {
  /// The bytes of a tier without a limit on them, which a preset says so that bytes are counted.
  private static var noLimit: UInt64 { PolicySetup.capacityMax }

  /// A configuration of caches that are made like this.
  ///
  /// Entries weigh their bytes in both tiers also where there is no limit on them: the policies
  /// then do as in a simulation of `arrangement()`.
  ///
  /// - Parameter encryption: the app's key; must be given where `disk.isEncrypted`, and only there.
  /// - Throws: `configuration`, when a key is missing or of no use.
  public func configuration(
    encryption: DiskEncryption? = nil, clock: any CacheClock = WallCacheClock(isExact: false)
  ) throws(HybridCacheError) -> HybridCacheConfiguration {
    if disk?.isEncrypted ?? false, encryption == nil {
      throw .configuration(
        message: DiskEncryption.isAvailable
          ? "preset '\(name)' uses encryption and needs a key"
          : "preset '\(name)' uses encryption, which comes with the package trait Encryption")
    } else if !(disk?.isEncrypted ?? false), encryption != nil {
      throw .configuration(message: "preset '\(name)' does not use encryption; remove the key")
    }
    return HybridCacheConfiguration(
      memory: memory.map { memory in
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(
            count: memory.count, weight: memory.weight ?? Int(Self.noLimit), age: memory.age),
          policy: memory.policy)
      },
      disk: disk.map { disk in
        DiskConfiguration(
          policy: disk.policy,
          limits: DiskLimits(
            bytes: disk.bytes ?? Self.noLimit, count: disk.count, age: disk.age),
          inlineBytesMax: disk.inlineBytesMax, encryption: encryption)
      },
      rules: rules, copiesOnRead: copiesOnRead, strategy: strategy, pressureRule: pressureRule,
      clock: clock)
  }

  /// The same for a simulation, whose unit is bytes: it counts what the real cache does.
  ///
  /// - Throws: where a policy of the preset does not exist.
  package func arrangement() throws(PolicyError) -> Arrangement {
    var front: TierSetup?
    var back: TierSetup?
    if let memory {
      front = try Self.tier(
        memory.policy, bytes: memory.weight.map { UInt64($0) }, objects: memory.count, memory.age)
    }
    if let disk {
      back = try Self.tier(disk.policy, bytes: disk.bytes, objects: disk.count, disk.age)
    }
    guard let front else {
      if let back { return .disk(back) }
      return .memory(try Self.tier(.lru))
    }
    guard let back else { return .memory(front) }
    return .hybrid(memory: front, disk: back, rules: rules)
  }

  private static func tier(
    _ policy: CachePolicy, bytes: UInt64? = nil, objects: Int? = nil, _ age: Duration? = nil
  ) throws(PolicyError) -> TierSetup {
    TierSetup(
      policy: try PolicySpec(parsing: policy.description), capacity: bytes ?? noLimit,
      timeToLiveSeconds: age.map { UInt32(clamping: $0.microseconds / 1_000_000) },
      objectsMax: objects.map { UInt64($0) })
  }
}

extension HybridCache {
  /// A cache like a preset.
  ///
  /// - Parameters:
  ///   - path: the folder; nil only for a preset without disk.
  ///   - encryption: the app's key, for presets that encrypt.
  ///   - codec: how values become bytes and back.
  /// - Throws: `configuration`, `memory` or `disk`.
  public convenience init(
    preset: CachePreset, path: String? = nil, encryption: DiskEncryption? = nil,
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    try self.init(
      path: path, configuration: try preset.configuration(encryption: encryption), codec: codec)
  }
}

extension HybridCache where Value: Codable {
  /// A cache like a preset, of values that are stored with `DiskCodec.standard`: `Data` as it is,
  /// `String` as UTF-8, others as JSON.
  ///
  /// - Throws: `configuration`, `memory` or `disk`.
  public convenience init(
    preset: CachePreset, path: String? = nil, encryption: DiskEncryption? = nil
  ) throws(HybridCacheError) {
    try self.init(preset: preset, path: path, encryption: encryption, codec: .standard)
  }
}
