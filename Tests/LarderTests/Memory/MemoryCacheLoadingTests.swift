import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Loads of a memory cache, beyond what every cache promises.
@Suite(.endsInTime) struct MemoryCacheLoadingTests {
  private struct Failure: Error, Equatable {}
  private typealias Cache = MemoryCache<String, String>

  private let clock = ManualClock(seconds: 100)
  private let gate = Gate()
  private let asked = Locked<[[String]]>([])

  private func cache(
    refresh: Duration? = nil, stale: Duration? = nil, age: Duration? = nil
  ) throws -> Cache {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 100, age: age), shards: 1, clock: clock,
        refreshAfterWrite: refresh, staleWhileRevalidate: stale))
  }

  /// A loader that records its keys, and returns each of them followed by `mark`.
  private func answers(_ keys: [String], _ mark: String = "!") -> [String: String] {
    asked.withLock { $0.append(keys) }
    return Dictionary(
      uniqueKeysWithValues: keys.filter { !$0.hasPrefix("no") }.map { ($0, $0 + mark) })
  }

  private func started(_ cache: Cache, _ count: UInt64 = 1) async {
    while cache.loadStatistics.started < count { await Task.yield() }
  }

  private func joined(_ cache: Cache, _ count: UInt64 = 1) async {
    while cache.loadStatistics.joined < count { await Task.yield() }
  }

  @Test func valuesOfOtherKeysAreIgnored() async throws {
    let cache = try cache()
    let values = try await cache.values(for: ["a"]) { _ in ["a": "a", "b": "b"] }
    #expect(values == ["a": "a"])
    #expect(cache.keys == ["a"])
  }

  /// A request without `negativeLife` needs a value, which the bulk load has not found.
  @Test func singleRequestLoadsWhatABulkLoadLacks() async throws {
    let cache = try cache()
    let gate = gate
    async let all = cache.values(for: ["none", "a"]) { keys in
      await gate.pass()
      return answers(keys)
    }
    await started(cache)
    async let one = cache.value(for: "none") { _ in "there" }
    await joined(cache)
    gate.open()
    #expect(try await one == "there")
    #expect(try await all == ["a": "a!"])
  }

  /// The request gives up what it still waited for, which other requests may need.
  @Test func errorOfAJoinedLoadLeavesTheOthers() async throws {
    let cache = try cache()
    let (gate, other) = (gate, Gate())
    let bad = Task {
      try await cache.value(for: "bad") { _ in
        await gate.pass()
        throw Failure()
      }
    }
    await started(cache)
    let isCancelled = Locked(false)
    let all = Task {
      try await cache.values(for: ["bad", "a"]) { keys in
        await withTaskCancellationHandler {
          await other.pass()
        } onCancel: {
          isCancelled.withLock { $0 = true }
          other.open()
        }
        return answers(keys)
      }
    }
    await started(cache, 2)
    gate.open()
    await #expect(throws: Failure()) { try await all.value }
    await #expect(throws: Failure()) { try await bad.value }
    while !isCancelled.withLock({ $0 }) { await Task.yield() }
  }

  @Test func dueAndStaleValuesAreReloadedInOneLoad() async throws {
    let cache = try cache(refresh: .seconds(10), stale: .seconds(100))
    cache.set("old", for: "a")
    cache.set("old", for: "b", timeToLive: .seconds(5))
    clock.advance(seconds: 12)
    cache.set("new", for: "c")
    let values = try await cache.values(for: ["a", "b", "c"]) { answers($0) }
    #expect(values == ["a": "old", "b": "old", "c": "new"])
    while cache.peek("a") != "a!" || cache.peek("b") != "b!" { await Task.yield() }
    #expect(asked.withLock { $0 } == [["a", "b"]])
    #expect(cache.loadStatistics.refreshes == 1 && cache.loadStatistics.staleWhileRevalidate == 1)
  }

  @Test func storageParametersDependOnKeyAndValue() async throws {
    let cache = try Cache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(weight: 10), shards: 1, clock: clock),
      weigh: { $0 == "large!" ? 11 : 3 })
    let values = try await cache.values(
      for: ["a", "large", "useless"],
      timeToLive: { key, _ in key == "useless" ? .zero : .seconds(5) }, load: { answers($0) })
    #expect(values.count == 3)
    #expect(cache.keys == ["a"])
    clock.advance(seconds: 6)
    #expect(cache.value(for: "a") == nil)
  }

  @Test func manyKeysAndTasks() async throws {
    let cache = try MemoryCache<Int, Int>(count: 64, policy: "s3-fifo")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask { () async throws in
          for step in 0..<300 {
            let key = (step &* 31 &+ task) % 200
            if step % 17 == task { cache.remove(key) }
            let values = try await cache.values(for: key..<(key + 8)) { keys in
              Dictionary(uniqueKeysWithValues: keys.map { ($0, $0 * 3) })
            }
            #expect(values.count == 8 && values.allSatisfy { $0.value == $0.key * 3 })
            #expect(try await cache.value(for: key) { $0 * 3 } == key * 3)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(cache.loadStatistics.failed == 0 && !cache.loads.areUnderWay)
    cache.resetStatistics()
    #expect(cache.loadStatistics == LoadStatistics())
  }
}
