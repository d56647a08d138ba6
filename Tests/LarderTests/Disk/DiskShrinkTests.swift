import Foundation
import Testing

@testable import Larder

/// Pages freed by single removals return to the file system while the cache is open.
@Suite struct DiskShrinkTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func filled(_ durability: DiskDurability) throws -> BlockingDiskCache {
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability, groupWrites: 100))
    for key in 0..<3_000 { try cache.set(Data(count: 1_000), for: "\(key)") }
    try cache.flush()
    #expect(cache.usage.database + cache.usage.log > 3_000_000)
    return cache
  }

  @Test(arguments: DiskDurability.allCases)
  func flushAfterSingleRemovalsReturnsTheSpace(durability: DiskDurability) throws {
    let cache = try filled(durability)
    for key in 0..<2_990 { try cache.remove("\(key)") }
    try cache.flush()
    // Up to 256 free pages are kept.
    #expect(cache.usage.database + cache.usage.log < 1_200_000)
    for key in 2_990..<3_000 { #expect(try cache.value(for: "\(key)") == Data(count: 1_000)) }
  }

  @Test(arguments: DiskDurability.allCases)
  func writesAfterSingleRemovalsReturnTheSpace(durability: DiskDurability) throws {
    let cache = try filled(durability)
    for key in 0..<2_990 { try cache.remove("\(key)") }
    for key in 0..<300 { try cache.set(Data(count: 1_000), for: "new \(key % 10)") }
    #expect(cache.usage.database < 2_000_000)
    for key in 2_990..<3_000 { #expect(try cache.value(for: "\(key)") == Data(count: 1_000)) }
    try cache.close()
    let again = try BlockingDiskCache(path: folder.path)
    #expect(again.count == 20 && again.statistics.damages == 0)
  }
}
