#if canImport(os)
  import Larder
  import LarderSignposts
  import Testing
  import os

  struct SignpostTests {
    private struct Failure: Error {}

    @Test func aLoadReturnsWhatTheLoaderReturns() async throws {
      let cache = MemoryCache<Int, Int>(count: 10)
      let signposts = CacheSignposts(cache: "squares", subsystem: "org.example.larder")
      let load = signposts.load { (key: Int) in key * key }
      #expect(try await cache.value(for: 7, load: load) == 49)
      #expect(cache.value(for: 7) == 49)
    }

    @Test func aLoadThrowsWhatTheLoaderThrows() async throws {
      let signposts = CacheSignposts(cache: "failures", signposter: OSSignposter.disabled)
      let load: @Sendable (Int) async throws -> Int = signposts.load { _ in throw Failure() }
      await #expect(throws: Failure.self) { try await load(1) }
    }
  }
#endif
