import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Values loaded, stored and returned by `value(for:load:)`.
@Suite(.endsInTime) struct MemoryCacheLoadingTests {
  /// Not codable: values in memory are not encoded.
  private struct Page: Sendable, Equatable {
    var text: String
  }

  private struct Failure: Error, Equatable {}

  private let clock = ManualClock(seconds: 100)
  private let gate = Gate()

  private func cache(
    _ limits: MemoryCacheLimits = MemoryCacheLimits(count: 100)
  ) throws -> MemoryCache<String, Page> {
    try MemoryCache(
      MemoryCacheConfiguration(limits: limits, shards: 1, clock: clock), weigh: { _ in 1 })
  }

  /// Waits until `count` requests have joined a load.
  private func joined(_ cache: MemoryCache<String, Page>, _ count: UInt64) async {
    while cache.loadCounts.joined < count { await Task.yield() }
  }

  private func started(_ cache: MemoryCache<String, Page>, _ count: UInt64 = 1) async {
    while cache.loadCounts.started < count { await Task.yield() }
  }

  @Test func aMissLoadsAndAHitDoesNot() async throws {
    let cache = try cache()
    for _ in 0..<3 {
      #expect(try await cache.value(for: "a") { Page(text: $0 + "!") } == Page(text: "a!"))
    }
    #expect(cache.loadCounts.started == 1)
    #expect(cache.statistics.hits == 2)
    #expect(cache.statistics.misses == 1)
    #expect(cache.value(for: "a") == Page(text: "a!"))
  }

  @Test func concurrentRequestsShareOneLoad() async throws {
    let cache = try cache()
    let gate = gate
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await cache.value(for: "a") { key in
            await gate.pass()
            return Page(text: key)
          }.text
        }
      }
      await joined(cache, 49)
      gate.open()
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    #expect(texts == Array(repeating: "a", count: 50))
    #expect(cache.loadCounts.started == 1)
  }

  @Test func errorReachesAllWaitersAndIsNotStored() async throws {
    let cache = try cache()
    let gate = gate
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          await #expect(throws: Failure()) {
            try await cache.value(for: "a") { _ in
              await gate.pass()
              throw Failure()
            }
          }
        }
      }
      await joined(cache, 1)
      gate.open()
    }
    #expect(cache.loadCounts.failed == 1)
    #expect(try await cache.value(for: "a") { _ in Page(text: "again") }.text == "again")
    #expect(cache.loadCounts.started == 2)
  }

  @Test func valueSetDuringALoadStays() async throws {
    let cache = try cache()
    let gate = gate
    async let loaded = cache.value(for: "a") { _ in
      await gate.pass()
      return Page(text: "old")
    }
    await started(cache)
    cache.set(Page(text: "new"), for: "a")
    gate.open()
    #expect(try await loaded.text == "old")
    #expect(cache.value(for: "a")?.text == "new")
  }

  @Test(arguments: ["remove", "removeAll", "update"])
  func removalDuringLoadDiscardsLoadedValue(_ how: String) async throws {
    let cache = try cache()
    let gate = gate
    async let loaded = cache.value(for: "a") { _ in
      await gate.pass()
      return Page(text: "old")
    }
    await started(cache)
    switch how {
    case "remove": cache.remove("a")
    case "removeAll": cache.removeAll()
    default: cache.update("a") { $0 = nil }
    }
    // A later request does not receive a value loaded before the removal.
    let later = try await cache.value(for: "a") { _ in Page(text: "new") }
    #expect(later.text == "new")
    gate.open()
    #expect(try await loaded.text == "old")
    #expect(cache.value(for: "a")?.text == "new")
    #expect(cache.loadCounts.started == 2)
  }

  @Test func zeroTTLIsNotStored() async throws {
    let cache = try cache()
    let page = try await cache.value(
      for: "a", timeToLive: { _ in .zero }, load: { _ in Page(text: "a") })
    #expect(page.text == "a")
    #expect(cache.value(for: "a") == nil)
    _ = try await cache.value(
      for: "b", timeToLive: { _ in .seconds(5) }, load: { _ in Page(text: "b") })
    #expect(cache.value(for: "b") != nil)
    clock.advance(seconds: 6)
    #expect(cache.value(for: "b") == nil)
  }

  @Test func weightIsComputedFromTheLoadedValue() async throws {
    let cache = try cache(MemoryCacheLimits(weight: 10))
    _ = try await cache.value(
      for: "a", weight: { $0.text.utf8.count }, load: { _ in Page(text: "1234567") })
    #expect(cache.statistics.weight == 7)
    _ = try await cache.value(
      for: "b", weight: { $0.text.utf8.count }, load: { _ in Page(text: "more than ten") })
    #expect(cache.value(for: "b") == nil)
    #expect(cache.statistics.rejections == 1)
  }

  @Test func abandonedLoadIsCancelled() async throws {
    let cache = try cache()
    let isCancelled = Locked(false)
    let request = Task {
      try await cache.value(for: "a") { _ in
        do {
          try await Task.sleep(for: .seconds(3600))
        } catch {
          isCancelled.withLock { $0 = true }
          throw error
        }
        return Page(text: "late")
      }
    }
    await started(cache)
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
    while cache.loadCounts.failed == 0 { await Task.yield() }
    #expect(isCancelled.withLock { $0 })
    #expect(try await cache.value(for: "a") { _ in Page(text: "new") }.text == "new")
  }

  @Test func aLoaderMayAskForOtherKeysButNotForItsOwn() async throws {
    let cache = try cache()
    let page = try await cache.value(for: "a") { _ in
      let inner = try await cache.value(for: "b") { Page(text: $0) }
      return Page(text: "a of \(inner.text)")
    }
    #expect(page.text == "a of b")
    await #expect(throws: MemoryLoadError.loadsItself(key: "c")) {
      try await cache.value(for: "c") { _ in
        try await cache.value(for: "d") { _ in
          try await cache.value(for: "c") { Page(text: $0) }
        }
      }
    }
  }

  @Test func manyKeysAndThreads() async throws {
    let cache = try MemoryCache<Int, Int>(count: 64, policy: "s3-fifo")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask { () async throws in
          for step in 0..<2_000 {
            let key = (step &* 31 &+ task) % 200
            if step % 17 == task { cache.remove(key) }
            let value = try await cache.value(for: key) { $0 * 3 }
            #expect(value == key * 3)
          }
        }
      }
      try await group.waitForAll()
    }
    let counts = cache.loadCounts
    #expect(counts.failed == 0)
    #expect(counts.started <= cache.statistics.misses)
    cache.resetStatistics()
    #expect(cache.loadCounts == MemoryLoadCounts())
  }
}
