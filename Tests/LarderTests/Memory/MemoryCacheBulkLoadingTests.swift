import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Values loaded by `values(for:load:)`: one load for all that are missing.
@Suite(.endsInTime) struct MemoryCacheBulkLoadingTests {
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
    while cache.loadCounts.started < count { await Task.yield() }
  }

  private func joined(_ cache: Cache, _ count: UInt64 = 1) async {
    while cache.loadCounts.joined < count { await Task.yield() }
  }

  @Test func onlyMissingKeysAreLoadedInOneLoad() async throws {
    let cache = try cache()
    cache.set("known", for: "b")
    let values = try await cache.values(for: ["a", "b", "c", "a", "none"]) { answers($0) }
    #expect(values == ["a": "a!", "b": "known", "c": "c!"])
    #expect(asked.withLock { $0 } == [["a", "c", "none"]])
    #expect(cache.loadCounts.started == 1 && cache.loadCounts.none == 1)
    #expect(cache.statistics.hits == 1 && cache.statistics.misses == 3)
    // No load if nothing is missing, and none for no keys.
    #expect(try await cache.values(for: ["a", "c"]) { answers($0) }.count == 2)
    #expect(try await cache.values(for: []) { answers($0) }.isEmpty)
    #expect(cache.loadCounts.started == 1)
  }

  @Test func valuesOfOtherKeysAreIgnored() async throws {
    let cache = try cache()
    let values = try await cache.values(for: ["a"]) { _ in ["a": "a", "b": "b"] }
    #expect(values == ["a": "a"])
    #expect(cache.keys == ["a"])
  }

  @Test func singleRequestWaitsForABulkLoadOfItsKey() async throws {
    let cache = try cache()
    let gate = gate
    async let all = cache.values(for: ["a", "b"]) { keys in
      await gate.pass()
      return answers(keys)
    }
    await started(cache)
    async let one = cache.value(for: "b") { _ in "not called" }
    await joined(cache)
    gate.open()
    #expect(try await one == "b!")
    #expect(try await all == ["a": "a!", "b": "b!"])
    #expect(cache.loadCounts.started == 1)
  }

  @Test func bulkRequestWaitsForSingleAndBulkLoadsUnderWay() async throws {
    let cache = try cache()
    let gate = gate
    async let one = cache.value(for: "a") { _ in
      await gate.pass()
      return "single"
    }
    await started(cache)
    async let two = cache.values(for: ["b", "c"]) { keys in
      await gate.pass()
      return answers(keys)
    }
    await started(cache, 2)
    async let all = cache.values(for: ["a", "b", "c", "d"]) { answers($0, "?") }
    await started(cache, 3)
    gate.open()
    #expect(try await all == ["a": "single", "b": "b!", "c": "c!", "d": "d?"])
    #expect(try await (one, two.count) == ("single", 2))
    #expect(asked.withLock { Set($0) } == [["d"], ["b", "c"]])
    #expect(cache.loadCounts.joined == 3)
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

  @Test func missingKeysAreRememberedWithNegativeLife() async throws {
    let cache = try cache()
    for _ in 0..<2 {
      let values = try await cache.values(for: ["none", "a"], negativeLife: .seconds(10)) {
        answers($0)
      }
      #expect(values == ["a": "a!"])
    }
    #expect(try await cache.value(for: "none", negativeLife: .seconds(10)) { _ in "no" } == nil)
    #expect(asked.withLock { $0.count } == 1)
    #expect(cache.loadCounts.negativeHits == 2)
    clock.advance(seconds: 11)
    #expect(
      try await cache.values(for: ["none"], negativeLife: .seconds(10)) { answers($0) } == [:])
    #expect(asked.withLock { $0.last } == ["none"])
  }

  @Test func errorReachesAllWaitersAndCountsOnce() async throws {
    let cache = try cache()
    let gate = gate
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: Failure()) {
          try await cache.values(for: ["a", "b", "c"]) { _ in
            await gate.pass()
            throw Failure()
          }
        }
      }
      await started(cache)
      for key in ["a", "c"] {
        group.addTask {
          await #expect(throws: Failure()) { try await cache.value(for: key) { $0 } }
        }
      }
      group.addTask {
        await #expect(throws: Failure()) {
          try await cache.values(for: ["b"]) { answers($0) }
        }
      }
      await joined(cache, 3)
      gate.open()
    }
    #expect(cache.loadCounts.failed == 1 && cache.count == 0)
    #expect(!cache.loads.areUnderWay)
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

  @Test func bulkLoadIsCancelledWithItsLastRequest() async throws {
    let cache = try cache()
    let (entered, cancelled) = (Gate(), Gate())
    let isCancelled = Locked(false)
    let all = Task {
      try await cache.values(for: ["a", "b"]) { keys in
        await withTaskCancellationHandler {
          entered.open()
          await cancelled.pass()
        } onCancel: {
          isCancelled.withLock { $0 = true }
          cancelled.open()
        }
        try Task.checkCancellation()
        return answers(keys)
      }
    }
    await entered.pass()
    let one = Task { try await cache.value(for: "b") { $0 } }
    await joined(cache)
    all.cancel()
    await #expect(throws: CancellationError.self) { try await all.value }
    // The single request still wants its key.
    #expect(!isCancelled.withLock { $0 })
    one.cancel()
    await #expect(throws: CancellationError.self) { try await one.value }
    while cache.loadCounts.failed == 0 { await Task.yield() }
    #expect(isCancelled.withLock { $0 })
    #expect(try await cache.values(for: ["a", "b"]) { answers($0) }.count == 2)
  }

  @Test(arguments: ["set", "remove", "removeAll"])
  func overtakenKeysAreNotStored(how: String) async throws {
    let cache = try cache()
    let gate = gate
    async let all = cache.values(for: ["a", "b"], negativeLife: .seconds(10)) { keys in
      await gate.pass()
      return answers(keys)
    }
    await started(cache)
    switch how {
    case "set": cache.set("set", for: "a")
    case "remove": cache.remove("a")
    default: cache.removeAll()
    }
    gate.open()
    #expect(try await all == ["a": "a!", "b": "b!"])
    #expect(cache.peek("a") == (how == "set" ? "set" : nil))
    #expect(cache.peek("b") == (how == "removeAll" ? nil : "b!"))
  }

  @Test func loaderThatRequestsItsOwnKeysGetsAnError() async throws {
    let cache = try cache()
    let values = try await cache.values(for: ["a", "b"]) { keys in
      await #expect(throws: MemoryLoadError.loadsItself(key: "b")) {
        try await cache.value(for: "b") { $0 }
      }
      await #expect(throws: MemoryLoadError.loadsItself(key: "a")) {
        try await cache.values(for: ["c", "a"]) { answers($0) }
      }
      let other = try await cache.value(for: "c") { $0 }
      #expect(other == "c")
      return answers(keys)
    }
    #expect(values.count == 2)
    #expect(!cache.loads.areUnderWay)
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
    #expect(cache.loadCounts.refreshes == 1 && cache.loadCounts.stale == 1)
  }

  @Test func storageParametersDependOnKeyAndValue() async throws {
    let cache = try Cache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(weight: 10), shards: 1, clock: clock), weigh: { _ in 1 })
    let values = try await cache.values(
      for: ["a", "large", "useless"], weight: { key, _ in key == "large" ? 11 : 3 },
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
    #expect(cache.loadCounts.failed == 0 && !cache.loads.areUnderWay)
  }
}
