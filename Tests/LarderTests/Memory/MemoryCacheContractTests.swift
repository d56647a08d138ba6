import LarderEngine
import Testing

@testable import Larder

/// Guarantees for every policy.
@Suite struct MemoryCacheContractTests {
  @Test(arguments: Policies.executable)
  func limitsHoldAndValuesAreRight(policy: String) throws {
    for (shards, hashing) in [(1, KeyHashing.standard), (4, .seeded(3))] {
      let clock = ManualClock()
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: 60, weight: 500, age: .seconds(30)),
          policy: CachePolicy(policy),
          shards: shards, hashing: hashing, clock: clock), weigh: { _ in 1 })
      var random = TestRandom(seed: 7)
      // Permitted result of a get: the last value set, unless it has expired or was removed.
      var model: [Int: (value: Int, expires: Int)] = [:]
      var now = 0
      var hits = 0
      for step in 0..<20_000 {
        let key = min(random.below(300), random.below(300))
        switch random.below(40) {
        case 0: model[key] = cache.remove(key).map { _ in nil } ?? nil
        case 1:
          now += 1
          clock.advance(seconds: 1)
        case 2 where step % 50 == 0:
          cache.removeAll()
          model = [:]
        case 3...20:
          let life = 1 + random.below(40)
          if cache.set(
            step, for: key, weight: random.below(20), timeToLive: .seconds(life))
          {
            model[key] = (step, now + min(life, 30))
          } else {
            model[key] = nil
          }
        default:
          if let value = cache.value(for: key) {
            hits += 1
            let known = try #require(model[key], "\(policy) returned what was removed")
            #expect(known.value == value && known.expires > now)
          }
        }
        if step % 100 == 0 {
          #expect(cache.count <= 60)
          #expect(cache.statistics.weight <= 500)
        }
      }
      #expect(hits > 1_000)
      let statistics = cache.statistics
      #expect(statistics.hits == UInt64(hits))
      #expect(
        Int(statistics.admissions) >= cache.count + Int(statistics.evictions))
    }
  }

  /// Millions of keys in optimised builds; fewer in debug builds, in the same time.
  private static var keys: Int {
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }())
    return isDebug ? 100_000 : 3_000_000
  }

  @Test(arguments: Policies.executable)
  func memoryIsBoundedWhateverTheKeys(policy: String) throws {
    try checkBound(policy, count: 200, keys: Self.keys)
  }

  /// Ghosts that weigh nothing, or next to nothing compared with the limit, are not remembered
  /// forever. A policy without ghosts by default is configured with them.
  @Test(arguments: Policies.executable + ["lru-k:history=1", "s3-fifo:ghost=0"], [0, 1])
  func memoryIsBoundedWhateverTheWeights(policy: String, weight: Int) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 200, weight: 1 << 40), policy: CachePolicy(policy),
        shards: 1,
        hashing: .fast), weigh: { _ in 1 })
    let empty = cache.residentBytes
    func fill(_ keys: Range<Int>) {
      for key in keys {
        cache.set(key, for: key, weight: weight)
        if key % 3 == 0 { _ = cache.value(for: key - 7) }
      }
    }
    fill(0..<20_000)
    let bytes = cache.residentBytes
    fill(20_000..<60_000)
    #expect(cache.residentBytes == bytes)
    #expect(bytes < empty + 600_000 + Self.simulations(policy))
    #expect(cache.count == 200)
  }

  @Test func memoryIsBoundedWithManyKeysAndGhosts() throws {
    try checkBound("s3-fifo", count: 1_000, keys: 400_000)
  }

  /// Memory of simulations beside a cache, whatever its size.
  private static func simulations(_ policy: String) -> Int { policy == "auto" ? 4 << 20 : 0 }

  private func checkBound(_ policy: String, count: Int, keys: Int) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: count), policy: CachePolicy(policy), shards: 1,
        hashing: .fast))
    // A model or a sketch has a fixed size.
    let empty = cache.residentBytes
    #expect(empty < 8 << 20)
    func fill(_ keys: Range<Int>) {
      for key in keys {
        cache.set(key, for: key)
        if key % 3 == 0 { _ = cache.value(for: key - 7) }
      }
    }
    fill(0..<keys / 8)
    let bytes = cache.residentBytes
    fill(keys / 8..<keys)
    // The lists of a contest, of some bytes, grow and shrink.
    #expect(cache.residentBytes <= bytes + (policy == "auto" ? 4096 : 0))
    #expect(bytes < empty + count * 600 + Self.simulations(policy))
    #expect(cache.count == count)
  }

  @Test(arguments: ["lru", "s3-fifo"])
  func growingKeepsEverything(policy: String) throws {
    let cache = try MemoryCache<String, String>(count: 300_000, policy: CachePolicy(policy))
    for number in 0..<50_000 { cache.set("v\(number)", for: "k\(number)") }
    #expect((0..<50_000).allSatisfy { cache.value(for: "k\($0)") == "v\($0)" })
  }
}
