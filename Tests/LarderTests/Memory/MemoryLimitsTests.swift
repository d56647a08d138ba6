import LarderEngine
import Testing

@testable import Larder

/// Invalid numbers in a memory cache's configuration are rejected by name, and numbers in calls are
/// clamped.
@Suite struct MemoryLimitsTests {
  private func failure(_ configuration: MemoryCacheConfiguration) -> String? {
    do {
      _ = try MemoryCache<Int, Int>(configuration, weigh: { $0 })
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func failure(_ limits: MemoryCacheLimits, _ policy: String = "lru") -> String? {
    failure(MemoryCacheConfiguration(limits: limits, policy: CachePolicy(policy)))
  }

  @Test(arguments: [0, -1, .min, .max, MemoryCacheLimits.largest + 1])
  func limitsOutOfRangeAreRejected(limit: Int) {
    let expected = " \(limit) is out of range: expected 1"
    #expect(failure(MemoryCacheLimits(count: limit))?.contains("count" + expected) == true)
    #expect(failure(MemoryCacheLimits(weight: limit))?.contains("weight" + expected) == true)
    for shards in [0, -1, .min, .max, 3, 2048] {
      let configuration = MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 1 << 20), shards: shards)
      #expect(failure(configuration)?.contains("invalid number of shards \(shards)") == true)
    }
  }

