import LarderEngine
import Testing

@testable import Larder

@Suite struct MemoryCacheConfigurationTests {
  private func failure(_ configuration: MemoryCacheConfiguration) -> String? {
    do {
      _ = try MemoryCache<Int, Int>(configuration, weigh: { $0 })
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: Policies.clairvoyant)
  func policiesThatNeedTheFutureAreRejected(policy: String) {
    #expect(
      failure(
        MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 9), policy: CachePolicy(policy)))
        == "policy '\(policy)' needs the next use of each object, which is not available here")
  }

  @Test func invalidConfigurationIsNamed() {
    #expect(!Policies.clairvoyant.isEmpty)
    func failure(
      _ limits: MemoryCacheLimits, _ policy: String = "lru", shards: Int? = nil
    ) -> String? {
      self.failure(
        MemoryCacheConfiguration(limits: limits, policy: CachePolicy(policy), shards: shards))
    }
    #expect(failure(MemoryCacheLimits()) == nil)
    #expect(failure(MemoryCacheLimits(count: 7), shards: 8)?.contains("count 7") == true)
    #expect(failure(MemoryCacheLimits(count: 9), "lruu")?.contains("did you mean 'lru'") == true)
    #expect(failure(MemoryCacheLimits(count: 9), "s3-fifo:small=2")?.contains("small") == true)
  }

  @Test func shardsFollowFromLimits() throws {
    func shards(_ limits: MemoryCacheLimits) throws -> Int {
      try MemoryCacheConfiguration(limits: limits).shardCount()
    }
    #expect(try shards(MemoryCacheLimits(count: 100)) == 1)
    #expect(try shards(MemoryCacheLimits(count: 5_000)) == 4)
    #expect(try shards(MemoryCacheLimits(count: 1_000_000)) == 16)
    #expect(try shards(MemoryCacheLimits(weight: (128 << 20) - 1)) == 1)
    #expect(try shards(MemoryCacheLimits(weight: 128 << 20)) == 2)
    #expect(try shards(MemoryCacheLimits(weight: 300 << 20)) == 4)
    #expect(try shards(MemoryCacheLimits(count: 1_000_000, weight: 100 << 20)) == 1)
    #expect(try shards(MemoryCacheLimits()) == 16)
  }

  @Test func limitsAreDividedWithoutRest() throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 1_003), shards: 8))
    for key in 0..<50_000 { cache.set(key, for: key) }
    #expect(cache.count == 1_003)
  }
}
