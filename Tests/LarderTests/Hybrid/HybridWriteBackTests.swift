import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct HybridWriteBackTests {
  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    entriesMax: Int = 10, interval: Duration? = .seconds(5), memory: Int = 8
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(
      memory: memory, writes: .back(count: entriesMax, interval: interval), clock: clock)
    configuration.disk?.durability = .normal
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  /// Values that another process would find if this one were killed now.
  private func afterAKill(_ keys: [String]) throws -> [Int?] {
    let copy = NSTemporaryDirectory() + "larder-kill-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
    let disk = try DiskCache(path: copy, clock: clock)
    return try keys.map { key in
      try disk.value(for: key).map { try JSONDecoder().decode(Int.self, from: $0) }
    }
  }

  @Test func killLosesWaitingWritesAndRestoresOldValues() throws {
    let cache = try cache()
    try cache.set(1, for: "a")
    try cache.set(2, for: "b")
    #expect(cache.statistics.waitingWrites == 2)
    #expect(try afterAKill(["a", "b"]) == [nil, nil])
    try cache.flush()
    #expect(cache.statistics.waitingWrites == 0)
    #expect(try afterAKill(["a", "b"]) == [1, 2])
    try cache.set(10, for: "a")
    #expect(try afterAKill(["a", "b"]) == [1, 2])
    // A removal is not lost, even of a waiting entry.
    try cache.remove("b")
    #expect(try afterAKill(["a", "b"]) == [1, nil])
    try cache.remove("a")
    #expect(try afterAKill(["a", "b"]) == [nil, nil])
    #expect(cache.statistics.waitingWrites == 0)
    // Nor is a permanent entry.
    try cache.set(3, for: "p", options: DiskStoreOptions(isPermanent: true))
    #expect(try afterAKill(["p"]) == [3])
    try cache.set(4, for: "c")
    try cache.close()
    #expect(try afterAKill(["c", "p"]) == [4, 3])
  }

  @Test func writesOnceEnoughEntriesWait() throws {
    let cache = try cache(entriesMax: 3)
    try cache.set(1, for: "a")
    try cache.set(2, for: "b")
    try cache.set(20, for: "b")
    #expect(try afterAKill(["a", "b"]) == [nil, nil])
    try cache.set(3, for: "c")
    #expect(try afterAKill(["a", "b", "c"]) == [1, 20, 3])
    #expect(cache.statistics.disk?.stores == 3)
    #expect(cache.statistics.disk?.replacements == 0)
  }

  @Test func writesAfterTheInterval() throws {
    let cache = try cache()
    try cache.set(1, for: "a")
    clock.advance(seconds: 4)
    try cache.set(2, for: "b")
    #expect(cache.statistics.waitingWrites == 2)
    clock.advance(seconds: 1)
    // The next lookup on disk suffices.
    #expect(try cache.entry(for: "nothing") == nil)
    #expect(try afterAKill(["a", "b"]) == [1, 2])
    try cache.set(3, for: "c")
    clock.advance(seconds: 4)
    #expect(try cache.entry(for: "nothing") == nil)
    #expect(cache.statistics.waitingWrites == 1)
  }

  @Test func writesEvictedEntries() throws {
    let cache = try cache(entriesMax: 100, interval: nil, memory: 2)
    for number in 0..<5 { try cache.set(number, for: "\(number)") }
    #expect(cache.statistics.waitingWrites == 2)
    #expect(try afterAKill((0..<5).map { "\($0)" }) == [0, 1, 2, nil, nil])
    for number in 0..<5 { #expect(try cache.entry(for: "\(number)")?.value == number) }
  }

  @Test func waitingValueIsReturnedNeverTheOld() throws {
    let cache = try cache(entriesMax: 100, interval: nil)
    try cache.set(1, for: "a")
    try cache.flush()
    try cache.set(2, for: "a")
    cache.trimMemory(toCount: 0)
    #expect(try cache.contains("a"))
    let hit = try #require(try cache.entry(for: "a"))
    #expect(hit.value == 2)
    #expect(hit.tier == .disk)
    #expect(cache.statistics.waitingWrites == 0)
    try cache.set(3, for: "a", options: DiskStoreOptions(timeToLive: .seconds(5)))
    clock.advance(seconds: 5)
    #expect(try !cache.contains("a"))
    #expect(try cache.entry(for: "a") == nil)
    #expect(try afterAKill(["a"]) == [nil])
  }

  @Test func memoryPressureAndClosingWriteWaitingEntries() throws {
    var cache: HybridCache<String, Int>? = try cache(entriesMax: 100, interval: nil)
    try cache?.set(1, for: "a")
    cache?.handle(.warning)
    #expect(try afterAKill(["a"]) == [1])
    try cache?.set(2, for: "b")
    cache = nil
    #expect(try afterAKill(["a", "b"]) == [1, 2])
  }

  @Test func removingAllDropsWaitingWrites() throws {
    let cache = try cache()
    try cache.set(1, for: "a")
    try cache.removeAll()
    try cache.flush()
    #expect(try cache.entry(for: "a") == nil)
    #expect(cache.statistics.waitingWrites == 0)
    #expect(try afterAKill(["a"]) == [nil])
  }

  @Test func failedDelayedWriteIsReported() throws {
    let files = FaultyFiles()
    var configuration = HybridTestCaches.configuration(
      writes: .back(count: 2, interval: nil), clock: clock)
    configuration.disk?.inlineBytesMax = 2
    let cache = try HybridCache<String, Int>(
      path: folder.path, configuration: configuration, codec: .json, files: files)
    let told = Locked<[String]>([])
    let token = cache.onEvent { event in
      if case .failure(.disk) = event.kind { told.withLock { $0.append(event.key ?? "-") } }
    }
    files.set { $0.calls = ["write"] }
    try cache.set(1_000_000, for: "a")
    try cache.set(1, for: "b")
    #expect(told.withLock { $0 } == ["a"])
    #expect(cache.statistics.lostWrites == 1)
    #expect(cache.statistics.waitingWrites == 0)
    #expect(try cache.entry(for: "a")?.value == 1_000_000)
    #expect(throws: HybridCacheError.self) {
      try cache.set(2_000_000, for: "c")
      try cache.flush()
    }
    token.cancel()
  }
}
