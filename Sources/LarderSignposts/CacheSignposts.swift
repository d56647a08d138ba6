#if canImport(os)
  public import os

  /// Signposts for the loads of a cache, which Instruments shows as intervals.
  ///
  /// Wrap the loader of `MemoryCache.value(for:load:)` or the origin of a `HybridCache`. An
  /// interval named `load` contains the name of the cache and, at its end, if the load failed.
  /// Requests that only wait for a load have no interval. While Instruments is not recording, a
  /// signpost costs next to nothing.
  ///
  /// ```swift
  /// let signposts = CacheSignposts(cache: "avatars", subsystem: "org.example.app")
  /// let avatar = try await cache.value(for: id, load: signposts.load(fetchAvatar))
  /// ```
  public struct CacheSignposts: Sendable {
    private let cache: String
    private let signposter: OSSignposter

    /// Creates signposts in a category of the app's subsystem, such as its bundle identifier. The
    /// name of the cache is shown in intervals and is not private in logs; the category
    /// `PointsOfInterest` is for the instrument of that name.
    public init(cache: String, subsystem: String, category: String = "Cache") {
      self.init(cache: cache, signposter: OSSignposter(subsystem: subsystem, category: category))
    }

    /// Creates signposts with a signposter of the app; `OSSignposter.disabled` for none.
    public init(cache: String, signposter: OSSignposter) {
      self.cache = cache
      self.signposter = signposter
    }

    /// Returns a loader that runs `body` in an interval.
    public func load<Input: Sendable, Output>(
      _ body: @escaping @Sendable (Input) async throws -> Output
    ) -> @Sendable (Input) async throws -> Output {
      { input in
        let id = signposter.makeSignpostID()
        let interval = signposter.beginInterval("load", id: id, "\(cache, privacy: .public)")
        do {
          let output = try await body(input)
          signposter.endInterval("load", interval)
          return output
        } catch {
          signposter.endInterval("load", interval, "failed")
          throw error
        }
      }
    }
  }
#endif
