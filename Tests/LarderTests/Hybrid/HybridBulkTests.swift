import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Requests for several keys with one call of a loader, alone and together with single requests.
@Suite(.endsInTime) struct HybridBulkTests {
  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    _ change: (inout HybridCacheConfiguration) -> Void = { _ in }
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(memory: 40, disk: 100, clock: clock)
    change(&configuration)
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  /// Keys of each call of a bulk loader.
  private final class Calls: Sendable {
    private let all = Locked<[[String]]>([])
    func note(_ keys: [String]) { all.withLock { $0.append(keys) } }
    var keys: [[String]] { all.withLock { $0 } }
  }

  @Test func oneLoadFetchesAllMissingKeys() async throws {
    let (cache, calls) = (try cache(), Calls())
    try cache.set(1, for: "1")
    try cache.set(2, for: "2")
    cache.trimMemory(toCount: 0)
    try cache.set(3, for: "3")
    let keys = (0..<100).map { "\($0 % 60)" }
    let values = try await cache.values(for: keys) { keys in
      calls.note(keys)
      return Dictionary(uniqueKeysWithValues: keys.map { ($0, Int($0) ?? -1) })
    }
    #expect(values.count == 60 && values.allSatisfy { $0.key == "\($0.value)" })
    let missing = Set((0..<60).map { "\($0)" }).subtracting(["1", "2", "3"])
    #expect(calls.keys.count == 1 && Set(calls.keys.first ?? []) == missing)
    #expect(calls.keys.first?.count == 57)
    let again = try await cache.values(for: keys) { _ in throw OriginFailure() }
    #expect(again == values)
    #expect(cache.statistics.fetches == 57)
    #expect(try await cache.values(for: [String]()) { _ in throw OriginFailure() }.isEmpty)
  }

  @Test func keysWithoutAValueAreLeftOutAndNotAskedAgain() async throws {
    let (cache, calls) = (try cache { $0.negativeLife = .seconds(10) }, Calls())
    for _ in 0..<2 {
      let values = try await cache.values(for: ["a", "b", "c"]) { keys in
        calls.note(keys)
        return ["a": 1]
      }
      #expect(values == ["a": 1])
    }
    #expect(calls.keys.map(\.count) == [3])
    #expect(cache.statistics.negativeHits == 2)
    clock.advance(seconds: 10)
    _ = try await cache.values(for: ["a", "b", "c"]) { keys in
      calls.note(keys)
      return [:]
    }
    #expect(calls.keys.map { $0.sorted() }.last == ["b", "c"])
  }

  @Test func loaderReceivesVersionsAndMayConfirm() async throws {
    let cache = try cache()
    try cache.set(
      1, for: "a", options: DiskStoreOptions(timeToLive: .seconds(5), version: "v1"))
    clock.advance(seconds: 6)
    let results = await cache.results(for: ["a", "b", "c"]) { requests in
      #expect(requests.map(\.version).compactMap { $0 } == ["v1"])
      return ["a": .notModified(maxAge: .seconds(5)), "b": .unstored(2), "c": .absent]
    }
    #expect(results["a"]?.kind.hasSuffix("revalidated") ?? false)
    #expect(results["b"]?.value == 2 && results["c"]?.kind == "absent")
    #expect(try cache.value(for: "a") == 1 && !cache.contains("b"))
  }

  @Test func singleRequestWaitsForARunningBulkLoad() async throws {
    let (cache, gate) = (try cache(), Gate())
    async let bulk = cache.values(for: ["a", "b"]) { keys in
      await gate.pass()
      return ["a": 1, "b": 2]
    }
    await gate.hasArrivals(1)
    async let single = cache.value(for: "a") { _ in -1 }
    while cache.statistics.joined < 1 { await Task.yield() }
    gate.open()
    #expect(try await single == 1)
    #expect(try await bulk == ["a": 1, "b": 2])
  }

  @Test func bulkRequestWaitsForARunningSingleLoad() async throws {
    let (cache, gate, calls) = (try cache(), Gate(), Calls())
    async let single = cache.value(for: "a") { _ in
      await gate.pass()
      return 1
    }
    await gate.hasArrivals(1)
    async let bulk = cache.values(for: ["a", "b"]) { keys in
      calls.note(keys)
      return ["b": 2]
    }
    while cache.statistics.joined < 1 { await Task.yield() }
    gate.open()
    #expect(try await bulk == ["a": 1, "b": 2])
    #expect(try await single == 1)
    #expect(calls.keys == [["b"]])
  }

