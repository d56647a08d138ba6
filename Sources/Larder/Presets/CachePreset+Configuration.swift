import LarderEngine

extension CachePreset {
  /// Bytes of a tier without a limit, so that bytes are still counted.
  private static var noLimit: UInt64 { PolicySetup.capacityMax }

  /// Returns the configuration of a cache like the preset.
  ///
  /// Entries weigh their bytes in both tiers even without a limit on bytes: the policies then
  /// behave as in a simulation of `arrangement()`.
  ///
  /// - Parameters:
  ///   - encryption: The app's key; required if `disk.isEncrypted`, and not allowed otherwise.
  ///   - clock: The clock.
  /// - Throws: `configuration`, if a key is missing or superfluous.
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

  /// Returns the preset for a simulation in bytes, which counts what the real cache counts.
  ///
  /// - Throws: `PolicyError` if a policy of the preset does not exist.
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
  /// Creates a cache from a preset.
  ///
  /// - Parameters:
  ///   - preset: The preset.
  ///   - path: The folder, as a path or a file URL; left out only for a preset without disk.
  ///   - encryption: The app's key, for presets that encrypt.
  ///   - codec: Conversion between values and bytes.
  /// - Throws: `configuration`, `memory` or `disk`.
  public convenience init<Location: CacheLocation>(
    preset: CachePreset, path: Location? = String?.none, encryption: DiskEncryption? = nil,
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    try self.init(
      path: path, configuration: try preset.configuration(encryption: encryption), codec: codec)
  }
}

extension HybridCache where Value: Codable {
  /// Creates a cache from a preset, with values stored by `DiskCodec.standard`: `Data` unchanged,
  /// `String` as UTF-8, others as JSON.
  ///
  /// - Throws: `configuration`, `memory` or `disk`.
  public convenience init<Location: CacheLocation>(
    preset: CachePreset, path: Location? = String?.none, encryption: DiskEncryption? = nil
  ) throws(HybridCacheError) {
    try self.init(preset: preset, path: path, encryption: encryption, codec: .standard)
  }
}
