import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Negative caching by `value(for:negativeLife:load:)`.
@Suite(.endsInTime) struct MemoryCacheAbsenceTests {
  private struct Failure: Error, Equatable {}

  /// A key that reports when it is hashed.
  private struct HashHookedKey: Hashable, Sendable {
    let name: String
    var onHash: (@Sendable () -> Void)?

    static func == (one: Self, other: Self) -> Bool { one.name == other.name }

    func hash(into hasher: inout Hasher) {
      onHash?()
      hasher.combine(name)
    }
  }

  private let clock = ManualClock(seconds: 100)
  private let gate = Gate()

  private func cache(
    refresh: Duration? = nil, negativeCount: Int = 100, count: Int = 100
  ) throws -> MemoryCache<String, String> {
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: count), shards: 1, clock: clock, refreshAfterWrite: refresh)
    configuration.negativeCount = negativeCount
    return try MemoryCache(configuration)
  }

  private func ask(
    _ cache: MemoryCache<String, String>, _ key: String = "a", life: Duration = .seconds(10),
    answer: String? = nil
  ) async throws -> String? {
    try await cache.value(for: key, negativeLife: life) { _ in answer }
  }

  /// Removing all keys costs the same hashes of absent keys for any number of shards.
  @Test func removalHashesEachAbsentKeyOnce() async throws {
    let hashes = Locked(0)
    for isFiltered in [false, true] {
      let cache = try MemoryCache<HashHookedKey, Int>(
        MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 1_000), shards: 16))
      for number in 0..<100 {
        let key = HashHookedKey(name: "\(number)") { hashes.withLock { $0 += 1 } }
        _ = try await cache.value(for: key, negativeLife: .seconds(10)) { _ in nil }
      }
      hashes.withLock { $0 = 0 }
      if isFiltered {
        cache.remove { _, _ in false }
      } else {
        cache.removeAll()
      }
      #expect(hashes.withLock { $0 } <= 100)
      #expect(cache.loads.absences?.count == 0)
    }
  }

  @Test(arguments: ["set", "update", "load"])
  func changeOfAKeyForgetsItsAbsence(how: String) async throws {
    let cache = try cache(count: 1)
    #expect(try await ask(cache) == nil)
    switch how {
    case "set": cache.set("set", for: "a")
    case "update": cache.update("a") { $0 = "set" }
    default: #expect(try await cache.value(for: "a") { _ in "set" } == "set")
    }
    // Evicts the key that was set.
    cache.set("other", for: "b")
    #expect(cache.peek("a") == nil)
    #expect(try await ask(cache, answer: "there") == "there")
  }

  /// Listeners learn of a set once others can see its value, and before the set has returned.
  @Test func absenceEndsOnceAValueIsVisible() async throws {
    let cache = try cache(count: 1)
    #expect(try await ask(cache) == nil)
    #expect(cache.loads.isAbsent("a"))
    let answers = Locked<[Bool]>([])
    let token = cache.onEvent { [unowned cache] event in
      guard event.kind == .set, event.key == "a" else { return }
      answers.withLock { $0.append(cache.loads.isAbsent("a")) }
    }
    cache.set("set", for: "a")
    cache.update("a") { $0 = "updated" }
    #expect(try await ask(cache, "b") == nil)
    cache.remove("a")
    #expect(try await ask(cache) == nil)
    #expect(try await cache.value(for: "a") { _ in "loaded" } == "loaded")
    #expect(answers.withLock { $0 } == [false, false, false])
    withExtendedLifetime(token) {}
  }

  /// A removal hashes its key for the last time after the shard's lock was released.
  @Test func absenceEndsOnceTheKeyWasRemoved() async throws {
    let cache = try MemoryCache<HashHookedKey, String>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 10), shards: 1, clock: clock))
    let answers = Locked<[Bool]>([])
    let key = HashHookedKey(name: "a")
    let hooked = HashHookedKey(name: "a") { [unowned cache] in
      answers.withLock { $0.append(cache.loads.isAbsent(key)) }
    }
    let removals: [(MemoryCache<HashHookedKey, String>) -> Void] = [
      { $0.remove(hooked) }, { $0.update(hooked) { $0 = nil } },
      { $0.update(hooked, timeToLive: .zero) { $0 = "useless" } },
      { $0.set("useless", for: hooked, timeToLive: .zero) },
    ]
    for remove in removals {
      #expect(try await cache.value(for: key, negativeLife: .seconds(10)) { _ in nil } == nil)
      answers.withLock { $0 = [] }
      remove(cache)
      #expect(answers.withLock { ($0.first, $0.last) } == (true, false))
    }
  }

  /// Listeners learn of entries that `removeAll` has removed from a shard before it has returned.
  @Test func absenceEndsOnceAllKeysWereRemoved() async throws {
    let cache = try cache()
    #expect(try await ask(cache) == nil)
    cache.set("there", for: "b")
    let answers = Locked<[Bool]>([])
    let token = cache.onEvent { [unowned cache] _ in
      answers.withLock { $0.append(cache.loads.isAbsent("a")) }
    }
    #expect(cache.loads.isAbsent("a"))
    cache.removeAll()
    #expect(answers.withLock { $0 } == [false])
    withExtendedLifetime(token) {}
  }

  @Test func requestWithoutNegativeCachingLoadsItself() async throws {
    let cache = try cache()
    let gate = gate
    async let none = cache.value(for: "a", negativeLife: .seconds(10)) { _ in
      await gate.pass()
      return String?.none
    }
    while cache.loadStatistics.started == 0 { await Task.yield() }
    async let value = cache.value(for: "a") { _ in "there" }
    while cache.loadStatistics.joined == 0 { await Task.yield() }
    gate.open()
    #expect(try await none == nil)
    #expect(try await value == "there")
    #expect(cache.value(for: "a") == "there")
    #expect(try await ask(cache) == "there")
  }

  @Test func negativeCountLimitsRememberedKeys() async throws {
    let cache = try cache(negativeCount: 8)
    for key in 0..<100 { #expect(try await ask(cache, "\(key)") == nil) }
    #expect(cache.loads.absences?.count == 8)
  }

  @Test func negativeCachingDoesNotChangeOtherCounts() async throws {
    let cache = try cache()
    #expect(try await ask(cache) == nil)
    let before = cache.statistics
    cache.set("b", for: "b")
    #expect(cache.value(for: "b") == "b")
    #expect(cache.statistics.sets == before.sets + 1)
    #expect(cache.statistics.hits == before.hits + 1)
    #expect(cache.statistics.misses == before.misses)
  }
}
