import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Entries that expire some time after their last use.
@Suite struct DiskIdleTests {
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 1000)

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open(
    idle: Int? = 80, _ segmentBytes: Int? = nil, inline: Int = 100, policy: CachePolicy = .lru,
    files: any FileLayer = SystemFiles()
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: policy, limits: DiskLimits(freeBytes: 0), inlineBytesMax: inline,
        segmentBytes: segmentBytes, expireAfterAccess: idle.map { .seconds($0) }),
      clock: clock, files: files)
  }

  @Test(arguments: [0, 100], [CachePolicy.lru, .s3FIFO])
  func getsExtendTheLife(_ inline: Int, _ policy: CachePolicy) throws {
    let cache = try open(inline: inline, policy: policy)
    for key in ["a", "b"] { try cache.set(Data([1]), for: key) }
    for _ in 0..<5 {
      clock.advance(seconds: 79)
      #expect(try cache.value(for: "a") == Data([1]))
    }
    #expect(!(try cache.contains("b")))
    #expect(try cache.value(for: "b") == nil)
    #expect(cache.statistics.expirations == 1 && cache.count == 1)
    clock.advance(seconds: 79)
    // Neither `contains` nor `keys` is a use.
    #expect(try cache.contains("a") && cache.keys() == ["a"])
    clock.advance(seconds: 1)
    #expect(try cache.keys().isEmpty && cache.value(for: "a") == nil)
  }

  @Test func earliestExpiryCounts() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "a", options: DiskStoreOptions(timeToLive: .seconds(100)))
    clock.advance(seconds: 79)
    #expect(try cache.value(for: "a") != nil)
    clock.advance(seconds: 20)
    #expect(try cache.value(for: "a") != nil)
    clock.advance(seconds: 1)
    #expect(try cache.value(for: "a") == nil)
  }

  /// A get that reads a row without the lock writes the times of use before; the reader that it has
  /// claimed would wait for itself if that were a commit.
  @Test(.endsInTime) func getThatHasAReaderWritesTheTimes() throws {
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), durability: .none, expireAfterAccess: .seconds(80)
      ).with { $0.readersAfter = 0 }, clock: clock)
    try cache.set(Data([1]), for: "a")
    try cache.flush()
    let path = folder.path + "/snapshot"
    for _ in 0..<4 {
      let before = FileManager.default.contents(atPath: path)
      clock.advance(seconds: 20)
      #expect(try cache.value(for: "a") == Data([1]))
      #expect(FileManager.default.contents(atPath: path) != before)
    }
    #expect(cache.core.index?.readers.openCount == 1)
  }

  @Test func permanentEntriesStay() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "a", options: DiskStoreOptions(isPermanent: true))
    clock.advance(seconds: 10_000)
    #expect(try cache.value(for: "a") != nil)
  }

  @Test func storesAndRenewalsExtendTheLife() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "a")
    try cache.set(Data([1]), for: "b")
    clock.advance(seconds: 79)
    try cache.set(Data([2]), for: "a")
    try cache.renew("b")
    clock.advance(seconds: 79)
    #expect(try cache.contains("a") && cache.contains("b"))
    clock.advance(seconds: 1)
    #expect(try cache.removeExpired().count == 2)
  }

  @Test func expiredEntryIsReturnedOnRequest() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "a")
    clock.advance(seconds: 80)
    let entry = try cache.entry(for: "a", acceptingExpired: true)
    #expect(entry?.metadata.isExpired == true && entry?.metadata.expires == nil)
    var entries = cache.entries()
    #expect(try entries.next()?.metadata.isExpired == true)
    #expect(try cache.value(for: "a") == nil)
  }

  @Test func timesOfUseAreKeptAcrossARestart() throws {
    let cache = try open()
    for key in ["a", "b"] { try cache.set(Data([1]), for: key) }
    clock.advance(seconds: 70)
    #expect(try cache.value(for: "a") != nil)
    try cache.close()
    clock.advance(seconds: 20)
    let again = try open()
    #expect(try again.contains("a") && !again.contains("b"))
    clock.advance(seconds: 60)
    #expect(try !again.contains("a"))
    try again.close()
    // Without the option they are of no effect, and the order is read.
    let plain = try open(idle: nil)
    #expect(try plain.contains("a") && plain.contains("b"))
    try plain.close()
    // A file without times: entries count from when they were stored.
    #expect(try !open().contains("a"))
  }

  /// A crash loses at most an eighth of the idle time, without a write for each get.
  @Test func crashLosesAnEighthOfTheTime() throws {
    let files = FaultyFiles()
    let cache = try open(files: files)
    try cache.set(Data([1]), for: "a")
    let order = folder.path + "/snapshot"
    for second in 1...78 {
      clock.advance(seconds: 1)
      #expect(try cache.value(for: "a") != nil)
      let isWritten = FileManager.default.fileExists(atPath: order)
      #expect(isWritten == (second >= 10))
    }
    // The process ends here: the folder as it is now is opened.
    let copy = folder.path + ".copy"
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    func reopened() throws -> BlockingDiskCache {
      try BlockingDiskCache(
        path: copy,
        configuration: DiskConfiguration(
          limits: DiskLimits(freeBytes: 0), expireAfterAccess: .seconds(80)), clock: clock)
    }
    clock.advance(seconds: 70)
    let again = try reopened()
    #expect(try again.contains("a"))
    clock.advance(seconds: 10)
    #expect(try !again.contains("a"))
    withExtendedLifetime(cache) {}
  }

  @Test func failedWriteOfTimesIsNoError() throws {
    let files = FaultyFiles()
    let cache = try open(files: files)
    try cache.set(Data([1]), for: "a")
    files.set { $0.calls = ["write", "rename"] }
    for _ in 0..<5 {
      clock.advance(seconds: 40)
      #expect(try cache.value(for: "a") != nil)
    }
    try cache.close()
    files.set { $0.calls = [] }
    // As if it had not been used since it was stored.
    #expect(try !open().contains("a"))
  }

  @Test func timesFromTheFutureOrDamagedCountAsNone() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "a")
    clock.advance(seconds: 50)
    _ = try cache.value(for: "a")
    try cache.close()
    let order = URL(fileURLWithPath: folder.path + "/snapshot")
    let bytes = try Data(contentsOf: order)
    for place in 0..<bytes.count {
      var damaged = bytes
      damaged[place] ^= 0xff
      try damaged.write(to: order)
      clock.set(seconds: 1085)
      let again = try open()
      #expect(try !again.contains("a"))
      clock.set(seconds: 1050)
      #expect(try again.contains("a"))
      try again.close()
    }
    // The clock is set back behind the last use: the entry counts as used now.
    try bytes.write(to: order)
    clock.set(seconds: 1020)
    let again = try open()
    clock.set(seconds: 1099)
    #expect(try again.contains("a"))
    clock.set(seconds: 1100)
    #expect(try !again.contains("a"))
  }

  @Test func invalidIdleTimeIsAnError() {
    for duration in [Duration.zero, .seconds(-1), .nanoseconds(1)] {
      #expect(throws: DiskCacheError.self) {
        try BlockingDiskCache(
          path: folder.path, configuration: DiskConfiguration(expireAfterAccess: duration))
      }
    }
  }

  // MARK: In a hybrid cache

  private func hybrid(
    _ rules: HybridRules = HybridRules(), idle: Int = 80, memory: Int = 10
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(memory: memory, rules: rules, clock: clock)
    configuration.disk?.expireAfterAccess = .seconds(idle)
    configuration.revalidateWithin = .zero
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  @Test(arguments: [HybridRules(), HybridRules(inclusion: .exclusive)])
  func hitsInMemoryExtendTheLifeOnDisk(_ rules: HybridRules) throws {
    let cache = try hybrid(rules)
    for key in ["a", "b"] { try cache.set(1, for: key) }
    for _ in 0..<100 {
      clock.advance(seconds: 5)
      #expect(try cache.value(for: "a") == 1)
    }
    cache.trimMemory(toCount: 0)
    if rules.inclusion == .inclusive {
      #expect(try cache.value(for: "a") == 1)
      #expect(try cache.value(for: "b") == nil)
      #expect(cache.readStatistics().memory?.hits ?? 0 >= 45)
    }
  }

  @Test func unusedEntryExpiresInBothTiers() throws {
    let cache = try hybrid()
    try cache.set(1, for: "a")
    clock.advance(seconds: 80)
    #expect(try cache.value(for: "a") == nil)
    #expect(try cache.removeExpired().count + cache.diskCount == 0)
  }
}
