import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Async calls, which run on threads outside the pool of all tasks.
@Suite(.endsInTime) struct HybridAsyncTests {
  private let folder: ScratchFolder
  private let files = FaultyFiles()

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func cache(
    memory: Int, copiesOnRead: Bool = false
  ) throws -> HybridCache<String, Data> {
    var configuration = HybridTestCaches.configuration(memory: memory, disk: 400)
    configuration.disk?.inlineBytesMax = 0
    configuration.copiesOnRead = copiesOnRead
    return try HybridCache(
      path: folder.path, configuration: configuration, codec: .data, files: files)
  }

  @Test(arguments: [false, true])
  func asyncCallsFindWhatTheTiersHave(copiesOnRead: Bool) async throws {
    let hybrid = try cache(memory: 10, copiesOnRead: copiesOnRead)
    let cache = hybrid
    let value = Data("a".utf8)
    #expect(try await cache.value(for: "k") == nil)
    #expect(try await cache.set(value, for: "k", options: DiskStoreOptions(version: "1")))
    let hit = try #require(try await cache.entry(for: "k"))
    #expect(hit.value == value && hit.tier == .memory && hit.version == "1")
    #expect(try await cache.contains("k"))
    hybrid.handle(.critical)
    #expect(try await cache.contains("k"))
    #expect(try await cache.entry(for: "k")?.tier == .disk)
    #expect(try await cache.value(for: "k") == value)
    #expect(hybrid.counts.promotions == 1)
    #expect(try await cache.remove("k"))
    #expect(hybrid.memoryCount == 0 && hybrid.diskCount == 0)
    #expect(try await !cache.remove("k"))
    #expect(try await !cache.contains("k"))
    // One get each, with or without a lookup below memory.
    let statistics = hybrid.readStatistics()
    #expect(statistics.memory?.hits == 2 && statistics.memory?.misses == 2)
    try await cache.close()
    await #expect(throws: HybridCacheError.self) { try await cache.value(for: "x") }
  }

  /// A slow read holds up the keys of its lane, one of 16.
  @Test func slowReadDelaysItsLaneAlone() async throws {
    let isReading = Locked(false)
    let released = DispatchSemaphore(value: 0)
    let slow = Data("slow".utf8)
    let codec = DiskCodec<Data>(
      identity: "slow", encode: { $0 },
      decode: { data in
        if data == slow {
          isReading.withLock { $0 = true }
          released.wait()
        }
        return data
      })
    let hybrid = try await HybridCache<String, Data>(
      path: folder.path, configuration: HybridTestCaches.configuration(memory: 100, disk: 400),
      codec: codec)
    let keys = (0..<100).map { "\($0)" }
    let first = keys[0]
    for key in keys { try await hybrid.set(key == first ? slow : Data(key.utf8), for: key) }
    hybrid.handle(.critical)
    let cache = hybrid
    let reader = Task { try await cache.value(for: first) }
    while !isReading.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    // Each of the other lanes answers: a failure is a test that does not end.
    let lane = hybrid.stripes.number(first) % 16
    var lanes: Set<Int> = []
    for key in keys where hybrid.stripes.number(key) % 16 != lane {
      #expect(try await cache.value(for: key) == Data(key.utf8))
      lanes.insert(hybrid.stripes.number(key) % 16)
    }
    #expect(lanes.count == 15)
    released.signal()
    #expect(try await reader.value == slow)
  }

  @Test(arguments: [false, true])
  func severalKeysInOneCall(copiesOnRead: Bool) async throws {
    let hybrid = try cache(memory: 30, copiesOnRead: copiesOnRead)
    let cache = hybrid
    let values = (0..<100).map { (key: "\($0 % 90)", value: Data("\($0)".utf8)) }
    #expect(try await cache.setAll(values) == 100)
    let asked = (0..<120).map { "\($0)" }
    let found = try await cache.values(for: asked)
    #expect(found == Dictionary(values.map { ($0.key, $0.value) }) { $1 })
    // One get for each key, in memory or not.
    let memory = try #require(hybrid.readStatistics().memory)
    #expect(memory.hits + memory.misses == 120 && memory.hits > 0)
    #expect(hybrid.readStatistics().disk?.hits == 90 - memory.hits)
    #expect(try await cache.values(for: []).isEmpty)
    try await cache.close()
    await #expect(throws: HybridCacheError.self) { try await cache.values(for: ["none"]) }
    await #expect(throws: HybridCacheError.self) { try await cache.setAll(values) }
  }

  @Test func openingDoesNotBlockAndThrowsTheCachesError() async throws {
    let path = folder.path
    let cache = try await HybridCache<String, Data>(path: path, codec: .data)
    try await cache.set(Data("a".utf8), for: "k")
    await #expect {
      try await HybridCache<String, Data>(path: path, codec: .data)
    } throws: { error in
      guard case HybridCacheError.disk(.inUse(path)) = error else { return false }
      return true
    }
    #expect(try await cache.value(for: "k") == Data("a".utf8))
  }

  /// More tasks than threads wait for a busy disk, and others continue, as do hits in memory.
  @Test(arguments: ["read", "write"], [false, true])
  func otherTasksRunWhileTheDiskIsBusy(call: String, isRequest: Bool) async throws {
    let hybrid = try cache(memory: 100)
    let cache = hybrid
    let value = Data(count: 100)
    let keys = (0..<max(64, ProcessInfo.processInfo.activeProcessorCount + 1)).map { "\($0)" }
    if call == "read" { for key in keys { try await cache.set(value, for: key) } }
    hybrid.handle(.critical)
    try await cache.set(value, for: "in memory")
    files.held.hold(call)
    defer { files.held.release() }
    let waiting = keys.map { key in
      Task {
        if isRequest { return await cache.result(for: key) { _ in .value(value) }.value == value }
        if call == "read" { return try await cache.value(for: key) == value }
        return try await cache.set(value, for: key)
      }
    }
    // Would never end if the waiting tasks occupied all threads of the pool.
    let others = (0..<64).map { number in Task { number } }
    var sum = 0
    for other in others { sum += await other.value }
    #expect(sum == 63 * 32)
    #expect(try await cache.value(for: "in memory") == value)
    #expect(await cache.result(for: "in memory") { _ in .absent }.value == value)
    files.held.release()
    for task in waiting { #expect(try await task.value) }
  }

  /// A codec that waits until it is called for two keys at once.
  private final class Barrier: Sendable {
    private let condition = NSCondition()
    private let arrivals = Locked(0)

    func pass() {
      condition.lock()
      arrivals.withLock { $0 += 1 }
      condition.broadcast()
      while arrivals.withLock({ $0 }) < 2 { condition.wait() }
      condition.unlock()
    }
  }

  @Test func partsOfSeveralKeysAreServedAtTheSameTime() async throws {
    let (encoding, decoding) = (Barrier(), Barrier())
    let codec = DiskCodec<Int>(
      identity: "waiting",
      encode: { value in
        encoding.pass()
        return Data("\(value)".utf8)
      },
      decode: { data in
        decoding.pass()
        return Int(String(decoding: data, as: UTF8.self)) ?? -1
      })
    let hybrid = try await HybridCache<Int, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration(memory: nil, disk: 400),
      codec: codec)
    let cache = hybrid
    let values = (0..<50).map { (key: $0, value: $0) }
    #expect(try await cache.setAll(values) == 50)
    #expect(try await cache.values(for: 0..<50).count == 50)
  }
}
