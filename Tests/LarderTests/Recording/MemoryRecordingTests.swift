import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Recordings of memory caches.
@Suite(.endsInTime)
struct MemoryRecordingTests {
  /// With and without lock-free gets.
  static let policies = ["lru", "s3-fifo"]

  let folder: ScratchFolder
  let path: String

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    path = folder.path + "/traffic.recorded"
  }

  private func cache(
    _ policy: String, _ limits: MemoryCacheLimits = MemoryCacheLimits(count: 100)
  ) throws -> MemoryCache<String, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(limits: limits, policy: CachePolicy(policy), shards: 1),
      weigh: { _ in 1 })
  }

  @Test(arguments: policies)
  func everyOperationIsRecorded(_ policy: String) throws {
    let cache = try cache(policy, MemoryCacheLimits(weight: 1000))
    let recording = try cache.record(to: path)
    #expect(recording.path == path && recording.sampling == 1)
    _ = cache.value(for: "a")
    cache.set(1, for: "a", weight: 30, timeToLive: .seconds(60), fetchCost: 2.5)
    _ = cache.value(for: "a")
    _ = cache["b"]
    cache["b"] = 2
    cache.remove("a")
    cache.set(3, for: "a", timeToLive: .zero)
    _ = cache.contains("a")
    cache.set(4, for: "p", timeToLive: .zero, isPermanent: true)
    cache.removeAll()
    let statistics = recording.stop()
    let file = try RecordedFile(path: path)
    #expect(file.story == "g- s g+ g- s r r s c")
    #expect(file.events[7].lifetime == nil)
    #expect(file.hasEnd && file.rest == 0 && file.gets == 3)
    #expect(file.events[1].size == 30 && file.events[1].lifetime == 60_000)
    #expect(file.events[1].cost == 2.5 && file.events[4].cost == nil)
    #expect(file.events[4].size == 1 && file.events[4].lifetime == nil)
    let keys = file.events.map(\.key)
    #expect(keys[0] == keys[1] && keys[0] == keys[5] && keys[3] == keys[4] && keys[0] != keys[3])
    #expect(zip(file.events, file.events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(file.header.origin == .memory && file.header.keys == .keyed)
    #expect(abs(Double(file.header.began) / 1e6 - Date().timeIntervalSince1970) < 3600)
    #expect(statistics.written == 9 && statistics.lost == 0 && statistics.gets == 3)
    #expect(statistics.hasEnded && statistics.error == nil && statistics.droppedBlocks == 0)
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64
    #expect(size == statistics.bytes)
  }

  @Test(arguments: policies)
  func updatesAndLoadsAreRecordedWithTheirEffect(_ policy: String) async throws {
    let clock = ManualClock(seconds: 1000)
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(weight: 100), policy: CachePolicy(policy), shards: 1,
        clock: clock),
      weigh: { $0 })
    let recording = try cache.record(to: path)
    cache.set(1, for: "a", timeToLive: .seconds(60))
    clock.advance(seconds: 10)
    cache.update("a") { $0 = 2 }
    // Too large, and removed by a reload.
    _ = try await cache.value(for: "b") { _ in 500 }
    cache.refresh("a") { _ in nil }
    while cache.loads.isLoading("a") { await Task.yield() }
    recording.stop()
    let file = try RecordedFile(path: path)
    #expect(file.story == "s s g- s r")
    #expect(file.events.map(\.lifetime) == [60_000, 50_000, nil, nil, nil])
    #expect(file.events.dropFirst(3).first?.size == 500)
  }

  @Test(arguments: policies)
  func nothingIsRecordedBeforeAndAfter(_ policy: String) throws {
    let cache = try cache(policy)
    _ = cache.value(for: "a")
    let recording = try cache.record(to: path)
    _ = cache.value(for: "b")
    recording.stop()
    _ = cache.value(for: "c")
    let again = recording.stop()
    #expect(again.written == 1 && again.gets == 1)
    #expect(try RecordedFile(path: path).story == "g-")
    // And then to another file.
    let second = try cache.record(to: path + "2")
    _ = cache.value(for: "b")
    _ = cache.value(for: "c")
    second.stop()
    #expect(try RecordedFile(path: path + "2").story == "g- g-")
  }

  @Test func onlyOneRecordingAtATime() throws {
    let cache = try cache("lru")
    let first = try cache.record(to: path)
    #expect(throws: RecordingError.alreadyRecording(path: path)) {
      try cache.record(to: path + "2")
    }
    #expect(!FileManager.default.fileExists(atPath: path + "2"))
    first.stop()
    try cache.record(to: path + "2").stop()
  }

  @Test(arguments: [0, -1, 1.5, Double.nan, .infinity, 1e-12])
  func sharesAreChecked(_ sampling: Double) throws {
    let cache = try cache("lru")
    let error = #expect(throws: RecordingError.self) {
      try cache.record(to: path, sampling: sampling)
    }
    guard case .sampling = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(error?.description.contains("out of range") ?? false)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func existingFileIsNeverOverwritten() throws {
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    let cache = try cache("lru")
    #expect(throws: RecordingError.exists(path: path)) { try cache.record(to: path) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    let missing = folder.path + "/missing/file"
    let error = #expect(throws: RecordingError.self) { try cache.record(to: missing) }
    #expect(error?.description.contains(missing) ?? false)
    #expect(throws: RecordingError.self) { try cache.record(to: path + "2\0") }
    // The cache can be recorded nevertheless.
    try cache.record(to: path + "2").stop()
  }

  @Test func onlyTheOwnerMayRead() throws {
    try cache("lru").record(to: path).stop()
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? Int ?? 0) & 0o777 == 0o600)
  }

  @Test(arguments: policies)
  func keyedFilesHoldNoKey(_ policy: String) throws {
    let cache = try cache(policy)
    let recording = try cache.record(to: path)
    let keys = (0..<200).map { "secret-name-\($0)" }
    for key in keys {
      _ = cache.value(for: key)
      cache.set(1, for: key)
    }
    recording.stop()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(bytes.range(of: Data("secret".utf8)) == nil)
    // Nor does the file contain the cache's own hash of a key, which could be computed.
    let hashes = Set(keys.map { cache.hasher.hash($0) })
    let file = try RecordedFile(path: path)
    #expect(file.texts.isEmpty && Set(file.events.map(\.key)).count == 200)
    #expect(hashes.isDisjoint(with: file.events.map(\.key)))
  }

  @Test(arguments: policies)
  func plainFilesHoldEachKeyOnce(_ policy: String) throws {
    let cache = try cache(policy)
    let recording = try cache.record(to: path, plainKeys: true)
    for _ in 0..<3 {
      for key in ["a", "Grüße", ""] {
        _ = cache.value(for: key)
        cache.set(1, for: key)
      }
    }
    cache.remove("only removed")
    recording.stop()
    let file = try RecordedFile(path: path)
    #expect(file.header.keys == .plain)
    #expect(Set(file.texts.values) == ["a", "Grüße", "", "only removed"])
    #expect(file.events.prefix(2).map { file.texts[$0.key] } == ["a", "a"])
    #expect(file.events.allSatisfy { file.texts[$0.key] != nil })
  }

  private struct Nameless: Hashable, Sendable { var number: Int }

  @Test func keysWithoutTextCannotBePlain() throws {
    let cache = MemoryCache<Nameless, Int>(count: 10)
    #expect(throws: RecordingError.keysWithoutText(type: "Nameless")) {
      try cache.record(to: path, plainKeys: true)
    }
    try cache.record(to: path).stop()
    let numbers = MemoryCache<Int, Int>(count: 10)
    let recording = try numbers.record(to: path + "2", plainKeys: true)
    _ = numbers.value(for: 17)
    recording.stop()
    #expect(try RecordedFile(path: path + "2").texts.values.map { $0 } == ["17"])
  }

  /// All operations on some keys, and none on others.
  @Test(arguments: policies)
  func samplesAreSpatial(_ policy: String) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 1000), policy: CachePolicy(policy), shards: 4))
    let recording = try cache.record(to: path, sampling: 0.1)
    for _ in 0..<3 {
      for key in 0..<10_000 {
        if key % 1000 == 0 { recording.catchUp() }
        _ = cache.value(for: key)
        cache.set(key, for: key)
      }
    }
    let statistics = recording.stop()
    let file = try RecordedFile(path: path)
    let byKey = Dictionary(grouping: file.events, by: \.key)
    // The standard deviation is 30.
    #expect((850...1150).contains(byKey.count), "\(byKey.count)")
    #expect(byKey.values.allSatisfy { $0.count == 6 })
    #expect(abs(file.header.rate - 0.1) < 1e-9 && abs(recording.sampling - 0.1) < 1e-9)
    // All gets are counted.
    #expect(file.gets == 30_000 && statistics.gets == 30_000)
    #expect(statistics.lost == 0)
  }

  @Test func getsAreCountedThoughStatisticsAreReset() throws {
    let cache = try cache("s3-fifo")
    for _ in 0..<5 { _ = cache.value(for: "a") }
    let recording = try cache.record(to: path)
    cache.resetStatistics()
    for _ in 0..<3 { _ = cache.value(for: "a") }
    #expect(recording.stop().gets == 3)
  }

  @Test func listenersReceiveRecordedEvents() throws {
    for policy in Self.policies {
      let cache = try cache(policy)
      let heard = Locked([CacheEventKind]())
      let token = cache.onEvent { event in heard.withLock { $0.append(event.kind) } }
      let recording = try cache.record(to: path + policy)
      _ = cache.value(for: "a")
      cache.set(1, for: "a")
      _ = cache.value(for: "a")
      token.cancel()
      _ = cache.value(for: "a")
      recording.stop()
      #expect(heard.withLock { $0 } == [.miss, .set, .hit])
      #expect(try RecordedFile(path: path + policy).story == "g- s g+ g+")
    }
  }

  @Test(arguments: policies)
  func destroyingTheCacheEndsTheRecording(_ policy: String) throws {
    var cache: MemoryCache<String, Int>? = try self.cache(policy)
    let recording = try #require(cache).record(to: path)
    for key in 0..<1000 { _ = cache?.value(for: "\(key)") }
    cache = nil
    let statistics = recording.stop()
    #expect(statistics.hasEnded && statistics.written == 1000 && statistics.gets == 1000)
    #expect(try RecordedFile(path: path).events.count == 1000)
  }

  /// Threads that start and end during the recording: their gets are all recorded, or counted as
  /// lost.
  @Test(arguments: policies)
  func threads(_ policy: String) throws {
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 500), policy: CachePolicy(policy)))
    let recording = try cache.record(to: path)
    let (threads, rounds) = (8, 20_000)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      var random = TestRandom(seed: UInt64(thread))
      for _ in 0..<rounds {
        let key = random.below(2000)
        if cache.value(for: key) == nil { cache.set(key, for: key) }
      }
    }
    let statistics = recording.stop()
    let file = try RecordedFile(path: path)
    let gets = file.events.filter { $0.kind == .get }
    let counted = cache.statistics
    #expect(UInt64(file.events.count) == statistics.written && file.lost == statistics.lost)
    #expect(
      UInt64(file.events.count) + statistics.lost == UInt64(threads * rounds) + counted.sets)
    #expect(statistics.gets == UInt64(threads * rounds))
    if statistics.lost == 0 {
      #expect(UInt64(gets.count { $0.outcome == .hit }) == counted.hits)
    }
  }

  /// Recordings start and end while others use the cache.
  @Test(arguments: policies)
  func recordingsComeAndGoUnderLoad(_ policy: String) throws {
    let cache = try MemoryCache<Int, [Int]>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 200), policy: CachePolicy(policy)))
    let isOver = Locked(false)
    let ended = DispatchSemaphore(value: 0)
    for thread in 0..<3 {
      Thread.detachNewThread {
        var random = TestRandom(seed: UInt64(thread))
        while !isOver.withLock({ $0 }) {
          for _ in 0..<500 {
            let key = random.below(400)
            if let value = cache.value(for: key) {
              if value != [key] { Issue.record("a wrong value") }
            } else {
              cache.set([key], for: key)
            }
          }
        }
        ended.signal()
      }
    }
    for round in 0..<15 {
      let recording = try cache.record(
        to: path + "\(round)", sampling: round % 2 == 0 ? 1 : 0.2,
        plainKeys: round % 3 == 0)
      usleep(3000)
      let statistics = recording.stop()
      #expect(statistics.error == nil)
      let file = try RecordedFile(path: path + "\(round)")
      #expect(file.hasEnd && UInt64(file.events.count) == statistics.written)
    }
    isOver.withLock { $0 = true }
    for _ in 0..<3 { ended.wait() }
  }
}
