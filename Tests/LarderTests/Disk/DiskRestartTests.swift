import Foundation
import Testing

@testable import Larder

/// State of the policy after the cache was closed and reopened.
@Suite struct DiskRestartTests {
  private let clock = ManualClock(seconds: 1_000)

  private func open(_ folder: ScratchFolder, _ policy: String) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: CachePolicy(policy), limits: DiskLimits(count: 30, freeBytes: 0),
        durability: .none),
      clock: clock)
  }

  private func step(_ cache: BlockingDiskCache, _ random: inout TestRandom) throws {
    let key = "\(min(random.below(70), random.below(70)))"
    if random.below(3) > 0, try cache.value(for: key) != nil { return }
    try cache.set(
      Data(key.utf8), for: key,
      options: DiskStoreOptions(timeToLive: .seconds(500 + random.below(500))))
  }

  private func keys(_ cache: BlockingDiskCache) throws -> [Int] {
    try (0..<70).filter { try cache.contains("\($0)") }
  }

  @Test(arguments: ["fifo", "lru", "mru", "ttl"])
  func ordersOfStoringAndUseAreExact(policy: String) throws {
    let (one, other) = (try ScratchFolder(), try ScratchFolder())
    let kept = try open(one, policy)
    var reopened = try open(other, policy)
    var (random, same) = (TestRandom(seed: 3), TestRandom(seed: 3))
    for round in 0..<12 {
      for _ in 0..<60 {
        try step(kept, &random)
        try step(reopened, &same)
      }
      #expect(try keys(kept) == keys(reopened), "round \(round)")
      try reopened.close()
      reopened = try open(other, policy)
    }
    #expect(kept.statistics.evictions > 100)
  }

  /// The order of use is a hint: no get waits for it.
  @Test func orderIsWrittenByStoresAndNotByGets() throws {
    let folder = try ScratchFolder(isSmall: true)
    let cache = try open(folder, "lru")
    try cache.set(Data([1]), for: "a")
    let path = folder.path + "/snapshot"
    cache.core.sequence += 1 << 20
    for _ in 0..<10 { #expect(try cache.value(for: "a") != nil) }
    #expect(!FileManager.default.fileExists(atPath: path))
    try cache.set(Data([1]), for: "b")
    #expect(FileManager.default.fileExists(atPath: path) && cache.core.writing == nil)
  }

  @Test(arguments: Policies.executable + ["la-cache:admission=second"])
  func allEntriesSurviveARestart(policy: String) throws {
    let folder = try ScratchFolder()
    var cache = try open(folder, policy)
    var random = TestRandom(seed: 8)
    for _ in 0..<5 {
      for _ in 0..<100 { try step(cache, &random) }
      let before = try keys(cache)
      try cache.close()
      cache = try open(folder, policy)
      #expect(try keys(cache) == before)
      #expect(cache.count == before.count)
    }
  }

  @Test func usesCountForFrequencyPolicies() throws {
    let folder = try ScratchFolder()
    var cache = try open(folder, "lfu")
    for key in 0..<30 { try cache.set(Data(), for: "\(key)") }
    for key in 0..<10 {
      for _ in 0..<5 { _ = try cache.value(for: "\(key)") }
    }
    try cache.close()
    cache = try open(folder, "lfu")
    for key in 30..<60 { try cache.set(Data(), for: "\(key)") }
    #expect(try keys(cache).prefix(10) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  }

  @Test func lowerLimitsHoldFromTheStart() throws {
    let folder = try ScratchFolder()
    let cache = try open(folder, "lru")
    for key in 0..<30 { try cache.set(Data(count: 30_000), for: "\(key)") }
    _ = try cache.value(for: "0")
    try cache.close()
    let small = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: 60_000, freeBytes: 0)
      ).countingValuesAlone,
      clock: clock)
    #expect(try keys(small) == [0, 29])
    #expect(try folder.valueFiles().count == 2)
  }

  @Test func damagedSnapshotIsIgnored() throws {
    let folder = try ScratchFolder()
    let cache = try open(folder, "lru")
    for key in 0..<30 { try cache.set(Data(), for: "\(key)") }
    _ = try cache.value(for: "0")
    try cache.close()
    let path = URL(fileURLWithPath: folder.path + "/snapshot")
    var order = try Data(contentsOf: path)
    order[order.count - 3] ^= 1
    try order.write(to: path)
    let again = try open(folder, "lru")
    try again.set(Data(), for: "30")
    #expect(try keys(again) == Array(1...30))
  }
}
