import Foundation
import Larder
import LarderEngine

/// A cache on a simulated disk, which may be opened again and again.
struct SimulatedCache {
  /// Its folder, and the one above, which the cache has to make.
  static let folder = "/caches/app"

  let disk: SimulatedDisk
  var configuration: DiskConfiguration

  init(_ disk: SimulatedDisk, _ configuration: DiskConfiguration) {
    self.disk = disk
    self.configuration = configuration
  }

  func open() throws -> DiskCache {
    try DiskCache(
      path: Self.folder, configuration: configuration, clock: WallCacheClock(),
      files: SimulatedFiles(disk))
  }

  /// A configuration without limits, for what must not be lost.
  static func configuration(
    _ random: inout SimulationRandom, _ durability: DiskDurability
  ) throws -> DiskConfiguration {
    var configuration = DiskConfiguration(
      limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability,
      inlineBytesMax: random.pick([0, 100, 2_000, 100_000]),
      groupWrites: 1 + random.below(8), pageCacheBytes: 64 << 10,
      checkpointPages: random.pick([1, 4, 20, 1_000]))
    if random.oneIn(6) {
      #if Encryption
        configuration.encryption = try DiskEncryption(key: Data(repeating: 7, count: 32))
      #endif
    }
    // So small that they are recycled often, and that some values are too large for them.
    // Drawn apart, so that operations stay those of the seed.
    var other = random
    configuration.values = other.pick([.files, .segments(bytes: 8_192), .segments(bytes: 16_384)])
    configuration.readersAfter = other.pick([0, 4, 1_000])
    return configuration
  }

  /// Whether nothing of the database waits for being written to the disk.
  var isDatabaseSynced: Bool {
    disk.isSynced(Self.folder + "/index.sqlite")
      && disk.isSynced(Self.folder + "/index.sqlite-wal")
  }
}
