import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Conditions of a refresh, and the lifetime of a confirmed value.
@Suite struct HybridRefreshTests {
  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    memory: Int? = 4, disk: Int? = 40,
    _ change: (inout HybridCacheConfiguration) -> Void = { _ in }
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(memory: memory, disk: disk, clock: clock)
    change(&configuration)
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  /// RFC 9111, 4.3.4; `W/"1"` and `"1"` are about the same representation only if the first one is
  /// that of the origin.
  @Test(
    arguments: [
      ("W/\"1\"", "W/\"2\"", false), ("W/\"1\"", "\"1\"", false), ("\"1\"", "W/\"1\"", true),
      ("1", "2", false), ("1", "1", true), ("1", nil, true),
    ] as [(String, String?, Bool)])
  func confirmationOfAnotherVersionIsAskedAgain(
    version: String, confirmed: String?, isConfirmed: Bool
  ) async throws {
    let cache = try cache()
    let asked = Locked<[String?]>([])
    let load: HybridCache<String, Int>.Loader = { request in
      asked.withLock { $0.append(request.version) }
      return request.version == nil
        ? .value(2, version: confirmed) : .notModified(version: confirmed)
    }
    for key in ["a", "b"] {
      try await cache.set(1, for: key, options: DiskStoreOptions(version: version))
    }
    let result = await cache.result(for: "a", strategy: .fetch, load: load)
    #expect(result.value == (isConfirmed ? 1 : 2))
    #expect(asked.withLock { $0 } == (isConfirmed ? [version] : [version, nil]))
    let results = await cache.results(for: ["b", "c"], strategy: .fetch) { requests in
      var answers: [String: OriginAnswer<Int>] = [:]
      for request in requests { answers[request.key] = try await load(request) }
      return answers
    }
    #expect(results["b"]?.value == (isConfirmed ? 1 : 2) && results["c"]?.value == 2)
    for key in ["a", "b"] { #expect(try await cache.value(for: key) == (isConfirmed ? 1 : 2)) }
  }

  @Test func confirmationOfNoVersionTwiceFails() async throws {
    let cache = try cache()
    try await cache.set(1, for: "a", options: DiskStoreOptions(version: "1"))
    let result = await cache.result(for: "a", strategy: .fetch) { _ in .notModified(version: "2") }
    #expect(throws: HybridCacheError.self) { try result.get() }
    #expect(try await cache.entry(for: "a")?.version == "1")
  }

  @Test(.timeLimit(.minutes(30)), arguments: [(4, 40), (4, nil), (nil, 40)] as [(Int?, Int?)])
  func expiredValueIsReturnedDuringARefresh(memory: Int?, disk: Int?) async throws {
    let gate = Gate()
    let (cache, origin) = (try cache(memory: memory, disk: disk), TestOrigin(gate: gate))
    try await cache.set(7, for: "a", options: DiskStoreOptions(timeToLive: .seconds(10)))
    clock.advance(seconds: 10)
    let answers = Locked<[String]>([])
    let request = Task {
      let result = await cache.result(for: "a", strategy: .cacheThenFetch, load: origin.answer)
      answers.withLock { $0.append("\(result.kind) \(result.value ?? -1)") }
    }
    await gate.hasArrivals(1)
    // The origin is delayed until there is a result, or for a second if there is none.
    for _ in 0..<1000 where answers.withLock({ $0.isEmpty }) {
      try await Task.sleep(for: .milliseconds(1))
    }
    let events = cache.eventStream()
    gate.open()
    await request.value
    #expect(answers.withLock { $0 } == ["hit \(disk == nil ? "memory" : "disk") stale 7"])
    for await event in events { if case .fetch(isBackground: true) = event.kind { break } }
    #expect(try await cache.entry(for: "a")?.value == 0)
  }

  @Test func valueWithinTheOriginsMaxAgeIsNotRefreshed() async throws {
    let (cache, origin) = (try cache { $0.strategy = .cacheThenFetch }, TestOrigin())
    origin.set { $0.maxAge = .seconds(10) }
    #expect(await cache.result(for: "a", load: origin.answer).kind == "miss")
    clock.advance(seconds: 9)
    for _ in 0..<3 {
      #expect(await cache.result(for: "a", load: origin.answer).kind == "hit memory fresh")
    }
    cache.handle(.critical)
    #expect(await cache.result(for: "a", load: origin.answer).kind == "hit disk fresh")
    var updates: [String] = []
    for await result in cache.updates(for: "a", load: origin.answer) { updates.append(result.kind) }
    #expect(updates == ["hit memory fresh"])
    #expect(cache.readStatistics().loads.started == 1)
    clock.advance(seconds: 1)
    _ = await cache.result(for: "a", load: origin.answer)
    #expect(cache.readStatistics().loads.started == 2)
  }

  // MARK: Renewing

  @Test(arguments: [(4, 40), (4, nil), (nil, 40)] as [(Int?, Int?)])
  func notModifiedKeepsTheLifetime(memory: Int?, disk: Int?) async throws {
    let cache = try cache(memory: memory, disk: disk)
    try await cache.set(
      7, for: "a", options: DiskStoreOptions(timeToLive: .seconds(10), version: "v"))
    for _ in 0..<3 {
      clock.advance(seconds: 10)
      let result = await cache.result(for: "a") { _ in .notModified() }
      guard case .hit(let hit) = result else {
        Issue.record("\(result)")
        return
      }
      #expect(hit.expiry.microseconds == clock.time + 10_000_000)
      #expect(try await cache.entry(for: "a")?.expiry.microseconds == clock.time + 10_000_000)
    }
    clock.advance(seconds: 10)
    #expect(try await cache.entry(for: "a") == nil)
  }

  @Test func notModifiedKeepsTheLimitOfTheCache() async throws {
    let cache = try cache { $0.disk?.limits.age = .seconds(30) }
    try await cache.set(7, for: "a", options: DiskStoreOptions(version: "v"))
    clock.advance(seconds: 30)
    // Memory has no limit of its own here.
    cache.handle(.critical)
    _ = await cache.result(for: "a") { _ in .notModified() }
    #expect(try await cache.entry(for: "a")?.expiry.microseconds == 1_060_000_000)
  }
}
