import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Background reloads by `value(for:load:)`, and results meanwhile.
@Suite(.endsInTime) struct MemoryCacheRefreshingTests {
  private struct Failure: Error, Equatable {}

  private let clock = ManualClock(seconds: 100)
  private let gate = Gate()

  private func cache(
    refresh: Duration? = nil, stale: Duration? = nil, age: Duration? = nil, policy: String = "lru"
  ) throws -> MemoryCache<String, String> {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 100, age: age), policy: CachePolicy(policy), shards: 1,
        clock: clock,
        refreshAfterWrite: refresh, staleWhileRevalidate: stale))
  }

  /// Waits until a background load has stored a value.
  private func stored(_ value: String, _ cache: MemoryCache<String, String>) async {
    while cache.peek("a") != value { await Task.yield() }
  }

  @Test(arguments: ["lru", "sieve"])
  func oldValueIsReturnedAndReloadedOnce(policy: String) async throws {
    let cache = try cache(refresh: .seconds(10), policy: policy)
    cache.set("old", for: "a")
    clock.advance(seconds: 9)
    #expect(try await cache.value(for: "a") { _ in "too early" } == "old")
    #expect(cache.loadStatistics.started == 0)
    clock.advance(seconds: 3)
    let gate = gate
    for _ in 0..<20 {
      let value = try await cache.value(for: "a") { _ in
        await gate.pass()
        return "new"
      }
      #expect(value == "old")
    }
    #expect(cache.loadStatistics.started == 1)
    #expect(cache.loadStatistics.refreshes == 1)
    gate.open()
    await stored("new", cache)
    // Its age counts from the reload, as from a set.
    clock.advance(seconds: 9)
    #expect(try await cache.value(for: "a") { _ in "too early" } == "new")
    #expect(cache.loadStatistics.started == 1)
  }

  @Test func aValueThatIsSetDuringAReloadStays() async throws {
    let cache = try cache(refresh: .seconds(10))
    let gate = gate
    cache.set("old", for: "a")
    clock.advance(seconds: 12)
    _ = try await cache.value(for: "a") { _ in
      await gate.pass()
      throw Failure()
    }
    cache.set("set", for: "a")
    gate.open()
    while cache.loadStatistics.failed == 0 { await Task.yield() }
    // Its age counts from the set, even after the reload has failed.
    #expect(try await cache.value(for: "a") { _ in "too early" } == "set")
    #expect(cache.loadStatistics.started == 1)
  }

  @Test(arguments: ["set", "remove", "removeAll"])
  func lateReloadIsDiscarded(how: String) async throws {
    let cache = try cache(refresh: .seconds(10))
    let load: @Sendable (String) async throws -> String? = { _ in
      switch how {
      case "set": cache.set("set", for: "a")
      case "remove": cache.remove("a")
      default: cache.removeAll()
      }
      return "late"
    }
    cache.set("old", for: "a")
    clock.advance(seconds: 12)
    cache.refresh(["a"], MemoryLoader(nil, { _ in nil }, 1, load))
    while cache.loads.isLoading("a") || cache.peek("a") == "old" { await Task.yield() }
    // An invalidated load may still be running: the next one's value is stored, and stays.
    #expect(try await cache.value(for: "a") { _ in "again" } == (how == "set" ? "set" : "again"))
    #expect(cache.value(for: "a") == (how == "set" ? "set" : "again"))
  }

  @Test func aReloadThatWasOvertakenDoesNotEndTheNextOne() async throws {
    let cache = try cache(refresh: .seconds(10))
    let (first, second) = (Gate(), Gate())
    cache.set("old", for: "a")
    clock.advance(seconds: 12)
    _ = try await cache.value(for: "a") { _ in
      await first.pass()
      throw Failure()
    }
    cache.remove("a")
    cache.set("set", for: "a")
    clock.advance(seconds: 12)
    let value = try await cache.value(for: "a") { _ in
      await second.pass()
      return "new"
    }
    #expect(value == "set" && cache.loadStatistics.refreshes == 2)
    first.open()
    while cache.loadStatistics.failed == 0 { await Task.yield() }
    // Its age is not that of the value which the first reload was to replace.
    #expect(cache.trim(toAge: .seconds(20)) == 0)
    second.open()
    while cache.loads.isLoading("a") { await Task.yield() }
    #expect(cache.peek("a") == "new")
  }

  @Test func anUpdateThatThrowsDoesNotEndReloading() async throws {
    let cache = try cache(refresh: .seconds(10))
    let gate = gate
    cache.set("old", for: "a")
    clock.advance(seconds: 12)
    _ = try await cache.value(for: "a") { _ in
      await gate.pass()
      throw Failure()
    }
    #expect(throws: Failure()) { try cache.update("a") { _ in throw Failure() } }
    gate.open()
    while cache.loadStatistics.failed == 0 { await Task.yield() }
    #expect(try await cache.value(for: "a") { _ in "new" } == "old")
    await stored("new", cache)
  }

  @Test func unstorableReloadRemovesTheOldValue() async throws {
    let cache = try cache(refresh: .seconds(10))
    cache.set("old", for: "a")
    clock.advance(seconds: 12)
    let value = try await cache.value(for: "a", timeToLive: { _ in .zero }, load: { _ in "new" })
    #expect(value == "old")
    while cache.contains("a") { await Task.yield() }
    #expect(cache.statistics.removals == 1)
  }

  @Test func permanentEntriesAreNotReloaded() async throws {
    let cache = try cache(refresh: .seconds(10))
    cache.set("old", for: "a", isPermanent: true)
    clock.advance(seconds: 100)
    #expect(try await cache.value(for: "a") { _ in "new" } == "old")
    #expect(cache.loadStatistics.started == 0)
  }

  @Test func trimmingByAgeSkipsReloadingEntries() async throws {
    let cache = try cache(refresh: .seconds(10))
    let gate = gate
    cache.set("old", for: "a")
    clock.advance(seconds: 12)
    _ = try await cache.value(for: "a") { _ in
      await gate.pass()
      return "new"
    }
    #expect(cache.trim(toAge: .seconds(1)) == 0)
    gate.open()
    await stored("new", cache)
    clock.advance(seconds: 5)
    #expect(cache.trim(toAge: .seconds(1)) == 1)
  }

  @Test func expiredValueIsAMissAfterTheStaleTime() async throws {
    let cache = try cache(stale: .seconds(30), age: .seconds(10))
    cache.set("old", for: "a")
    clock.advance(seconds: 40)
    #expect(try await cache.value(for: "a") { _ in "new" } == "new")
    #expect(cache.loadStatistics.staleWhileRevalidate == 0)
    #expect(cache.loadStatistics.refreshes == 0)
    #expect(cache.value(for: "a") == "new")
  }

  @Test func anExpiredValueSurvivesAFailedReloadAndASweep() async throws {
    let cache = try cache(stale: .seconds(30), age: .seconds(10))
    cache.set("old", for: "a")
    clock.advance(seconds: 20)
    #expect(try await cache.value(for: "a") { _ in throw Failure() } == "old")
    while cache.loadStatistics.failed == 0 { await Task.yield() }
    #expect(cache.removeExpired() == 0)
    #expect(try await cache.value(for: "a") { _ in throw Failure() } == "old")
    clock.advance(seconds: 20)
    #expect(cache.removeExpired() == 1)
    while cache.loadStatistics.failed == 1 { await Task.yield() }
    await #expect(throws: Failure()) {
      try await cache.value(for: "a") { _ in throw Failure() }
    }
  }

  @Test func refreshReloadsAtOnceAndKeepsTheValueMeanwhile() async throws {
    let (cache, gate, asked) = (try cache(), gate, Locked<[String]>([]))
    let load: @Sendable (String) async throws -> String? = { key in
      await gate.pass()
      asked.withLock { $0.append(key) }
      return "new"
    }
    cache.set("old", for: "a")
    cache.refresh("a", load: load)
    cache.refresh("a", load: load)
    #expect(try await cache.value(for: "a") { _ in "unasked" } == "old")
    gate.open()
    await stored("new", cache)
    // The load of a key without a value is the one that requests wait for.
    cache.refresh("b", load: load)
    #expect(try await cache.value(for: "b") { _ in "unasked" } == "new")
    #expect(cache.loadStatistics.refreshes == 2)
    cache.set("kept", for: "c", isPermanent: true)
    cache.refresh("c", load: load)
    #expect(cache.loadStatistics.refreshes == 2)
    #expect(asked.withLock { $0 } == ["a", "b"])
  }
}
