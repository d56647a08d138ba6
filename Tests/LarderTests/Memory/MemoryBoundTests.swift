import LarderEngine
import Testing

@testable import Larder

/// Memory stays bounded, whatever the weights of entries, and however often limits change.
@Suite struct MemoryBoundTests {
  private func fill(_ cache: MemoryCache<Int, Int>, keys: Range<Int>, weight: Int = 1) {
    for key in keys where cache.value(for: key) == nil { cache.set(key, for: key, weight: weight) }
  }

  @Test(arguments: Policies.executable)
  func repeatedLimitsKeepMemoryConstant(policy: String) throws {
    for limits in [MemoryCacheLimits(weight: 1 << 12), MemoryCacheLimits(count: 1 << 10)] {
      for shards in [1, 4] {
        let cache = try MemoryCache<Int, Int>(
          MemoryCacheConfiguration(limits: limits, policy: CachePolicy(policy), shards: shards),
          weigh: { _ in 1 })
        for filled in [0, 2_000] {
          fill(cache, keys: 0..<filled)
          try cache.setLimits(limits)
          let before = cache.residentBytes
          for _ in 1...17 { try cache.setLimits(limits) }
          #expect(cache.residentBytes == before, "\(filled) \(limits)")
        }
      }
    }
  }

  @Test(arguments: Policies.executable)
  func halvingAndDoublingKeepsMemoryConstant(policy: String) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(weight: 2_000), policy: CachePolicy(policy), shards: 1),
      weigh: { _ in 1 })
    func round() throws {
      try cache.setLimits(MemoryCacheLimits(weight: 1_000))
      fill(cache, keys: 0..<4_000)
      try cache.setLimits(MemoryCacheLimits(weight: 2_000))
      fill(cache, keys: 1_000..<5_000)
    }
    for _ in 0..<4 { try round() }
    let before = cache.residentBytes
    for _ in 0..<16 { try round() }
    // Tables of simulations beside the cache double at times.
    let tables = policy == "auto" ? before : 0
    #expect(cache.residentBytes <= before + before / 4 + tables)
  }

  @Test(arguments: ["s3-fifo", "qd-lp", "s4-fifo", "clock2q-plus"])
  func growingLimitsMakeRoomForGhosts(policy: String) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 2), policy: CachePolicy(policy), shards: 1))
    fill(cache, keys: 0..<100)
    for count in [3, 4, 50, 4, 1_000, 3, 5_000] {
      try cache.setLimits(MemoryCacheLimits(count: count))
      fill(cache, keys: 0..<8_000)
      #expect(cache.count <= count && cache.keys.count == cache.count)
    }
  }

  /// Stamps have 31 bits in units of about a second, and clocks count from 1970.
  @Test(arguments: [2_251_000_000, 2_252_000_000, 4_102_444_800, 32_503_680_000])
  func agesHoldAfter2041(seconds: UInt64) throws {
    let clock = ManualClock(seconds: seconds)
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 10), clock: clock))
    cache.set(1, for: 1)
    clock.advance(seconds: 7_200)
    cache.set(2, for: 2)
    #expect(cache.trim(toAge: .seconds(3_600)) == 1)
    #expect(cache.keys == [2])
    try cache.setLimits(MemoryCacheLimits(count: 10, age: .seconds(86_400)))
    #expect(cache.value(for: 2) == 2)
    clock.advance(seconds: 86_402)
    #expect(cache.value(for: 2) == nil)
  }

  @Test func agesHoldWhenTheClockIsPutBack() throws {
    let clock = ManualClock(seconds: 2_000_000_000)
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 10), clock: clock))
    clock.set(seconds: 1_700_000_000)
    cache.set(1, for: 1)
    clock.advance(seconds: 7_200)
    cache.set(2, for: 2)
    #expect(cache.trim(toAge: .seconds(3_600)) == 1)
  }
}
