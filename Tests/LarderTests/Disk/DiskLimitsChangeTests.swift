import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Changes of the limits of open disk and hybrid caches.
@Suite struct DiskLimitsChangeTests {
  let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  private func cache(
    _ limits: DiskLimits, _ policy: String = "lru", clock: any CacheClock = ManualClock()
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: CachePolicy(policy), limits: limits, durability: .none, inlineBytesMax: 100
      ).countingValuesAlone, clock: clock)
  }

  private func limits(entries: Int? = nil, bytes: UInt64? = nil) -> DiskLimits {
    DiskLimits(bytes: bytes, count: entries, freeBytes: 0)
  }

  private func drive(_ cache: BlockingDiskCache, _ random: inout TestRandom, _ requests: Int) throws
  {
    for _ in 0..<requests {
      let key = min(random.below(200), random.below(200))
      if let data = try cache.value(for: "\(key)") {
        #expect(data == Data(repeating: UInt8(key), count: 1 + key))
      } else {
        try cache.set(Data(repeating: UInt8(key), count: 1 + key), for: "\(key)")
      }
    }
  }

  @Test(arguments: Policies.executable)
  func everyPolicyObeysTheCurrentLimits(policy: String) throws {
    let cache = try cache(limits(entries: 50), policy)
    var random = TestRandom(seed: 4)
    for (entries, bytes) in [
      (10, nil), (120, nil), (nil, 3_000), (20, 1_000), (nil, nil), (30, nil), (1, nil),
    ] as [(Int?, UInt64?)] {
      let before = cache.count
      let freed = try cache.setLimits(limits(entries: entries, bytes: bytes))
      #expect(freed.count == before - cache.count)
      #expect(cache.limits == limits(entries: entries, bytes: bytes))
      for _ in 0..<4 {
        #expect(cache.count <= entries ?? .max && cache.valueBytes <= bytes ?? .max)
        try drive(cache, &random, 50)
      }
    }
    try cache.close()
  }

  @Test func loweredLimitsEvictInThePolicysOrder() throws {
    let cache = try cache(limits(entries: 10))
    for key in 0..<10 { try cache.set(Data(count: 200), for: "\(key)") }
    for key in [3, 0, 7] { _ = try cache.value(for: "\(key)") }
    #expect(try cache.setLimits(limits(entries: 4)).count == 6)
    func held() throws -> Set<Int> { Set(try (0..<30).filter { try cache.contains("\($0)") }) }
    #expect(try held() == [9, 3, 0, 7])
    #expect(cache.statistics.evictions == 6)
    try cache.setLimits(limits(entries: 5))
    for key in 20..<23 { try cache.set(Data(count: 200), for: "\(key)") }
    #expect(try held() == [0, 7, 20, 21, 22])
    // Evicted entries do not reappear.
    try cache.close()
    let again = try self.cache(limits(entries: 100))
    #expect(again.count == 5)
    #expect(try !again.contains("9"))
  }

  @Test func permanentEntriesCostsAndExpiriesStay() throws {
    let clock = ManualClock(seconds: 1_000)
    let cache = try cache(limits(entries: 100), "gdsf", clock: clock)
    try cache.set(Data(count: 9), for: "p", options: DiskStoreOptions(isPermanent: true))
    for key in 0..<20 {
      try cache.set(
        Data(count: 9), for: "\(key)",
        options: DiskStoreOptions(
          timeToLive: .seconds(10 + key), fetchCost: key < 3 ? 1_000 : 1))
    }
    try cache.setLimits(limits(entries: 3))
    #expect(cache.count == 4)
    #expect(try cache.value(for: "p") != nil && cache.contains("0") && cache.contains("2"))
    clock.advance(seconds: 11)
    #expect(try !cache.contains("0") && !cache.contains("1") && cache.contains("2"))
    // Another TTL applies to entries stored from now on.
    var shorter = limits(entries: 3)
    shorter.age = .seconds(1)
    clock.set(seconds: 1_000)
    try cache.setLimits(shorter)
    try cache.set(Data(count: 9), for: "new", options: DiskStoreOptions(fetchCost: 5_000))
    clock.advance(seconds: 5)
    #expect(try !cache.contains("new") && cache.contains("2"))
  }

  @Test func evictionsAreReportedToListeners() throws {
    let cache = try cache(limits(entries: 10))
    for key in 0..<3 { try cache.set(Data(count: 9), for: "\(key)") }
    let told = Locked<[String]>([])
    let token = cache.onEvent { event in told.withLock { $0.append("\(event.key.key)") } }
    try cache.setLimits(limits(entries: 1))
    #expect(told.withLock { $0 } == ["0", "1"])
    token.cancel()
  }

  @Test func limitsOutOfRangeAreRejectedAndNothingChanges() throws {
    let cache = try cache(limits(entries: 10))
    try cache.set(Data(count: 9), for: "a")
    for wrong in [
      limits(entries: 0), limits(entries: -1), limits(bytes: 0), limits(bytes: 1 << 51),
      DiskLimits(age: .zero), DiskLimits(freeBytes: .max),
    ] {
      #expect(throws: DiskCacheError.self) { try cache.setLimits(wrong) }
    }
    #expect(cache.limits == limits(entries: 10))
    #expect(try cache.contains("a"))
    try cache.close()
    #expect(throws: DiskCacheError.self) { try cache.setLimits(limits(entries: 5)) }
  }

  @Test func hybridsChangeBothTiers() throws {
    let clock = ManualClock(seconds: 1_000)
    let cache = try HybridCache<String, Int>(
      path: folder.path,
      configuration: HybridTestCaches.configuration(memory: 20, disk: 40, clock: clock))
    for key in 0..<20 { try cache.set(key, for: "\(key)") }
    #expect(try cache.setMemoryLimits(MemoryCacheLimits(count: 5)) == 15)
    #expect(cache.memory?.limits.count == 5 && cache.memory?.count == 5 && cache.disk?.count == 20)
    var limits = try #require(cache.disk?.limits)
    limits.count = 10
    limits.age = .seconds(5)
    #expect(try cache.setDiskLimits(limits).count == 10)
    #expect(cache.disk?.count == 10 && cache.disk?.limits == limits)
    #expect(try cache.entry(for: "19")?.value == 19 && cache.entry(for: "0") == nil)
    // The TTL of a new entry is the new limit, in both tiers.
    try cache.set(1, for: "new")
    #expect(try cache.entry(for: "new")?.expiry.microseconds == 1_005_000_000)
    #expect(throws: HybridCacheError.self) {
      try cache.setMemoryLimits(MemoryCacheLimits(count: 0))
    }
    let memory = try HybridCache<String, Int>(
      configuration: HybridTestCaches.configuration(disk: nil, clock: clock))
    #expect(throws: HybridCacheError.self) { try memory.setDiskLimits(limits) }
    try memory.setMemoryLimits(MemoryCacheLimits(count: 4, age: .seconds(3)))
    try memory.set(1, for: "a")
    #expect(try memory.entry(for: "a")?.expiry.microseconds == 1_003_000_000)
  }
}
