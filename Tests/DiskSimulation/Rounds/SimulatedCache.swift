import Foundation
import Larder
import LarderEngine

/// A cache on a simulated disk, which may be reopened.
struct SimulatedCache {
  /// Its folder and a parent, which the cache has to create.
  static let folder = "/caches/app"

  let disk: SimulatedDisk
  var configuration: DiskConfiguration

  init(_ disk: SimulatedDisk, _ configuration: DiskConfiguration) {
    self.disk = disk
    self.configuration = configuration
  }

  func open() throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: Self.folder, configuration: configuration, clock: SystemCacheClock.wall(),
      files: SimulatedFiles(disk))
  }

  /// Creates a configuration without limits, so that no entry may be lost.
  static func configuration(
    _ random: inout SimulationRandom, _ durability: DiskDurability
  ) throws -> DiskConfiguration {
    var configuration = DiskConfiguration(
      limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability,
      inlineBytesMax: random.pick([0, 100, 2_000, 100_000]),
      groupWrites: 1 + random.below(8), pageCacheBytes: 64 << 10)
    configuration.checkpointPages = random.pick([1, 4, 20, 1_000])
    if random.oneIn(6) {
      #if Encryption
        configuration.encryption = try DiskEncryption(key: Data(repeating: 7, count: 32))
      #endif
    }
    // So small that they are recycled often, and that some values do not fit. Drawn separately, so
    // that the operations of a seed stay the same.
    var other = random
    configuration.segmentBytes = other.pick([nil, 8_192, 16_384])
    configuration.readersAfter = other.pick([0, 4, 1_000])
    // Longer than a round; the times of use are written like values.
    configuration.expireAfterAccess = other.pick([nil, .seconds(3_600)])
    return configuration
  }

  /// True if the database has no unsynced changes.
  var isDatabaseSynced: Bool {
    disk.isSynced(Self.folder + "/index.sqlite")
      && disk.isSynced(Self.folder + "/index.sqlite-wal")
  }
}
