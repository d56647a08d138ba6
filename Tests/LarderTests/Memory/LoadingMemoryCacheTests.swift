import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Caches that know their loader.
@Suite(.endsInTime) struct LoadingMemoryCacheTests {
  private struct Failure: Error, Equatable {}

  private let clock = ManualClock(seconds: 100)
  private let gate = Gate()
  private let asked = Locked<[[String]]>([])

  private func configuration(
    refresh: Duration? = nil, weight: Int? = nil
  ) -> MemoryCacheConfiguration {
    MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: 100, weight: weight), shards: 1, clock: clock,
      refreshAfterWrite: refresh)
  }

  /// A loader that records its keys and has no value for keys that begin with "no".
  private func load(_ key: String) -> String? {
    asked.withLock { $0.append([key]) }
    return key.hasPrefix("no") ? nil : key + "!"
  }

  private func loadAll(_ keys: [String]) -> [String: String] {
    asked.withLock { $0.append(keys) }
    return Dictionary(
      uniqueKeysWithValues: keys.filter { !$0.hasPrefix("no") }.map { ($0, $0 + "!") })
  }

  @Test func missLoadsAndHitDoesNot() async throws {
    let users = try LoadingMemoryCache(limits: MemoryCacheLimits(count: 10)) { load($0) }
    for _ in 0..<3 { #expect(try await users.value(for: "a") == "a!") }
    #expect(asked.withLock { $0 } == [["a"]])
    #expect(users.cache.statistics.hits == 2 && users.cache.statistics.misses == 1)
    #expect(throws: MemoryCacheError.self) {
      try LoadingMemoryCache(limits: MemoryCacheLimits(count: 0)) { load($0) }
    }
  }

  /// A loader that always has a value needs no optional.
  @Test func loaderMayReturnAValueThatIsNotOptional() async throws {
    @Sendable func double(_ key: Int) async throws -> Int { key * 2 }
    let numbers = try LoadingMemoryCache(limits: MemoryCacheLimits(count: 10), load: double)
    #expect(try await numbers.value(for: 4) == 8)
    #expect(try await numbers.values(for: [1, 2, 4]) == [1: 2, 2: 4, 4: 8])
  }

  @Test func concurrentRequestsShareOneLoad() async throws {
    let gate = gate
    let users = try LoadingMemoryCache<String, String>(configuration()) { key in
      await gate.pass()
      return load(key)
    }
    let values = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await users.value(for: "a") } }
      while users.cache.loadCounts.joined < 19 { await Task.yield() }
      gate.open()
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    #expect(values == Array(repeating: "a!", count: 20))
    #expect(asked.withLock { $0.count } == 1)
  }

  @Test func absenceIsAnErrorAndRememberedWithNegativeLife() async throws {
    let remembering = try LoadingMemoryCache(configuration(), negativeLife: .seconds(10)) {
      load($0)
    }
    for _ in 0..<2 {
      await #expect(throws: MemoryLoadError.absent(key: "none")) {
        try await remembering.value(for: "none")
      }
    }
    #expect(asked.withLock { $0.count } == 1)
    #expect(try await remembering.values(for: ["none", "a"]) == ["a": "a!"])
    #expect(asked.withLock { $0 } == [["none"], ["a"]])
    clock.advance(seconds: 11)
    await #expect(throws: MemoryLoadError.absent(key: "none")) {
      try await remembering.value(for: "none")
    }
    #expect(asked.withLock { $0.count } == 3)

    let forgetting = try LoadingMemoryCache(configuration()) { load($0) }
    for count in 4...5 {
      await #expect(throws: MemoryLoadError.absent(key: "no")) {
        try await forgetting.value(for: "no")
      }
      #expect(asked.withLock { $0.count } == count)
    }
  }

  @Test func storageParametersDependOnKeyAndValue() async throws {
    let users = try LoadingMemoryCache(
      configuration(weight: 100), weigh: { $0.count },
      timeToLive: { key, _ in key == "short" ? .seconds(5) : nil },
      fetchCost: { Float($1.count) }, load: { load($0) })
    _ = try await users.value(for: "short")
    _ = try await users.value(for: "ab")
    #expect(users.cache.statistics.weight == 6 + 3)
    clock.advance(seconds: 6)
    #expect(users.cache.value(for: "short") == nil)
    #expect(users.cache.value(for: "ab") == "ab!")
  }

  @Test func dueValueIsReloadedInTheBackground() async throws {
    let users = try LoadingMemoryCache(configuration(refresh: .seconds(10))) { load($0) }
    users.cache.set("old", for: "a")
    clock.advance(seconds: 12)
    #expect(try await users.value(for: "a") == "old")
    while users.cache.peek("a") != "a!" { await Task.yield() }
    #expect(users.cache.loadCounts.refreshes == 1)
  }

  @Test func refreshReloadsAtOnceAndKeepsTheValueMeanwhile() async throws {
    let gate = gate
    let users = try LoadingMemoryCache<String, String>(configuration()) { key in
      await gate.pass()
      return load(key)
    }
    users.cache.set("old", for: "a")
    users.refresh("a")
    users.refresh("a")
    #expect(try await users.value(for: "a") == "old")
    gate.open()
    while users.cache.peek("a") != "a!" { await Task.yield() }
    // Nothing is cached: the load stores the value all requests wait for.
    users.refresh("b")
    #expect(try await users.value(for: "b") == "b!")
    #expect(users.cache.loadCounts.refreshes == 2)
    users.cache.set("kept", for: "c", isPermanent: true)
    users.refresh("c")
    #expect(users.cache.loadCounts.refreshes == 2)
    #expect(asked.withLock { $0 } == [["a"], ["b"]])
  }

  @Test func refreshThatFindsNoValueRemovesIt() async throws {
    let users = try LoadingMemoryCache(configuration(), negativeLife: .seconds(10)) { load($0) }
    users.cache.set("old", for: "none")
    users.refresh("none")
    while users.cache.contains("none") || users.cache.loads.isLoading("none") { await Task.yield() }
    #expect(try await users.values(for: ["none"]).isEmpty)
    #expect(asked.withLock { $0.count } == 1)
  }

  @Test func oneBulkLoadFetchesWhatIsMissing() async throws {
    let users = try LoadingMemoryCache(configuration(), negativeLife: .seconds(10)) {
      load($0)
    } loadAll: {
      loadAll($0)
    }
    #expect(try await users.value(for: "a") == "a!")
    let values = try await users.values(for: ["b", "a", "c", "none", "b"])
    #expect(values == ["a": "a!", "b": "b!", "c": "c!"])
    #expect(try await users.values(for: ["none", "c"]) == ["c": "c!"])
    #expect(asked.withLock { $0 } == [["a"], ["b", "c", "none"]])
  }

  @Test func withoutABulkLoaderAFewSingleLoadsRunAtOnce() async throws {
    let (running, most) = (Locked(0), Locked(0))
    let gate = gate
    let users = try LoadingMemoryCache<Int, Int>(limits: MemoryCacheLimits(count: 1000)) { key in
      let count = running.withLock { running in
        running += 1
        return running
      }
      most.withLock { $0 = max($0, count) }
      if count == 16 { gate.open() }
      await gate.pass()
      running.withLock { $0 -= 1 }
      return key % 10 == 0 ? nil : key
    }
    let values = try await users.values(for: 0..<100)
    #expect(values.count == 90 && values[0] == nil && values[99] == 99)
    #expect(most.withLock { $0 } == 16)
  }

  @Test func errorOfOneLoadEndsARequestForSeveral() async throws {
    let users = try LoadingMemoryCache<String, String>(configuration()) { key in
      if key == "bad" { throw Failure() }
      return load(key)
    }
    await #expect(throws: Failure()) { try await users.values(for: ["a", "bad", "c"]) }
    #expect(try await users.values(for: ["a", "c"]) == ["a": "a!", "c": "c!"])
  }

  @MainActor @Test func requestsFromAnActorStayThere() async throws {
    let users = try LoadingMemoryCache(configuration()) { load($0) }
    #expect(try await users.value(for: "a") == "a!")
    MainActor.assertIsolated()
    #expect(try await users.value(for: "a") == "a!")
  }
}
