import Larder
import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MemoryCacheConfiguration {
  /// What a memory tier of a cell is as a real cache. With one thread it has one shard, so that it
  /// does what a simulation does.
  init(_ tier: TierSetup, _ setup: CacheSetup) {
    let unit = setup.simulation.unit
    self.init(
      limits: MemoryCacheLimits(
        count: tier.entriesMax(in: unit),
        weight: tier.bytesMax(in: unit).map { Int(clamping: $0) }, age: tier.timeToLive),
      policy: tier.policy.description, admission: tier.admission?.description,
      shards: setup.threads == 1 ? 1 : setup.execution.shards,
      hashing: setup.execution.hashing, clock: setup.clock,
      pressureRule: setup.design?.pressureRule ?? MemoryPressureRule(),
      seed: setup.simulation.seed)
    fingerprints = .spreadObjectIDs
    isSimulated = true
  }
}

extension DiskConfiguration {
  /// What a disk tier of a cell is as a real cache.
  init(_ tier: TierSetup, _ setup: CacheSetup) throws(DiskCacheError) {
    let unit = setup.simulation.unit
    self.init(
      policy: tier.policy.description, admission: tier.admission?.description,
      limits: DiskLimits(
        bytes: tier.bytesMax(in: unit), count: tier.entriesMax(in: unit),
        age: tier.timeToLive,
        // What a run counts must not depend on how full the disk is.
        freeBytes: 0),
      durability: setup.execution.durability,
      inlineBytesMax: setup.design?.disk?.inlineBytesMax ?? setup.execution.inlineBytesMax,
      values: setup.simulation.segments.map { .segments(bytes: Int(clamping: $0.bytes)) } ?? .files,
      seed: setup.simulation.seed,
      encryption: try setup.encryption)
    fingerprints = .spreadObjectIDs
    // Objects of a simulation have no rows.
    countsRows = false
  }
}

extension CacheSetup {
  /// The preset, for what a simulation does not know of it.
  var design: CachePreset? { preset.flatMap { CachePreset.named($0) } }

  /// The key of a design that encrypts: the same for all, since nothing here is secret.
  fileprivate var encryption: DiskEncryption? {
    get throws(DiskCacheError) {
      guard design?.disk?.isEncrypted ?? false else { return nil }
      return try DiskEncryption(key: Data(repeating: 7, count: 32))
    }
  }
}

extension TierSetup {
  /// The longest life of an entry, nil for no limit.
  fileprivate var timeToLive: Duration? {
    timeToLiveMicroseconds.map { .microseconds(Int64($0)) }
  }
}

extension DiskStoreOptions {
  /// What is said of a value, as a disk tier takes it.
  init(_ options: CacheWriteOptions) {
    self.init(timeToLive: options.timeToLive, fetchCost: options.fetchCost)
  }
}

extension CacheWriteOptions {
  /// The entry's own life; nil for none.
  var timeToLive: Duration? {
    timeToLiveMicroseconds == 0
      ? nil : .microseconds(Int64(clamping: timeToLiveMicroseconds))
  }
}
