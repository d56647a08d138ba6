import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Code of the app that a hybrid cache calls, and that calls the cache.
@Suite(.endsInTime) struct HybridReentrancyTests {
  private final class Holder: Sendable {
    let cache = Locked<HybridCache<Int, Int>?>(nil)
  }

  /// Creates a cache whose codec calls `body` with it whenever a value is decoded or encoded.
  private static func cache(
    in folder: ScratchFolder, _ body: @escaping @Sendable (HybridCache<Int, Int>) -> Void
  ) throws -> HybridCache<Int, Int> {
    let holder = Holder()
    @Sendable func call() { if let cache = holder.cache.withLock({ $0 }) { body(cache) } }
    let codec = DiskCodec<Int>(
      identity: "calling",
      encode: { value in
        call()
        return Data("\(value)".utf8)
      },
      decode: { data in
        call()
        return Int(String(decoding: data, as: UTF8.self)) ?? 0
      })
    let cache = try HybridCache<Int, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration(), codec: codec)
    for key in 0..<70 { try cache.set(key, for: key) }
    cache.handle(.critical)
    holder.cache.withLock { $0 = cache }
    return cache
  }

  #if DEBUG
    @Test func codecThatCallsItsCacheTrapsInDebugBuilds() async {
      await #expect(processExitsWith: .failure) {
        let folder = try ScratchFolder()
        let cache = try HybridReentrancyTests.cache(in: folder) { cache in
          _ = try? cache.entry(for: 7)
        }
        _ = try cache.entry(for: 63)
        withExtendedLifetime(folder) {}
      }
    }
  #else
    /// With and without a common stripe of both keys.
    @Test func codecThatCallsItsCacheGetsAnErrorInReleaseBuilds() throws {
      let failures = Locked(0)
      let folder = try ScratchFolder()
      let cache = try Self.cache(in: folder) { cache in
        for key in 0..<70 {
          do { _ = try cache.entry(for: key) } catch HybridCacheError.calledFromWithin {
            failures.withLock { $0 += 1 }
          } catch {}
        }
        _ = cache.readStatistics()
        _ = try? cache.set(1, for: 1)
        _ = try? cache.removeAll()
      }
      #expect(try cache.entry(for: 63)?.value == 63)
      #expect(failures.withLock { $0 } > 60)
      try cache.set(4, for: 100)
      #expect(try cache.entry(for: 100)?.value == 4)
      withExtendedLifetime(folder) {}
    }
  #endif

  /// Runs code of the app when it is destroyed.
  private final class CallingValue: Sendable {
    let number: Int
    private let atEnd: @Sendable (Int) -> Void

    init(_ number: Int, _ atEnd: @escaping @Sendable (Int) -> Void) {
      self.number = number
      self.atEnd = atEnd
    }

    deinit { atEnd(number) }

    static func codec(_ atEnd: @escaping @Sendable (Int) -> Void) -> DiskCodec<CallingValue> {
      DiskCodec(
        identity: "calling", encode: { Data("\($0.number)".utf8) },
        decode: { CallingValue(Int(String(decoding: $0, as: UTF8.self)) ?? 0, atEnd) })
    }
  }

  static let tiers: [(memory: Int?, disk: Int?, rules: HybridRules, copies: Bool)] = [
    (4, 40, HybridRules(), false), (4, 40, HybridRules(inclusion: .exclusive), false),
    (4, nil, HybridRules(), false), (nil, 40, HybridRules(), false),
    (4, 40, HybridRules(promotion: .secondHit), true),
  ]

  /// Every way out of the cache: replaced, evicted, moved, expired, removed, trimmed, closed.
  @Test(arguments: tiers) func deinitialiserOfAValueMayCallItsCache(
    _ setting: (memory: Int?, disk: Int?, rules: HybridRules, copies: Bool)
  ) async throws {
    let folder = try ScratchFolder()
    let clock = ManualClock(seconds: 1000)
    let held = Locked<HybridCache<Int, CallingValue>?>(nil)
    let (served, refused) = (Locked(0), Locked<[String]>([]))
    let atEnd: @Sendable (Int) -> Void = { number in
      guard let cache = held.withLock({ $0 }) else { return }
      do {
        _ = try cache.contains(number)
        _ = try cache.value(for: -1)
        try cache.remove(-2 - number)
        served.withLock { $0 += 1 }
      } catch {
        refused.withLock { $0.append("\(error)") }
      }
    }
    var configuration = HybridTestCaches.configuration(
      memory: setting.memory, disk: setting.disk, rules: setting.rules, clock: clock)
    configuration.copiesOnRead = setting.copies
    let cache = try await HybridCache<Int, CallingValue>(
      path: folder.path, configuration: configuration, codec: CallingValue.codec(atEnd))
    held.withLock { $0 = cache }
    for number in 0..<30 { try await cache.set(CallingValue(number, atEnd), for: number % 12) }
    for number in 0..<12 { _ = try await cache.value(for: number)?.number }
    try await cache.set(
      CallingValue(1, atEnd), for: 1, options: DiskStoreOptions(timeToLive: .seconds(5)))
    clock.advance(seconds: 10)
    #expect(try await cache.value(for: 1) == nil)
    try await cache.remove(2)
    for number in 0..<12 {
      _ = try await cache.value(for: number, strategy: .fetch) { CallingValue($0.key, atEnd) }
        .number
      let result = await cache.result(for: number + 100, strategy: .cacheThenFetch) {
        .value(CallingValue($0.key, atEnd), maxAge: .zero)
      }
      #expect(result.value?.number == number + 100)
    }
    try await cache.remove { $0.name.key == "3" }
    cache.trimMemory(toCount: 1)
    for number in 0..<6 { try await cache.set(CallingValue(number, atEnd), for: number) }
    try await cache.trim(toAge: .zero)
    try await cache.removeAll()
    #expect(refused.withLock { $0 } == [])
    #expect(served.withLock { $0 } >= 30)
    held.withLock { $0 = nil }
    try await cache.close()
  }

  /// Otherwise each event would cause the next.
  @Test func listenerThatGetsIsCalledOnce() throws {
    let folder = try ScratchFolder()
    let cache = try HybridCache<Int, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration())
    let told = Locked(0)
    let token = cache.onEvent { [unowned cache] event in
      told.withLock { $0 += 1 }
      _ = try? cache.entry(for: 1)
      _ = try? cache.entry(for: 2)
    }
    #expect(try cache.entry(for: 1) == nil)
    #expect(told.withLock { $0 } == 1)
    try cache.set(1, for: 1)
    let sets = told.withLock { $0 }
    #expect(sets > 1 && sets < 10)
    token.cancel()
  }
}
