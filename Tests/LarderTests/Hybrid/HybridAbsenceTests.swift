import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Absences that the origin reports, and that are remembered for a while.
@Suite(.endsInTime) struct HybridAbsenceTests {
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

  /// An origin without values, which counts its requests.
  private final class EmptyOrigin: Sendable {
    let requests = Locked(0)
    let answer: OriginAnswer<Int>
    init(_ answer: OriginAnswer<Int> = .absent(for: .seconds(10))) { self.answer = answer }
    func load(_ request: OriginRequest<String>) async throws -> OriginAnswer<Int> {
      requests.withLock { $0 += 1 }
      return answer
    }
    var count: Int { requests.withLock { $0 } }
  }

  @Test(
    arguments: [(4, 40), (4, nil), (nil, 40)] as [(Int?, Int?)],
    [CacheStrategy.cacheElseFetch, .cacheThenFetch])
  func absenceIsRememberedForItsTime(
    _ tiers: (memory: Int?, disk: Int?), _ strategy: CacheStrategy
  ) async throws {
    let cache = try cache(memory: tiers.memory, disk: tiers.disk) { $0.strategy = strategy }
    let origin = EmptyOrigin()
    for _ in 0..<3 { #expect(await cache.result(for: "a", load: origin.load).kind == "absent") }
    #expect(origin.count == 1 && cache.readStatistics().loads.negativeHits == 2)
    await #expect(throws: LoadError.self) { try await cache.value(for: "a") { _ in 1 } }
    clock.advance(seconds: 9)
    #expect(await cache.result(for: "a", load: origin.load).kind == "absent")
    #expect(origin.count == 1)
    clock.advance(seconds: 1)
    #expect(await cache.result(for: "a", load: origin.load).kind == "absent")
    #expect(origin.count == 2)
  }

  @Test func configurationGivesAbsencesTheirTime() async throws {
    let cache = try cache { $0.negativeLife = .seconds(10) }
    let (plain, none) = (EmptyOrigin(.absent), EmptyOrigin(.absent(for: .zero)))
    for _ in 0..<2 { _ = await cache.result(for: "a", load: plain.load) }
    #expect(plain.count == 1)
    // The origin's own time has precedence.
    for _ in 0..<2 { _ = await cache.result(for: "b", load: none.load) }
    #expect(none.count == 2)
    clock.advance(seconds: 10)
    _ = await cache.result(for: "a", load: plain.load)
    #expect(plain.count == 2)
  }

  @Test func strategyFetchAsksAgain() async throws {
    let (cache, origin) = (try cache(), EmptyOrigin())
    _ = await cache.result(for: "a", load: origin.load)
    #expect(try await cache.value(for: "a", strategy: .fetch) { _ in 5 } == 5)
    #expect(await cache.result(for: "a", load: origin.load).value == 5)
    try await cache.remove("a")
    _ = await cache.result(for: "a", load: origin.load)
    #expect(origin.count == 2)
  }

  @Test func numberOfRememberedKeysIsLimited() async throws {
    let (cache, origin) = (try cache { $0.memory?.configuration.negativeCount = 10 }, EmptyOrigin())
    for number in 0..<100 { _ = await cache.result(for: "\(number)", load: origin.load) }
    for number in 0..<100 { _ = await cache.result(for: "\(number)", load: origin.load) }
    #expect((190...200).contains(origin.count))
  }

  @Test func reopenedCacheAsksAgain() async throws {
    let origin = EmptyOrigin()
    let cache = try cache()
    _ = await cache.result(for: "a", load: origin.load)
    try await cache.close()
    let again = try self.cache()
    _ = await again.result(for: "a", load: origin.load)
    #expect(origin.count == 2)
  }
}
