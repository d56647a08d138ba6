import Foundation
import Larder

/// Where the measurements take place, and what they store.
struct Workbench {
  struct Missing: Error {}

  let folder: String
  let small = (0..<64).map { Workbench.value(1_000, $0) }
  let large = (0..<16).map { Workbench.value(100_000, $0) }

  init(folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  func cache(
    _ name: String, _ durability: DiskDurability = .normal, bytes: UInt64? = nil,
    encryption: DiskEncryption? = nil, segmentBytes: Int? = nil
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: "\(folder)/\(name)",
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: bytes, freeBytes: 0), durability: durability,
        segmentBytes: segmentBytes, encryption: encryption))
  }

  static func require(_ value: Data?) throws {
    if value == nil { throw Missing() }
  }

  /// The numbers below `count` in an order without pattern.
  static func scattered(_ number: Int, _ count: Int) -> Int { number &* 7_919 % count }

  static let encryption = try? DiskEncryption(key: value(32, 99))

  private static func value(_ bytes: Int, _ seed: Int) -> Data {
    var state = UInt64(seed) | 1
    var data = Data(count: bytes)
    for place in data.indices {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      data[place] = UInt8(truncatingIfNeeded: state >> 56)
    }
    return data
  }
}
