import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct HybridCacheTests {
  let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  private func cache(
    _ configuration: HybridCacheConfiguration = HybridTestCaches.configuration()
  ) throws -> HybridCache<String, Int> {
    try HybridCache(path: folder.path, configuration: configuration)
  }

  @Test func hitReportsTierAndMetadata() throws {
    let clock = ManualClock(seconds: 50)
    let cache = try cache(HybridTestCaches.configuration(memory: 1, clock: clock))
    try cache.set(
      1, for: "a",
      options: DiskStoreOptions(timeToLive: .seconds(9), version: "v1", contentType: "t"))
    clock.set(seconds: 52)
    for tier in [HybridTier.memory, .disk] {
      let hit = try #require(try cache.entry(for: "a"))
      #expect(hit.value == 1)
      #expect(hit.tier == tier)
      #expect(hit.version == "v1")
      #expect(hit.contentType == "t")
      #expect(hit.creation == 50_000_000)
      #expect(hit.expiry.microseconds == 59_000_000)
      #expect(hit.freshness == .fresh)
      #expect(!hit.isPermanent)
      try cache.set(2, for: "b")
    }
    clock.set(seconds: 59)
    #expect(try cache.entry(for: "a") == nil)
    #expect(try cache.entry(for: "b")?.expiry == .never)
  }

  /// Megabytes and lifetimes of values, each with the result of its set.
  private static let sets: [(HybridRules, [(key: String, size: Int, seconds: Int64, Bool)])] = [
    // Too large for memory, and too short-lived for disk.
    (
      HybridRules(placement: HybridRules.Placement()), [("a", 1, 1_000, true), ("a", 5, 10, false)]
    ),
    // Too long-lived for memory, and too large for disk.
    (
      HybridRules(placement: HybridRules.Placement()),
      [("a", 1, 10, true), ("a", 9, 10_000, false)]
    ),
    // Memory evicts it at once, and disk has it.
    (
      HybridRules(inclusion: .exclusive),
      [("a", 1, 1_000, true), ("b", 1, 1_000, true), ("a", 3, 1_000, true)]
    ),
  ]

  @Test(arguments: sets)
  func setTellsWhetherATierHasTheValue(
    rules: HybridRules, sets: [(key: String, size: Int, seconds: Int64, Bool)]
  ) throws {
    var configuration = HybridTestCaches.configuration(rules: rules)
    configuration.memory = MemoryTier(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(weight: 7 << 19), policy: "fifo", shards: 1))
    configuration.disk?.limits.bytes = 8 << 20
    let cache = try HybridCache<String, Data>(path: folder.path, configuration: configuration)
    for (key, size, seconds, isThere) in sets {
      let options = DiskStoreOptions(timeToLive: .seconds(seconds))
      #expect(try cache.set(Data(count: size << 20), for: key, options: options) == isThere)
      #expect(try cache.contains(key) == isThere)
    }
  }

  @Test func keepsEntriesAcrossARestart() throws {
    var first: HybridCache<String, Int>? = try cache()
    try first?.set(1, for: "a", options: DiskStoreOptions(version: "v"))
    try first?.close()
    first = nil
    let again = try cache()
    let hit = try #require(try again.entry(for: "a"))
    #expect(hit.tier == .disk)
    #expect(hit.version == "v")
    #expect(try again.entry(for: "a")?.tier == .memory)
  }

  @Test func oneTierAlone() throws {
    let inMemory = try HybridCache<String, Int>(
      configuration: HybridTestCaches.configuration(disk: nil))
    try inMemory.set(1, for: "a")
    #expect(try inMemory.entry(for: "a")?.tier == .memory)
    #expect(try inMemory.entry(for: "b") == nil)
    for number in 0..<9 { try inMemory.set(number, for: "\(number)") }
    #expect(try inMemory.entry(for: "a") == nil)
    try inMemory.close()

    let onDisk = try cache(HybridTestCaches.configuration(memory: nil))
    try onDisk.set(1, for: "a")
    #expect(try onDisk.entry(for: "a")?.tier == .disk)
    #expect(try onDisk.entry(for: "a")?.tier == .disk)
    #expect(try onDisk.remove("a"))
    #expect(try onDisk.entry(for: "a") == nil)
  }

  @Test func contradictoryConfigurationIsRejected() throws {
    let noTier = HybridTestCaches.configuration(memory: nil, disk: nil)
    let withoutPath = HybridTestCaches.configuration()
    let error = #expect(throws: HybridCacheError.self) { try cache(noTier) }
    guard case .configuration = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: HybridCacheError.self) {
      try HybridCache<String, Int>(configuration: withoutPath)
    }
    var wrong = HybridTestCaches.configuration()
    wrong.memory?.policy = "nothing"
    #expect(throws: HybridCacheError.self) { try cache(wrong) }
  }

  // MARK: Permanent entries

  @Test(arguments: HybridRules.Inclusion.allCases)
  func permanentEntriesAreAlwaysOnDisk(inclusion: HybridRules.Inclusion) throws {
    let placement = HybridRules.Placement(memoryOnlyBelowSeconds: 10, diskOnlyFromSeconds: 20)
    for rules in [
      HybridRules(inclusion: inclusion),
      HybridRules(inclusion: inclusion, placement: placement),
    ] {
      let folder = try ScratchFolder()
      let cache = try HybridCache<String, Int>(
        path: folder.path, configuration: HybridTestCaches.configuration(rules: rules))
      try cache.set(
        1, for: "p", options: DiskStoreOptions(timeToLive: .seconds(1), isPermanent: true))
      #expect(cache.diskCount == 1)
      for number in 0..<60 { try cache.set(number, for: "\(number)") }
      // Evicted from memory; a permanent entry stays on disk, and promoting it leaves it there.
      for _ in 0..<3 {
        let hit = try #require(try cache.entry(for: "p"))
        #expect(hit.value == 1)
        #expect(hit.isPermanent)
        #expect(hit.expiry == .never)
      }
      try cache.removeAll()
      try cache.removeExpired()
      #expect(try cache.entry(for: "p")?.value == 1)
      #expect(cache.diskCount == 1)
      cache.handle(.critical)
      #expect(try cache.entry(for: "p")?.tier == .disk)
      #expect(try cache.remove("p"))
      #expect(try cache.entry(for: "p") == nil)
      try cache.set(2, for: "p", options: DiskStoreOptions(isPermanent: true))
      try cache.removeAll(includingPermanent: true)
      #expect(try cache.entry(for: "p") == nil)
    }
  }

  // MARK: Rules

  @Test func exclusiveEntriesAreInOneTier() throws {
    let cache = try cache(
      HybridTestCaches.configuration(memory: 2, rules: HybridRules(inclusion: .exclusive)))
    for number in 0..<5 { try cache.set(number, for: "\(number)") }
    #expect(cache.memoryCount == 2)
    #expect(cache.diskCount == 3)
    #expect(try cache.entry(for: "0")?.tier == .disk)
    #expect(cache.memoryCount == 2)
    #expect(cache.diskCount == 3)
    #expect(try cache.entry(for: "0")?.tier == .memory)
    #expect(cache.readStatistics().promotions == 1)
    #expect(cache.readStatistics().demotions == 4)
  }

  @Test func placementUsesTheRemainingLifetime() throws {
    let clock = ManualClock(seconds: 1000)
    let placement = HybridRules.Placement()
    let cache = try cache(
      HybridTestCaches.configuration(rules: HybridRules(placement: placement), clock: clock))
    try cache.set(1, for: "short", options: DiskStoreOptions(timeToLive: .seconds(299)))
    #expect(cache.memoryCount == 1)
    #expect(cache.diskCount == 0)
    try cache.set(2, for: "middle", options: DiskStoreOptions(timeToLive: .seconds(300)))
    #expect(cache.memoryCount == 2)
    #expect(cache.diskCount == 1)
    try cache.set(3, for: "long", options: DiskStoreOptions(timeToLive: .seconds(3600)))
    try cache.set(4, for: "ever")
    #expect(cache.memoryCount == 2)
    #expect(cache.diskCount == 3)
    #expect(try cache.entry(for: "long")?.tier == .disk)
    #expect(try cache.entry(for: "long")?.tier == .disk)
    // A second later its remaining lifetime is below an hour: the next hit promotes it.
    clock.advance(seconds: 1)
    #expect(try cache.entry(for: "long")?.tier == .disk)
    #expect(try cache.entry(for: "long")?.tier == .memory)
    #expect(try cache.entry(for: "ever")?.tier == .disk)
    #expect(try cache.entry(for: "ever")?.tier == .disk)
    // A set removes it from the tier where it is no longer allowed.
    try cache.set(5, for: "long")
    #expect(try cache.entry(for: "long")?.tier == .disk)
    try cache.set(6, for: "long", options: DiskStoreOptions(timeToLive: .seconds(5)))
    #expect(try cache.entry(for: "long")?.tier == .memory)
    cache.handle(.warning)
    #expect(try cache.entry(for: "long") == nil)
  }

  // MARK: Cleaning

  @Test func memoryPressureEmptiesMemoryAndKeepsDisk() throws {
    for level in MemoryPressureLevel.allCases {
      let folder = try ScratchFolder()
      let cache = try HybridCache<Int, Int>(
        path: folder.path, configuration: HybridTestCaches.configuration())
      for number in 0..<4 { try cache.set(number, for: number) }
      #expect(cache.handle(level) == 4)
      #expect(cache.memoryCount == 0)
      #expect(cache.diskCount == 4)
      #expect(cache.readStatistics().memory?.pressure == 4)
      #expect(try cache.entry(for: 2)?.tier == .disk)
    }
    var kept = HybridTestCaches.configuration()
    kept.pressureRule = MemoryPressureRule(keptOnWarning: 0.5, keptWhenCritical: 0.25)
    let cache = try HybridCache<Int, Int>(path: folder.path, configuration: kept)
    for number in 0..<4 { try cache.set(number, for: number) }
    #expect(cache.handle(.warning) == 2)
    #expect(cache.memoryCount == 2)
  }

  @Test func cleaningReportsFreedSpace() throws {
    let clock = ManualClock(seconds: 1000)
    let cache = try cache(HybridTestCaches.configuration(clock: clock))
    for number in 0..<3 {
      try cache.set(
        number, for: "\(number)", options: DiskStoreOptions(timeToLive: .seconds(10)))
    }
    clock.advance(seconds: 5)
    try cache.set(7, for: "late")
    clock.advance(seconds: 5)
    let expired = try cache.removeExpired()
    #expect(expired.memoryCount == 3)
    #expect(expired.count == 3)
    #expect(expired.valueBytes == 3)
    #expect(try cache.entry(for: "late")?.value == 7)
    let all = try cache.removeAll()
    #expect(all.memoryCount == 1)
    #expect(all.count == 1)
    #expect(try cache.entry(for: "late") == nil)

    for number in 0..<4 { try cache.set(number, for: "\(number)") }
    #expect(cache.trimMemory(toCount: 1) == 3)
    #expect(try cache.trimDisk(toCount: 2).count == 2)
    #expect(cache.memoryCount == 1)
    #expect(cache.diskCount == 2)
    clock.advance(seconds: 100)
    #expect(try cache.trim(toAge: .seconds(50)).count == 2)
    #expect(cache.memoryCount == 0)
  }

  /// The age is that of the value, not of its copy in memory.
  @Test func trimmingByAgeRemovesPromotedEntries() throws {
    let clock = ManualClock(seconds: 1000)
    for rules in [HybridRules(), HybridRules(inclusion: .exclusive)] {
      let folder = try ScratchFolder()
      let cache = try HybridCache<Int, Int>(
        path: folder.path,
        configuration: HybridTestCaches.configuration(memory: 1, rules: rules, clock: clock))
      try cache.set(1, for: 1)
      try cache.set(2, for: 2)
      clock.advance(seconds: 100)
      #expect(try cache.entry(for: 1)?.tier == .disk)
      #expect(try cache.entry(for: 1)?.tier == .memory)
      #expect(try cache.trim(toAge: .seconds(101)).memoryCount == 0)
      #expect(try cache.trim(toAge: .seconds(100)).memoryCount == 1)
      #expect(cache.memoryCount + cache.diskCount == 0)
      try cache.set(3, for: 3, options: DiskStoreOptions(isPermanent: true))
      clock.advance(seconds: 100)
      try cache.trim(toAge: .seconds(1))
      #expect(try cache.entry(for: 3)?.value == 3)
    }
  }

  @Test func entryWithoutLifetimeIsMissing() throws {
    let clock = ManualClock(seconds: 1000)
    for disk in [40, nil] {
      let folder = try ScratchFolder()
      let cache = try HybridCache<String, Int>(
        path: folder.path,
        configuration: HybridTestCaches.configuration(disk: disk, clock: clock))
      try cache.set(1, for: "a")
      for life in [Duration.zero, .seconds(-1)] {
        try cache.set(2, for: "a", options: DiskStoreOptions(timeToLive: life))
        #expect(try cache.entry(for: "a") == nil)
        #expect(cache.memoryCount + cache.diskCount == 0)
      }
    }
  }

  // MARK: Closing

  @Test func closingTwiceIsClosingOnce() throws {
    let own = try cache()
    try own.set(1, for: "a")
    try own.close()
    try own.close()
    let disk = try BlockingDiskCache(path: folder.path, clock: ManualClock(seconds: 1000))
    let shared = try HybridCache<String, Int>(
      configuration: HybridTestCaches.configuration(), disk: DiskCache(disk))
    #expect(try shared.entry(for: "a")?.value == 1)
    try shared.close()
    try disk.close()
    try shared.close()
    let memory = try HybridCache<String, Int>(
      configuration: HybridTestCaches.configuration(disk: nil))
    try memory.close()
    try memory.close()
  }

  // MARK: Sharing

  @Test func suiteIsUsedByOneHybridCache() throws {
    let disk = try BlockingDiskCache(path: folder.path, clock: ManualClock(seconds: 5))
    var configuration = HybridTestCaches.configuration()
    configuration.suite = "one"
    let first = try HybridCache<String, Int>(configuration: configuration, disk: DiskCache(disk))
    #expect(throws: HybridCacheError.self) {
      try HybridCache<String, Int>(configuration: configuration, disk: DiskCache(disk))
    }
    // A rejected cache does not affect the suite's owner.
    try first.set(1, for: "a")
    #expect(throws: HybridCacheError.self) {
      try HybridCache<String, Int>(configuration: configuration, disk: DiskCache(disk))
    }
    try first.close()
    var second: HybridCache<String, Int>? = try HybridCache(
      configuration: configuration, disk: DiskCache(disk))
    #expect(try second?.entry(for: "a")?.value == 1)
    // The first one no longer owns it.
    #expect(throws: HybridCacheError.self) { try first.set(2, for: "a") }
    first.handle(.critical)
    #expect(throws: HybridCacheError.self) { try first.entry(for: "a") }
    #expect(try second?.entry(for: "a")?.value == 1)
    second = nil
    let third = try HybridCache<String, Int>(configuration: configuration, disk: DiskCache(disk))
    #expect(try third.entry(for: "a")?.value == 1)
  }

  @Test func cleaningLeavesOtherSuitesAlone() throws {
    let clock = ManualClock(seconds: 1000)
    let disk = try BlockingDiskCache(path: folder.path, clock: clock)
    var configuration = HybridTestCaches.configuration(clock: clock)
    configuration.suite = "one"
    let first = try HybridCache<String, Int>(configuration: configuration, disk: DiskCache(disk))
    for suite in ["one", "two"] {
      try disk.set(Data("1".utf8), for: "old", suite: suite)
      try disk.set(
        Data("1".utf8), for: "short", suite: suite,
        options: DiskStoreOptions(timeToLive: .seconds(10)))
    }
    clock.advance(seconds: 100)
    #expect(try first.removeExpired().count == 1)
    #expect(try first.trim(toAge: .seconds(50)).count == 1)
    #expect(try disk.suites().map(\.count) == [0, 0, 2])
  }

  @Test func suitesOfOneDiskDoNotMix() throws {
    let disk = try BlockingDiskCache(path: folder.path, clock: ManualClock(seconds: 5))
    var one = HybridTestCaches.configuration()
    one.suite = "one"
    var two = one
    two.suite = "two"
    let first = try HybridCache<String, Int>(configuration: one, disk: DiskCache(disk))
    let second = try HybridCache<String, String>(configuration: two, disk: DiskCache(disk))
    try first.set(1, for: "a")
    try second.set("x", for: "a")
    first.handle(.critical)
    second.handle(.critical)
    #expect(try first.entry(for: "a")?.value == 1)
    #expect(try second.entry(for: "a")?.value == "x")
    try first.removeAll()
    #expect(try first.entry(for: "a") == nil)
    #expect(try second.entry(for: "a")?.value == "x")
    try first.close()
    // An emptied suite leaves no name.
    #expect(try disk.suites().map(\.name) == ["", "two"])
  }

  @Test func aValueOfAnotherTypeIsAMiss() throws {
    let disk = try BlockingDiskCache(path: folder.path, clock: ManualClock(seconds: 5))
    try disk.set(Data("nonsense".utf8), for: "a")
    let cache = try HybridCache<String, [Int]>(
      configuration: HybridTestCaches.configuration(), disk: DiskCache(disk))
    #expect(try cache.entry(for: "a") == nil)
    #expect(disk.statistics.undecodables == 1)
    #expect(disk.count == 0)
  }

  @Test func unencodableValueChangesNothing() throws {
    let cache = try HybridCache<String, Double>(
      path: folder.path, configuration: HybridTestCaches.configuration())
    try cache.set(1, for: "a")
    #expect(throws: HybridCacheError.self) { try cache.set(.nan, for: "a") }
    #expect(try cache.entry(for: "a")?.value == 1)
  }
}
