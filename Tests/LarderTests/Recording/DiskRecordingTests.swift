import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Recordings of disk and hybrid caches.
@Suite(.endsInTime)
struct DiskRecordingTests {
  let folder: ScratchFolder
  let path: String

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    path = folder.path + "/traffic.recorded"
  }

  @Test func aDiskCache() throws {
    let cache = try BlockingDiskCache(path: folder.path + "/cache")
    let recording = try cache.record(to: path, plainKeys: true)
    #expect(try cache.value(for: "a") == nil)
    try cache.set(
      Data(count: 300), for: "a",
      options: DiskStoreOptions(timeToLive: .milliseconds(90_500), fetchCost: 4))
    #expect(try cache.value(for: "a") != nil)
    let suite = DiskSuite<String>(cache, name: "names", codec: .text)
    try suite.set("x", for: "a")
    #expect(try suite.value(for: "a") == "x")
    try cache.remove("a")
    try cache.set(Data(count: 1), for: "p", options: DiskStoreOptions(isPermanent: true))
    try cache.set(Data(count: 1), for: "z", options: DiskStoreOptions(timeToLive: .zero))
    try cache.removeAll()
    #expect(throws: RecordingError.alreadyRecording(path: path)) {
      try cache.record(to: path + "2")
    }
    let statistics = recording.stop()
    let file = try RecordedFile(path: path)
    #expect(file.story == "g- s g+ s g+ r s r c" && file.hasEnd && file.gets == 3)
    #expect(statistics.gets == 3 && file.header.origin == .disk)
    #expect(file.events[1].size == 300 && file.events[1].lifetime == 90_500)
    #expect(file.events[1].cost == 4 && file.events[2].size == 300)
    let texts = file.events.prefix(6).map { file.texts[$0.key] }
    #expect(texts == ["a", "a", "a", "names/a", "names/a", "a"])
  }

  /// The cache closes although its stopped recording is kept.
  @Test func stoppedRecordingReleasesTheCache() throws {
    func hybrid() throws -> CacheRecording {
      let disk = try DiskCache(BlockingDiskCache(path: folder.path + "/cache"))
      let cache = try HybridCache<String, String>(
        configuration: HybridTestCaches.configuration(memory: nil), disk: disk)
      let recording = try cache.record(to: path)
      recording.stop()
      return recording
    }
    let recording = try hybrid()
    try BlockingDiskCache(path: folder.path + "/cache").close()
    #expect(recording.statistics.hasEnded)
  }

  /// Texts of keys are written even if only the writer is left.
  @Test func textsOfADestroyedCacheAreWritten() throws {
    for round in 0..<5 {
      let path = "\(path) \(round)"
      var cache: BlockingDiskCache? = try BlockingDiskCache(path: folder.path + "/cache")
      var recording = try cache?.record(to: path, plainKeys: true)
      let writer = try #require(recording).writer
      recording = nil
      for key in 0..<100 { _ = try cache?.value(for: "key \(key)") }
      cache = nil
      writer.wait()
      let file = try RecordedFile(path: path)
      #expect(file.hasEnd && file.events.count == 100)
      #expect(Set(file.texts.values) == Set((0..<100).map { "key \($0)" }))
    }
  }

  @Test func aDiskCacheThatIsDestroyed() throws {
    var cache: BlockingDiskCache? = try BlockingDiskCache(path: folder.path + "/cache")
    let recording = try cache?.record(to: path, sampling: 0.5)
    for key in 0..<400 { _ = try cache?.value(for: "\(key)") }
    cache = nil
    let statistics = try #require(recording).stop()
    #expect(statistics.gets == 400 && (130...270).contains(statistics.written))
  }

  private func hybrid(
    memory: MemoryTier?, disk: Bool = true, _ rules: HybridRules = HybridRules()
  ) throws -> HybridCache<String, String> {
    var configuration = HybridCacheConfiguration()
    configuration.memory = memory
    configuration.disk = disk ? DiskConfiguration() : nil
    configuration.rules = rules
    return try HybridCache(path: folder.path + "/cache", configuration: configuration)
  }

  private static func memory(_ policy: String, count: Int) -> MemoryTier {
    MemoryTier(
      limits: MemoryCacheLimits(count: count), policy: CachePolicy(policy))
  }

  /// A get is recorded once, whichever tier answers; moves between tiers are not.
  @Test(arguments: ["lru", "s3-fifo"])
  func aHybridCache(_ policy: String) throws {
    let cache = try hybrid(memory: Self.memory(policy, count: 1))
    let recording = try cache.record(to: path, plainKeys: true)
    #expect(try cache.entry(for: "a") == nil)
    try cache.set("four", for: "a")
    #expect(try cache.entry(for: "a")?.tier == .memory)
    try cache.set("longer", for: "b", options: DiskStoreOptions(timeToLive: .seconds(10)))
    // Memory has room for one.
    #expect(try cache.entry(for: "a")?.tier == .disk)
    #expect(try cache.remove("a"))
    try cache.removeAll()
    let statistics = recording.stop()
    let file = try RecordedFile(path: path)
    #expect(file.story == "g- s g+ s g- f r c" && file.gets == 3 && statistics.gets == 3)
    #expect(file.header.origin == .hybrid)
    #expect(file.events[1].size == 4 && file.events[3].size == 6 && file.events[5].size == 4)
    #expect(file.events[3].lifetime == 10_000)
    #expect(file.events.dropLast().allSatisfy { file.texts[$0.key] != nil })
  }

  @Test func anExclusiveHybridCache() throws {
    let cache = try hybrid(
      memory: Self.memory("lru", count: 1), HybridRules(inclusion: .exclusive))
    let recording = try cache.record(to: path)
    for key in ["a", "b", "a"] where try cache.entry(for: key) == nil {
      try cache.set(key, for: key)
    }
    recording.stop()
    #expect(try RecordedFile(path: path).story == "g- s g- s g- f")
  }

  @Test func aHybridCacheWithoutMemory() throws {
    let cache = try hybrid(memory: nil)
    let recording = try cache.record(to: path, plainKeys: true)
    #expect(try cache.entry(for: "a") == nil)
    try cache.set("four", for: "a")
    #expect(try cache.entry(for: "a") != nil)
    try cache.remove("a")
    try cache.removeAll()
    recording.stop()
    let file = try RecordedFile(path: path)
    #expect(file.story == "g- s g+ r c" && file.gets == 2)
    #expect(file.events[1].size == 4 && file.events[2].size == 4)
    #expect(Set(file.texts.values) == ["a"])
  }

  @Test(arguments: [true, false])
  func fetches(_ hasMemory: Bool) async throws {
    let cache = try hybrid(memory: hasMemory ? Self.memory("s3-fifo", count: 10) : nil)
    let recording = try cache.record(to: path)
    for _ in 0..<3 {
      let value = try await cache.value(for: "a") { _ in "value" }
      #expect(value == "value")
    }
    _ = await cache.result(for: "none") { _ in .absent }
    recording.stop()
    let file = try RecordedFile(path: path)
    // A fetched value is stored by another thread, whose time is known less exactly.
    #expect(file.story.split(separator: " ").sorted() == ["g+", "g+", "g-", "g-", "r", "s"])
    #expect(file.events.first?.outcome == .miss)
    #expect(file.events.first { $0.kind == .set }?.size == 5)
  }
}
