import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Responses of an origin that are returned and not stored: `no-store` and `max-age=0`.
@Suite struct HybridUnstoredTests {
  /// Tiers in which a hybrid cache could store a value, and if it keeps expired ones.
  enum Setting: CaseIterable {
    case plain, exclusive, placed, memoryOnly, diskOnly, stale

    func configuration(_ clock: ManualClock) -> HybridCacheConfiguration {
      var configuration: HybridCacheConfiguration
      switch self {
      case .plain: configuration = HybridTestCaches.configuration(clock: clock)
      case .exclusive:
        configuration = HybridTestCaches.configuration(
          rules: HybridRules(inclusion: .exclusive), clock: clock)
      case .placed:
        configuration = HybridTestCaches.configuration(
          rules: HybridRules(placement: HybridRules.Placement()), clock: clock)
      case .memoryOnly: configuration = HybridTestCaches.configuration(disk: nil, clock: clock)
      case .diskOnly: configuration = HybridTestCaches.configuration(memory: nil, clock: clock)
      case .stale:
        configuration = HybridTestCaches.configuration(clock: clock)
        configuration.strategy = .cacheThenFetch
        configuration.staleIfError = .seconds(60)
        configuration.staleWhileRevalidate = .seconds(60)
      }
      return configuration
    }
  }

  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    _ setting: Setting, _ change: (inout HybridCacheConfiguration) -> Void = { _ in }
  ) throws -> HybridCache<String, Int> {
    var configuration = setting.configuration(clock)
    change(&configuration)
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  private func expectNothing(_ cache: HybridCache<String, Int>) throws {
    try cache.flush()
    #expect(try cache.entry(for: "a") == nil)
    #expect(cache.memory?.count ?? 0 == 0 && cache.disk?.count ?? 0 == 0)
    #expect(cache.memory?.statistics.sets ?? 0 == 0)
    #expect(cache.disk?.statistics.admissions ?? 0 == 0)
  }

  @Test(
    arguments: Setting.allCases,
    [
      OriginAnswer<Int>.unstored(1), .value(1, maxAge: .zero), .value(1, maxAge: .seconds(-1)),
      .value(1, cacheControl: "no-store"), .value(1, cacheControl: "max-age=0"),
      .value(1, cacheControl: "no-store, max-age=60", version: "v"),
    ])
  func firstNoStoreResponseIsNotStored(setting: Setting, answer: OriginAnswer<Int>) async throws {
    let cache = try cache(setting)
    for _ in 0..<2 {
      let result = await cache.result(for: "a") { request in
        #expect(request.version == nil)
        return answer
      }
      #expect(result.kind == "miss" && result.value == 1)
    }
    try expectNothing(cache)
    #expect(cache.readStatistics().loads.started == 2)
  }

  /// The previous value must not be returned later.
  @Test(arguments: Setting.allCases)
  func noStoreResponseRemovesTheOldValue(setting: Setting) async throws {
    let cache = try cache(setting)
    for answer in [OriginAnswer<Int>.unstored(2), .value(2, maxAge: .zero)] {
      try await cache.set(1, for: "a")
      #expect(await cache.result(for: "a", strategy: .fetch) { _ in answer }.value == 2)
      #expect(try await cache.entry(for: "a") == nil)
      #expect(cache.memory?.count ?? 0 == 0 && cache.disk?.count ?? 0 == 0)
    }
  }

  @Test func aSetThatOvertakesItStays() async throws {
    let cache = try cache(.plain)
    let gate = Gate()
    async let result = cache.result(for: "a") { _ in
      await gate.pass()
      return .unstored(1)
    }
    await gate.hasArrivals(1)
    try await cache.set(5, for: "a")
    gate.open()
    #expect(await result.value == 1)
    #expect(try await cache.entry(for: "a")?.value == 5)
  }

  /// With a version it can be revalidated, and no get returns it.
  @Test(arguments: [Setting.plain, .memoryOnly, .diskOnly])
  func versionIsKeptForRevalidation(setting: Setting) async throws {
    let cache = try cache(setting)
    _ = await cache.result(for: "a") { _ in .value(1, cacheControl: "no-cache", version: "v1") }
    #expect(try await cache.entry(for: "a") == nil)
    let result = await cache.result(for: "a") { request in
      request.version == "v1" ? .notModified() : .absent
    }
    #expect(result.value == 1 && result.kind.hasSuffix("revalidated"))
    let other = try self.cache(.memoryOnly) { $0.revalidateWithin = .zero }
    _ = await other.result(for: "a") { _ in .value(1, version: "v1", maxAge: .zero) }
    try expectNothing(other)
  }

  /// The origin's value, not the cached one, even if it cannot be encoded.
  @Test(arguments: [false, true])
  func waitersReceiveCopiesOfTheOriginsValue(isStored: Bool) async throws {
    var configuration = HybridTestCaches.configuration(disk: nil, clock: clock)
    configuration.copiesOnRead = true
    let codec = DiskCodec<Int>(
      identity: "odd",
      encode: { value in
        if value == 13 { throw OriginFailure() }
        return Data([UInt8(value)])
      },
      decode: { data in Int(data.first ?? 0) })
    let cache = try await HybridCache<String, Int>(configuration: configuration, codec: codec)
    for value in [7, 13] {
      try await cache.set(1, for: "a")
      let gate = Gate()
      let load: HybridCache<String, Int>.Loader = { _ in
        await gate.pass()
        return isStored ? .value(value) : .unstored(value)
      }
      async let first = cache.result(for: "a", strategy: .fetch, load: load)
      await gate.hasArrivals(1)
      async let second = cache.result(for: "a", strategy: .fetch, load: load)
      while cache.readStatistics().loads.joined == 0 { await Task.yield() }
      gate.open()
      #expect(await first.value == value)
      #expect(await second.value == value)
      cache.resetCounts()
    }
  }

  @Test(arguments: [
    ("", nil, false), ("public", nil, false), ("max-age=60", 60, false),
    ("Public , MAX-AGE=\"60\"", 60, false), ("max-age = 60", 0, false),
    ("max-age=60, max-age=5", 5, false),
    ("max-age=", 0, false), ("max-age", 0, false), ("max-age=-1", 0, false),
    ("max-age=1.5", 0, false), ("max-age=99999999999999999999", 1 << 31, false),
    ("no-cache", 0, false), ("no-cache=\"Set-Cookie\", max-age=9", 9, false),
    ("private=\"a,no-store\", max-age=9", 9, false), ("no-store", nil, true),
    ("max-age=60,No-Store", nil, true), ("s-maxage=7", nil, false), (",,=,\"", nil, false),
    ("a=\",no-store", nil, true), ("max-age=\"6\\0\"", 60, false),
  ])
  func headersAreRead(header: String, seconds: Int?, forbids: Bool) {
    switch OriginAnswer.value(1, cacheControl: header) {
    case .unstored: #expect(forbids)
    case .value(_, _, let maxAge, _, _), .mustRevalidate(_, _, let maxAge, _, _):
      #expect(!forbids && maxAge == seconds.map { .seconds($0) })
    default: Issue.record("no value")
    }
  }

  @Test func theLimitsApplyWithoutAHeader() {
    guard case .value(1, nil, nil, nil, 1) = OriginAnswer.value(1, cacheControl: nil) else {
      Issue.record("a header that is not there says something")
      return
    }
  }
}
