import Foundation
import LarderEngine
import Testing

@testable import Larder

/// A limit on bytes bounds the memory of small entries.
@Suite struct HybridMemoryUseTests {
  /// Realistic limits and keys; `bytes` is the keys' memory outside the cache.
  private func use<Key: DiskKeyRepresentable>(
    _ key: (Int) -> Key, bytes: Int, entries: Int = 40_000
  ) throws -> (share: Double, count: Int) {
    let limit = 2 << 20
    var configuration = HybridCacheConfiguration(
      memory: MemoryTier(limits: MemoryCacheLimits(weight: limit)))
    configuration.disk = nil
    let cache = try HybridCache<Key, Bool>(configuration: configuration)
    for number in 0..<entries { try cache.set(true, for: key(number)) }
    let weight = try #require(cache.readStatistics().memory?.weight)
    #expect(weight <= UInt64(limit))
    let count = cache.memoryCount
    return (Double((cache.memory?.residentBytes ?? 0) + count * bytes) / Double(limit), count)
  }

  @Test func smallValuesCountTheirMemory() throws {
    // A string of this length takes 80 bytes on the heap.
    let texts = try use({ "https://example.com/article/is-read/\($0)" }, bytes: 80)
    #expect(texts.share > 0.5 && texts.share < 1.2, "\(texts)")
    let numbers = try use({ $0 }, bytes: 0)
    #expect(numbers.share > 0.5 && numbers.share < 1.2, "\(numbers)")
    #expect(numbers.count > texts.count)
  }

  @Test func metadataCounts() throws {
    var configuration = HybridCacheConfiguration(
      memory: MemoryTier(limits: MemoryCacheLimits(weight: 1 << 20)))
    configuration.disk = nil
    let cache = try HybridCache<Int, Bool>(configuration: configuration)
    try cache.set(true, for: 1)
    let plain = try #require(cache.readStatistics().memory?.weight)
    let version = String(repeating: "v", count: 1_000)
    try cache.set(true, for: 1, options: DiskStoreOptions(version: version))
    #expect(try #require(cache.readStatistics().memory?.weight) >= plain + 1_000)
  }
}
