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
          do { _ = try cache.entry(for: key) } catch HybridCacheError.calledByCodec {
            failures.withLock { $0 += 1 }
          } catch {}
        }
        _ = cache.statistics
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