  @Test func errorReachesEveryRequest() async throws {
    let (cache, gate) = (try cache(), Gate())
    async let bulk = cache.results(for: ["a", "b"]) { _ in
      await gate.pass()
      throw OriginFailure(code: 7)
    }
    await gate.hasArrivals(1)
    async let single = cache.result(for: "b") { _ in .value(-1) }
    while cache.statistics.joined < 1 { await Task.yield() }
    gate.open()
    let results = await bulk
    #expect(results.values.map(\.kind) == ["failure OriginFailure", "failure OriginFailure"])
    #expect(await single.kind == "failure OriginFailure")
    await #expect(throws: OriginFailure(code: 8)) {
      try await cache.values(for: ["a", "b"]) { _ in throw OriginFailure(code: 8) }
    }
    #expect(try await cache.values(for: ["a"]) { _ in ["a": 4] } == ["a": 4])
  }

  @Test func staleValueReplacesAFailingOrigin() async throws {
    let cache = try cache { $0.staleIfError = .seconds(60) }
    try cache.set(1, for: "a", options: DiskStoreOptions(timeToLive: .seconds(5)))
    clock.advance(seconds: 6)
    let values = try await cache.values(for: ["a"]) { _ in throw OriginFailure() }
    #expect(values == ["a": 1])
  }

  /// The load continues for a request that has joined, and ends with the last.
  @Test(arguments: [false, true]) func loadIsCancelledWithItsLastRequest(isJoined: Bool)
    async throws
  {
    let (cache, gate, wasCancelled) = (try cache(), Gate(), Locked<Bool?>(nil))
    let bulk = Task {
      try await cache.values(for: ["a", "b"]) { _ in
        await gate.pass()
        wasCancelled.withLock { $0 = Task.isCancelled }
        return ["a": 1, "b": 2]
      }
    }
    await gate.hasArrivals(1)
    let single = isJoined ? Task { try await cache.value(for: "a") { _ in -1 } } : nil
    while isJoined, cache.statistics.joined < 1 { await Task.yield() }
    bulk.cancel()
    await #expect(throws: CancellationError.self) { try await bulk.value }
    gate.open()
    if let single { #expect(try await single.value == 1) }
    while wasCancelled.withLock({ $0 == nil }) { await Task.yield() }
    #expect(wasCancelled.withLock { $0 } == !isJoined)
    // The value of the key that nobody waited for is not stored.
    while cache.stripes.all.contains(where: { stripe in
      stripe.lock.lock()
      defer { stripe.lock.unlock() }
      return !stripe.flights.isEmpty
    }) { await Task.yield() }
    #expect(try cache.value(for: "a") == (isJoined ? 1 : nil))
    #expect(try cache.value(for: "b") == nil)
  }

  @Test func keySetDuringTheLoadKeepsItsValue() async throws {
    let (cache, gate) = (try cache(), Gate())
    async let bulk = cache.values(for: ["a", "b", "c"]) { _ in
      await gate.pass()
      return ["a": 1, "b": 2, "c": 3]
    }
    await gate.hasArrivals(1)
    try cache.set(9, for: "a")
    try cache.remove("b")
    gate.open()
    #expect(try await bulk == ["a": 1, "b": 2, "c": 3])
    #expect(try cache.value(for: "a") == 9)
    #expect(try cache.value(for: "b") == nil)
    #expect(try cache.value(for: "c") == 3)
  }

  @Test func loaderMayNotRequestItsOwnKeys() async throws {
    let cache = try cache()
    let values = try await cache.values(for: ["a", "b"]) { _ in
      let result = await cache.result(for: "b") { _ in .value(-1) }
      #expect(result.kind == "failure HybridCacheError")
      return ["a": try await cache.value(for: "c") { _ in 5 }]
    }
    #expect(values == ["a": 5])
  }

  @Test func cachedValuesAreReturnedAndRefreshedByOneLoad() async throws {
    let (cache, calls, gate) = (try cache { $0.strategy = .cacheThenFetch }, Calls(), Gate())
    for key in ["a", "b"] { try cache.set(1, for: key) }
    let events = cache.eventStream()
    let values = try await cache.values(for: ["a", "b"]) { keys in
      calls.note(keys)
      await gate.pass()
      return ["a": 2, "b": 2]
    }
    #expect(values == ["a": 1, "b": 1])
    gate.open()
    var refreshed = 0
    for await event in events {
      if case .fetch(isBackground: true) = event.kind { refreshed += 1 }
      if refreshed == 2 { break }
    }
    #expect(calls.keys.map(\.count) == [2])
    #expect(try cache.values(for: ["a", "b"]) == ["a": 2, "b": 2])
  }

  // MARK: A bound loader

  @Test(arguments: [false, true]) func boundLoaderAnswersRequests(hasAll: Bool) async throws {
    let calls = Calls()
    let all: HybridCache<String, Int>.BulkLoader = { requests in
      calls.note(requests.map(\.key))
      return requests.reduce(into: [:]) { $0[$1.key] = Int($1.key).map { .value($0) } }
    }
    let cache = try LoadingHybridCache<String, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration(memory: 40, disk: 100),
      load: { request in
        calls.note([request.key])
        return Int(request.key).map { .value($0) } ?? .absent
      }, loadAll: hasAll ? all : nil)
    #expect(try await cache.value(for: "1") == 1)
    #expect(try await cache.value(for: "1") == 1)
    #expect(await cache.result(for: "1").kind == "hit memory fresh")
    #expect(calls.keys == [["1"]])
    await #expect(throws: HybridCacheError.self) { try await cache.value(for: "x") }
    let keys = (0..<30).map { "\($0)" } + ["x", "1"]
    let values = try await cache.values(for: keys)
    #expect(values == Dictionary(uniqueKeysWithValues: (0..<30).map { ("\($0)", $0) }))
    #expect(calls.keys.count == (hasAll ? 3 : 2 + 30))
    #expect(try await cache.value(for: "1", strategy: .fetch) == 1)
    #expect(try cache.cache.value(for: "29") == 29)
  }
}