  @Test func settingsOutOfRangeAreRejectedByName() throws {
    typealias Change = (inout MemoryCacheConfiguration, Duration) -> Void
    let lives: [(name: String, least: Duration, set: Change)] = [
      ("age", .microseconds(1), { $0.limits.age = $1 }),
      ("refreshAfterWrite", .seconds(1), { $0.refreshAfterWrite = $1 }),
      ("staleWhileRevalidate", .microseconds(1), { $0.staleWhileRevalidate = $1 }),
      ("expireAfterAccess", .microseconds(1), { $0.expireAfterAccess = $1 }),
      ("promptExpiry", .milliseconds(1), { $0.promptExpiry = $1 }),
      ("loadTimeout", .milliseconds(1), { $0.loadTimeout = $1 }),
    ]
    for (name, least, set) in lives {
      for life in [.zero, .seconds(-1), least - .nanoseconds(1), .seconds(Int64.min) * 8] {
        #expect(failure { set(&$0, life) }?.contains("\(name) \(life) is out") == true, "\(name)")
      }
      for life in [least, .seconds(Int64.max) * 8] {
        #expect(failure { set(&$0, life) } == nil, "\(name)")
      }
    }
    let shares: [(name: String, set: (inout MemoryCacheConfiguration, Double) -> Void)] = [
      ("ageJitter", { $0.limits.ageJitter = $1 }),
      ("pressureRule.keptOnWarning", { $0.pressureRule.keptOnWarning = $1 }),
      ("pressureRule.keptWhenCritical", { $0.pressureRule.keptWhenCritical = $1 }),
    ]
    for (name, set) in shares {
      for share in [Double.nan, -0.01, 1.01, .infinity, -.infinity, 1e308] {
        #expect(
          failure { set(&$0, share) } == "memory cache: \(name) \(share) is out of range: "
            + "expected a share from 0 to 1")
      }
    }
  }

  private func failure(_ change: (inout MemoryCacheConfiguration) -> Void) -> String? {
    var configuration = MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 10))
    change(&configuration)
    return failure(configuration)
  }

  /// The largest limits work with every policy, even one that multiplies its capacity.
  @Test(arguments: Policies.executable + ExtremeParameters.specs)
  func theLargestLimitsWork(policy: String) throws {
    let largest = MemoryCacheLimits.largest
    for limits in [
      MemoryCacheLimits(count: largest), MemoryCacheLimits(weight: largest),
      MemoryCacheLimits(count: largest, weight: largest, age: .seconds(Int64.max)),
    ] {
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(limits: limits, policy: CachePolicy(policy)), weigh: { $0 })
      for key in 0..<100 { #expect(cache.set(key, for: key, weight: key)) }
      #expect((0..<100).allSatisfy { cache.value(for: $0) == $0 })
      cache.trim(toCount: 10)
      for key in 50..<150 { cache.set(key, for: key, weight: key) }
      #expect(cache.count <= 110)
    }
  }

  @Test func numbersInCallsAreClamped() throws {
    let clock = ManualClock()
    for policy in Policies.executable {
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: 50, weight: 1000), policy: CachePolicy(policy),
          shards: 1,
          clock: clock), weigh: { $0 })
      let costs: [Float] = [.nan, -1, .infinity, -.infinity, .greatestFiniteMagnitude, -0.0, 0]
      for key in 0..<200 {
        cache.set(key, for: key, weight: key % 3 == 0 ? .min : key, fetchCost: costs[key % 7])
        _ = cache.value(for: key - 9)
      }
      #expect(cache.count > 0 && cache.count <= 50)
      cache.trim(toCount: .max)
      cache.trim(weight: .max)
      cache.trim(toAge: .seconds(Int64.max) * 4)
      #expect(cache.count > 0)
      cache.trim(weight: .min)
      #expect(cache.statistics.weight == 0)
      cache.trim(toCount: .min)
      #expect(cache.count == 0)
    }
  }

  @Test(.timeLimit(.minutes(30)), arguments: [Int.min, -1, 0, 1])
  func streamsKeepAtLeastOneEvent(buffered: Int) async throws {
    let cache = MemoryCache<Int, Int>(count: 9)
    let events = cache.eventStream(buffered: buffered)
    cache.set(1, for: 1)
    cache.set(2, for: 2)
    for await event in events {
      #expect(event.key == 2)
      break
    }
  }

  /// Even before the clock has advanced.
  @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min) * 8])
  func nonPositiveTTLExpiresAtOnce(life: Duration) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 9), clock: ManualClock()))
    cache.set(1, for: 1, timeToLive: life)
    #expect(!cache.contains(1) && cache.value(for: 1) == nil)
    cache.set(2, for: 2, timeToLive: .seconds(Int64.max) * 8)
    #expect(cache.value(for: 2) == 2)
    cache.set(3, for: 2, timeToLive: life)
    #expect(cache.value(for: 2) == nil)
    cache.set(4, for: 4, timeToLive: life, isPermanent: true)
    #expect(cache.value(for: 4) == 4)
  }

  /// With the default number of shards.
  @Test(arguments: [1000, 1 << 20, 3 << 20, 32 << 20, 1 << 30])
  func aQuarterOfTheLimitFits(weight: Int) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(weight: weight)), weigh: { $0 })
    for key in 0..<50 { #expect(cache.set(key, for: key, weight: weight / 4)) }
    #expect(cache.count > 0 && cache.statistics.weight <= UInt64(weight))
  }

  @Test func limitOnWeightNeedsAWeigher() throws {
    let limits = MemoryCacheLimits(weight: 100)
    for make in [
      { try MemoryCache<Int, Int>(limits: limits) },
      {
        try MemoryCache<Int, Int>(
          MemoryCacheConfiguration(limits: limits), onRemoval: { _, _, _ in })
      },
    ] {
      #expect {
        _ = try make()
      } throws: {
        "\($0)".hasPrefix("memory cache: weight 100 is out of range: expected a cache made")
      }
    }
  }

  /// Every way of storing a value without a weight asks the weigher.
  @Test func valuesWithoutWeightAreWeighed() async throws {
    let cache = try MemoryCache<Int, Int>(limits: MemoryCacheLimits(weight: 100), weigh: { $0 })
    cache[1] = 10
    cache.set(20, for: 2)
    cache.update(3) { $0 = 5 }
    _ = try await cache.value(for: 4) { _ in 7 }
    _ = try await cache.values(for: [5]) { _ in [5: 8] }
    _ = try await cache.value(for: 6, negativeLife: .seconds(1)) { _ in 9 }
    #expect(cache.statistics.weight == 59)
    cache[7] = 101
    #expect(cache[7] == nil && cache.statistics.rejections == 1)
  }

  /// As in a cache of images, without a word of configuration.
  @Test(arguments: ["lru", "sieve", "s3-fifo"])
  func largeValuesFitInASmallCache(policy: String) throws {
    let cache = try MemoryCache<Int, Int>(
      limits: MemoryCacheLimits(weight: 50_000_000), policy: CachePolicy(policy), weigh: { $0 })
    for key in 0..<20 {
      #expect(cache.set(key, for: key, weight: 20_000_000))
      #expect(cache.statistics.weight <= 50_000_000)
    }
    #expect(cache.count > 0 && cache.statistics.rejections == 0)
    for weight in [64 << 20, 128 << 20, 200 << 20] {
      let larger = try MemoryCache<Int, Int>(
        limits: MemoryCacheLimits(weight: weight), policy: CachePolicy(policy), weigh: { $0 })
      for key in 0..<20 { #expect(larger.set(key, for: key, weight: 64 << 20)) }
    }
  }

  @Test func aCountIsClamped() throws {
    for count in [Int.min, -1, 0, 1] {
      let cache = MemoryCache<Int, Int>(count: count)
      for key in 0..<9 { cache.set(key, for: key) }
      #expect(cache.count == 1 && cache.limits == MemoryCacheLimits(count: 1))
    }
    #expect(MemoryCache<Int, Int>(count: .max).limits.count == MemoryCacheLimits.largest)
    // With a policy it is checked like the policy.
    #expect(throws: MemoryCacheError.self) { try MemoryCache<Int, Int>(count: 0, policy: .lru) }
    #expect(throws: MemoryCacheError.self) {
      try MemoryCache<Int, Int>(limits: MemoryCacheLimits(count: 0))
    }
  }

  @Test func shardsAreManyIfEachFitsEveryWeight() throws {
    func shards(_ limits: MemoryCacheLimits) throws -> Int {
      try MemoryCacheConfiguration(limits: limits).shardCount()
    }
    #expect(try shards(MemoryCacheLimits(weight: 32 << 20)) == 1)
    #expect(try shards(MemoryCacheLimits(weight: 32 << 30)) == 8)
    #expect(try shards(MemoryCacheLimits(weight: 64 << 30)) == 16)
    #expect(try shards(MemoryCacheLimits(weight: MemoryCacheLimits.largest)) == 16)
    #expect(try shards(MemoryCacheLimits(count: 1 << 20)) == 16)
  }
}
