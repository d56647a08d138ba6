import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Weights of decoded values in memory.
@Suite struct HybridWeighTests {
  let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  /// Pictures of a few bytes on disk and many in memory.
  private func cache(
    limit: Int, _ rules: HybridRules = HybridRules(), copies: Bool = false, disk: Bool = true,
    weigh: (@Sendable (Data) -> Int)? = { Int($0[0]) * 1_000 }
  ) throws -> HybridCache<Int, Data> {
    try HybridCache(
      path: folder.path,
      configuration: HybridCacheConfiguration(
        memory: MemoryTier(limits: MemoryCacheLimits(weight: limit)),
        disk: disk ? DiskConfiguration(limits: DiskLimits(freeBytes: 0)) : nil, rules: rules,
        copiesOnRead: copies),
      weigh: weigh)
  }

  @Test func decodedWeightCounts() throws {
    let cache = try cache(limit: 90_000)
    for key in 0..<20 { try cache.set(Data([20]), for: key) }
    #expect(cache.memoryCount == 4 && cache.diskCount == 20)
    #expect(try cache.value(for: 0) == Data([20]))
    #expect(cache.memoryCount == 4)
    // Larger than the limit: on disk alone.
    try cache.set(Data([101]), for: 30)
    #expect(cache.memoryCount == 4)
    #expect(try cache.entry(for: 30)?.tier == .disk)
  }

  @Test func encodedSizeCountsWithoutAWeight() throws {
    let cache = try cache(limit: 100_000, weigh: nil)
    for key in 0..<20 { try cache.set(Data([20]), for: key) }
    #expect(cache.memoryCount == 20)
  }

  @Test func copiesWeighTheirBytes() throws {
    let cache = try cache(limit: 100_000, copies: true)
    for key in 0..<20 { try cache.set(Data([20]), for: key) }
    #expect(cache.memoryCount == 20)
  }

  @Test(arguments: [Int.min, -1, 0, Int.max]) func extremeWeightsAreHarmless(weight: Int) throws {
    for rules in [HybridRules(), HybridRules(inclusion: .exclusive)] {
      let cache = try cache(limit: 100_000, rules, weigh: { _ in weight })
      for key in 0..<20 { try cache.set(Data([20]), for: key) }
      #expect(cache.memoryCount == (weight == .max ? 0 : 20))
      #expect(try cache.value(for: 3) == Data([20]))
      try cache.removeAll()
      try cache.close()
    }
  }

  @Test func memoryAloneNeedsNoEncoding() throws {
    let encoded = Locked(0)
    let codec = DiskCodec<Data>(
      identity: "counted",
      encode: { data in
        encoded.withLock { $0 += 1 }
        return data
      }, decode: { $0 })
    let cache = try HybridCache<Int, Data>(
      configuration: HybridCacheConfiguration(
        memory: MemoryTier(limits: MemoryCacheLimits(weight: 100_000)), disk: nil),
      codec: codec, weigh: \.count)
    try cache.set(Data(count: 50), for: 1)
    #expect(try cache.value(for: 1)?.count == 50)
    #expect(encoded.withLock { $0 } == 0)
  }
}
