import Foundation
import Larder

extension DiskConfiguration {
  static let policies = [
    "fifo", "lru", "lfu", "random", "clock", "sieve", "slru", "mq", "arc", "car", "lirs", "s3-fifo",
    "s4-fifo", "clock2q-plus", "w-tinylfu", "gdsf", "greedydual", "ttl", "cost",
    "auto:policies=lru/lfu/s3-fifo:shadow=4:margin=0",
  ]

  /// Creates a configuration without limits, so that no entry may be lost.
  static func unlimited(
    _ random: inout Random, _ durability: DiskDurability, isEncrypted: Bool
  ) throws -> DiskConfiguration {
    let inlineBytesMax = random.pick([0, 100, 20_000, 100_000])
    return DiskConfiguration(
      limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability,
      inlineBytesMax: inlineBytesMax,
      segmentBytes: random.pick([nil, max(64 << 10, 2 * inlineBytesMax)]),
      groupWrites: 1 + random.below(20),
      encryption: isEncrypted
        ? try DiskEncryption(key: Data(repeating: 7, count: 32)) : nil)
  }
}
