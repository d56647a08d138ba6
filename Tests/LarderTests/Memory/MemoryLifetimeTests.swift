import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Lifetimes by a function of key and value, and their jitter.
@Suite(.endsInTime) struct MemoryLifetimeTests {
  private let clock = ManualClock(seconds: 1_000)

  private func configuration(
    _ limits: MemoryCacheLimits = MemoryCacheLimits(count: 10_000), policy: String = "lru",
    seed: UInt64 = 0
  ) -> MemoryCacheConfiguration {
    MemoryCacheConfiguration(
      limits: limits, policy: CachePolicy(policy), shards: 1, hashing: .seeded(7), clock: clock
    ).seeded(seed)
  }

  // MARK: A function of key and value

  private func cache(_ age: Duration? = nil) throws -> MemoryCache<String, Int> {
    try MemoryCache(
      configuration(MemoryCacheLimits(count: 100, age: age)),
      timeToLive: { key, value in key == "for ever" ? nil : .seconds(value) })
  }

  private func life(_ cache: MemoryCache<String, Int>, _ key: String) -> Duration? {
    cache.expiry(of: key).flatMap {
      $0 == .never ? nil : .microseconds($0.lifeLeft(at: clock.time))
    }
  }

  @Test func valuesWithoutALifetimeGetThatOfTheFunction() async throws {
    let cache = try cache()
    cache.set(5, for: "set")
    cache["subscript"] = 6
    cache.update("update") { $0 = 7 }
    _ = try await cache.value(for: "load") { _ in 8 }
    _ = try await cache.values(for: ["bulk"]) { _ in ["bulk": 9] }
    cache.set(5, for: "for ever")
    let lives = ["set": 5, "subscript": 6, "update": 7, "load": 8, "bulk": 9]
    for (key, seconds) in lives { #expect(life(cache, key) == .seconds(seconds)) }
    #expect(cache.contains("for ever") && life(cache, "for ever") == nil)
  }

  @Test func explicitLifetimeComesFirst() async throws {
    let cache = try cache()
    cache.set(5, for: "a", timeToLive: .seconds(50))
    cache.update("b", timeToLive: .seconds(60)) { $0 = 7 }
    _ = try await cache.value(for: "c", timeToLive: { _ in .seconds(70) }, load: { _ in 8 })
    cache.set(5, for: "permanent", isPermanent: true)
    #expect(life(cache, "a") == .seconds(50) && life(cache, "b") == .seconds(60))
    #expect(life(cache, "c") == .seconds(70) && life(cache, "permanent") == nil)
    #expect(cache.contains("permanent"))
  }

  @Test func zeroLifetimeIsNotStored() async throws {
    let cache = try cache()
    cache.set(5, for: "a")
    #expect(!cache.set(0, for: "a"))
    cache.set(5, for: "b")
    cache.update("b") { $0 = -1 }
    #expect(try await cache.value(for: "c") { _ in 0 } == 0)
    #expect(cache.count == 0)
  }

  @Test func limitOnAgeHoldsAsWell() throws {
    let cache = try cache(.seconds(10))
    cache.set(5, for: "a")
    cache.set(50, for: "b")
    cache.set(1, for: "for ever")
    #expect(life(cache, "a") == .seconds(5) && life(cache, "b") == .seconds(10))
    #expect(life(cache, "for ever") == .seconds(10))
  }

  @Test func listenerAndFunctionWorkTogether() throws {
    let told = Locked<[String]>([])
    let cache = try MemoryCache<String, Int>(
      configuration(), timeToLive: { _, value in .seconds(value) },
      onRemoval: { key, _, reason in told.withLock { $0.append("\(key) \(reason)") } })
    cache.set(5, for: "a")
    clock.advance(seconds: 6)
    #expect(cache.value(for: "a") == nil)
    cache.set(0, for: "b")
    #expect(told.withLock { $0 } == ["a expired", "b refused"])
  }

  // MARK: Jitter

  private func lives(
    _ limits: MemoryCacheLimits, timeToLive: Duration? = nil, seed: UInt64 = 0
  ) throws -> [UInt64] {
    let cache = try MemoryCache<Int, Int>(configuration(limits, seed: seed))
    return (0..<2_000).map { key in
      cache.set(key, for: key, timeToLive: timeToLive)
      return cache.expiry(of: key)?.lifeLeft(at: clock.time) ?? 0
    }
  }

  @Test func jitterSpreadsLivesEvenlyAndOnlyShortensThem() throws {
    let limits = MemoryCacheLimits(count: 10_000, age: .seconds(100), ageJitter: 0.2)
    for lives in [
      try lives(limits), try lives(limits, timeToLive: .seconds(500)),
      try lives(
        MemoryCacheLimits(count: 10_000, ageJitter: 0.2), timeToLive: .seconds(100)),
    ] {
      #expect(lives.allSatisfy { $0 > 80_000_000 && $0 <= 100_000_000 })
      // In each twentieth of the range about a hundred.
      let counts = lives.reduce(into: Array(repeating: 0, count: 20)) { counts, life in
        counts[Int((life - 80_000_001) / 1_000_000)] += 1
      }
      #expect(counts.allSatisfy { $0 > 50 && $0 < 150 })
    }
  }

  @Test func jitterIsAFunctionOfKeyAndSeed() throws {
    let limits = MemoryCacheLimits(count: 10_000, age: .seconds(100), ageJitter: 0.5)
    #expect(try lives(limits) == lives(limits))
    #expect(try lives(limits) != lives(limits, seed: 1))
  }

  @Test func entriesWithoutALifetimeHaveNoJitter() throws {
    let lives = try lives(MemoryCacheLimits(count: 10_000, ageJitter: 1))
    #expect(lives.allSatisfy { $0 == .max })
    #expect(
      try self.lives(MemoryCacheLimits(count: 10_000, age: .seconds(9)))
        .allSatisfy { $0 == 9_000_000 })
  }

  /// Even the largest jitter leaves a microsecond.
  @Test func entriesAreStoredWithEveryJitter() throws {
    for life in [Duration.microseconds(1), .seconds(1), .seconds(Int64.max)] {
      let limits = MemoryCacheLimits(count: 10_000, age: life, ageJitter: 1)
      #expect(try lives(limits).allSatisfy { $0 > 0 })
    }
  }

  @Test(arguments: ["lru", "s3-fifo"]) func changedJitterAppliesToLaterSets(
    policy: String
  ) throws {
    let cache = try MemoryCache<Int, Int>(
      configuration(MemoryCacheLimits(count: 100, age: .seconds(100)), policy: policy))
    try cache.setLimits(MemoryCacheLimits(count: 100, age: .seconds(100), ageJitter: 0.9))
    for key in 0..<50 { cache.set(key, for: key) }
    let lives = (0..<50).compactMap { cache.expiry(of: $0)?.lifeLeft(at: clock.time) }
    #expect(Set(lives).count == 50)
    clock.advance(seconds: 50)
    #expect((1..<50).contains(cache.keys.count))
    // Renewed for the time that its key has.
    cache.set(0, for: 0)
    let life = cache.expiry(of: 0)?.lifeLeft(at: clock.time)
    cache.renew(0, timeToLive: nil)
    #expect(cache.expiry(of: 0)?.lifeLeft(at: clock.time) == life && life == lives[0])
  }
}

extension MemoryCacheConfiguration {
  fileprivate func seeded(_ seed: UInt64) -> MemoryCacheConfiguration {
    var copy = self
    copy.seed = seed
    return copy
  }
}
