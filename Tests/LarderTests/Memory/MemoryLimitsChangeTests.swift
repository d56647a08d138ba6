import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Changes of the limits while the cache is in use: `setLimits`.
@Suite struct MemoryLimitsChangeTests {
  private let clock = ManualClock(seconds: 1_000)

  private func cache(
    _ limits: MemoryCacheLimits, _ policy: String = "lru", admission: String? = nil,
    shards: Int = 1
  ) throws -> MemoryCache<Int, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: limits, policy: CachePolicy(policy), admission: admission, shards: shards,
        clock: clock),
      weigh: { _ in 1 })
  }

  private func drive(
    _ cache: MemoryCache<Int, Int>, _ random: inout TestRandom, requests: Int = 1_000
  ) -> Int {
    var hits = 0
    for _ in 0..<requests {
      let key = min(random.below(400), random.below(400))
      if let value = cache.value(for: key) {
        #expect(value == key)
        hits += 1
      } else {
        cache.set(key, for: key, weight: 1 + key % 9)
      }
    }
    return hits
  }

  /// Never more than the limits, in whatever order they grow and shrink.
  @Test(arguments: Policies.executable)
  func everyPolicyObeysTheCurrentLimits(policy: String) throws {
    for shards in [1, 4] {
      let cache = try cache(MemoryCacheLimits(count: 100), policy, shards: shards)
      var random = TestRandom(seed: 11)
      for count in [100, 20, 250, 249, 8, 8, 4, 1_000, 60] {
        let before = cache.count
        let gone = try cache.setLimits(MemoryCacheLimits(count: count))
        #expect(gone == before - cache.count && cache.count <= count)
        #expect(cache.limits == MemoryCacheLimits(count: count))
        for _ in 0..<10 {
          _ = drive(cache, &random, requests: 100)
          #expect(cache.count <= count)
        }
        #expect(cache.keys.count == cache.count)
      }
    }
  }

  @Test(arguments: Policies.executable)
  func everyPolicyObeysWeights(policy: String) throws {
    let cache = try cache(MemoryCacheLimits(weight: 500), policy)
    var random = TestRandom(seed: 5)
    for (count, weight) in [(nil, 500), (30, 100), (200, 900), (10, 900), (12, nil), (nil, 40)] {
      try cache.setLimits(MemoryCacheLimits(count: count, weight: weight))
      for _ in 0..<10 {
        #expect(cache.statistics.weight <= UInt64(weight ?? .max) && cache.count <= count ?? .max)
        _ = drive(cache, &random, requests: 100)
      }
      #expect(cache.count > 0)
    }
  }

  /// A long call takes the lock again and again, and leaves it to who waits for it in each gap.
  @Test(.endsInTime) func waitingThreadsComeBetweenSteps() throws {
    let cache = try cache(MemoryCacheLimits(count: 20_000))
    for key in 0..<20_000 { cache.set(key, for: key) }
    let (sets, steps) = (Locked(0), Locked(0))
    Thread.detachNewThread {
      while steps.withLock({ $0 }) < 78 {
        cache.set(0, for: 0)
        sets.withLock { $0 += 1 }
        usleep(100)
      }
    }
    while sets.withLock({ $0 }) == 0 { usleep(100) }
    _ = cache.walk(0) { _, _, _ in
      usleep(1_000)
      steps.withLock { $0 += 1 }
      return 0
    }
    #expect(sets.withLock { $0 } > 20)
  }

  /// An empty cache with changed limits equals one created with them.
  @Test(arguments: Policies.executable)
  func changedCacheCountsLikeANewOne(policy: String) throws {
    for capacity in [7, 60, 300] {
      let made = try cache(MemoryCacheLimits(count: capacity), policy)
      let changed = try cache(MemoryCacheLimits(count: 100), policy)
      try changed.setLimits(MemoryCacheLimits(count: capacity))
      var (random, same) = (TestRandom(seed: 9), TestRandom(seed: 9))
      let hits = drive(made, &random, requests: 10_000)
      #expect(drive(changed, &same, requests: 10_000) == hits && hits > 0)
      #expect(made.statistics == changed.statistics)
    }
  }

  @Test(arguments: Policies.executable)
  func growingKeepsEntriesAndTakesEffectAtOnce(policy: String) throws {
    let cache = try cache(MemoryCacheLimits(count: 50), policy)
    var random = TestRandom(seed: 2)
    _ = drive(cache, &random)
    let held = Set(cache.keys)
    #expect(try cache.setLimits(MemoryCacheLimits(count: 5_000)) == held.count - cache.count)
    #expect(Set(cache.keys).isSubset(of: held) && cache.count >= held.count * 9 / 10)
    // Twice: some policies store only what is requested again.
    for _ in 0..<3 { for key in 1_000..<1_400 { cache.set(key, for: key) } }
    #expect(cache.count > 300)
  }

  @Test func loweredLimitsEvictInThePolicysOrder() throws {
    let cache = try cache(MemoryCacheLimits(count: 10))
    for key in 0..<10 { cache.set(key, for: key) }
    for key in [3, 0, 7] { _ = cache.value(for: key) }
    #expect(try cache.setLimits(MemoryCacheLimits(count: 4)) == 6)
    #expect(Set(cache.keys) == [9, 3, 0, 7])
    // The order is kept, too.
    try cache.setLimits(MemoryCacheLimits(count: 5))
    for key in 20..<23 { cache.set(key, for: key) }
    #expect(Set(cache.keys) == [0, 7, 20, 21, 22])
    #expect(cache.statistics.trims == 6 && cache.statistics.evictions == 2)
    // The capacity of the policy is the weight, so it is not affected.
    let weighed = try self.cache(MemoryCacheLimits(count: 10, weight: 100))
    for key in 0..<10 { weighed.set(key, for: key) }
    try weighed.setLimits(MemoryCacheLimits(count: 2, weight: 100))
    #expect(Set(weighed.keys) == [8, 9])
  }

  @Test func lowerAgeShortensLifetimes() throws {
    for policy in ["lru", "sieve", "ttl"] {
      let cache = try cache(MemoryCacheLimits(count: 10, age: .seconds(1_000)), policy)
      cache.set(1, for: 1)
      cache.set(2, for: 2, isPermanent: true)
      cache.set(3, for: 3, timeToLive: .seconds(5))
      clock.advance(seconds: 8)
      cache.set(4, for: 4)
      try cache.setLimits(MemoryCacheLimits(count: 10, age: .seconds(10)))
      #expect(Set(cache.keys) == [1, 2, 4])
      clock.advance(seconds: 4)
      #expect(cache.value(for: 1) == nil && cache.value(for: 2) == 2 && cache.value(for: 4) == 4)
      clock.advance(seconds: 8)
      #expect(cache.value(for: 4) == nil)
      // A higher limit, or none, applies to entries stored from now on.
      cache.set(5, for: 5)
      try cache.setLimits(MemoryCacheLimits(count: 10))
      cache.set(6, for: 6)
      clock.advance(seconds: 100)
      #expect(Set(cache.keys) == [2, 6])
    }
    // In a cache in which nothing expired until now.
    let cache = try cache(MemoryCacheLimits(count: 10), "sieve")
    cache.set(1, for: 1)
    try cache.setLimits(MemoryCacheLimits(count: 20, age: .seconds(10)))
    #expect(cache.value(for: 1) == 1)
    clock.advance(seconds: 12)
    #expect(cache.value(for: 1) == nil)
  }

  @Test func limitsOutOfRangeAreRejectedAndNothingChanges() throws {
    let limits = MemoryCacheLimits(count: 10)
    let cache = try cache(limits, shards: 4)
    for key in 0..<8 { cache.set(key, for: key) }
    let held = Set(cache.keys)
    for wrong in [
      MemoryCacheLimits(count: 0), MemoryCacheLimits(count: 3), MemoryCacheLimits(count: .max),
      MemoryCacheLimits(count: 10, age: .zero), MemoryCacheLimits(count: 10, weight: 0),
      MemoryCacheLimits(count: 5, weight: 10),
    ] {
      #expect(throws: MemoryCacheError.self) { try cache.setLimits(wrong) }
    }
    #expect(cache.limits == limits && Set(cache.keys) == held)
    let error = #expect(throws: MemoryCacheError.self) {
      try cache.setLimits(MemoryCacheLimits(count: 5, weight: 10))
    }
    #expect(error?.description.contains("keeps no weights") == true)
  }

  /// Each entry is either still resident or was reported once, with its value.
  @Test(arguments: ["lru", "s3-fifo", "w-tinylfu", "arc", "sieve", "lirs"])
  func everyEntryIsResidentOrReportedOnce(policy: String) throws {
    let told = Locked<[Int]>([])
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 50), policy: CachePolicy(policy), shards: 1),
      onRemoval: { _, value, _ in told.withLock { $0.append(value) } })
    for value in 0..<2_000 {
      cache.set(value, for: value % 170)
      if value % 3 == 0 { _ = cache.value(for: value * 7 % 170) }
      if value % 11 == 0 { cache.remove(value * 5 % 170) }
      if value % 97 == 0 {
        try cache.setLimits(MemoryCacheLimits(count: 10 + (value * 31) % 130))
      }
    }
    let held = cache.keys.compactMap { cache.peek($0) }
    #expect((told.withLock { $0 } + held).sorted() == Array(0..<2_000))
  }

  @Test func changedLimitsResetTheFilter() throws {
    let cache = try cache(MemoryCacheLimits(count: 50), admission: "second-hit")
    for _ in 0..<2 { for key in 0..<40 { cache.set(key, for: key) } }
    #expect(cache.count == 40)
    try cache.setLimits(MemoryCacheLimits(count: 45))
    #expect(cache.count == 40)
    #expect(!cache.set(1, for: 100) && cache.set(1, for: 100))
  }

  /// With and without lock-free gets, with trivial values and others.
  @Test(.endsInTime, arguments: ["lru", "sieve", "s3-fifo"])
  func otherThreadsContinueMeanwhile(policy: String) async throws {
    try await goOn(policy) { $0 }
    try await goOn(policy) { "\($0)" }
  }

  private func goOn<Value: Equatable & Sendable>(
    _ policy: String, _ value: @escaping @Sendable (Int) -> Value
  ) async throws {
    let cache = try MemoryCache<Int, Value>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 100), policy: CachePolicy(policy), shards: 2))
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<3 {
        group.addTask {
          var random = TestRandom(seed: UInt64(worker))
          for _ in 0..<3_000 {
            let key = random.below(300)
            if let found = cache.value(for: key) {
              #expect(found == value(key))
            } else {
              cache.set(value(key), for: key)
            }
          }
        }
      }
      for changer in 0..<2 {
        group.addTask {
          for round in 0..<60 {
            let count = 10 + (round * 37 + changer * 11) % 200
            _ = try? cache.setLimits(MemoryCacheLimits(count: count))
          }
        }
      }
    }
    #expect(cache.count <= cache.limits.count ?? 0)
    try cache.setLimits(MemoryCacheLimits(count: 10))
    #expect(cache.count <= 10)
  }
}
