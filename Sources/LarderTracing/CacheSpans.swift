#if Tracing
  public import Tracing

  /// Spans of swift-distributed-tracing for the loads of a cache.
  ///
  /// Wrap the loader of `MemoryCache.value(for:load:)` or the origin of a `HybridCache`. The span
  /// is a child of the span of the request that started the load; requests that only wait for it
  /// have no span of their own. Errors are recorded and thrown.
  ///
  /// ```swift
  /// let spans = CacheSpans(cache: "users")
  /// let user = try await cache.value(for: id, load: spans.load("load user", fetchUser))
  /// ```
  public struct CacheSpans: Sendable {
    private let cache: String
    private let tracer: (any Tracer)?

    /// Creates spans with the attribute `cache.name`, for the tracer that `InstrumentationSystem`
    /// was bootstrapped with unless another is given.
    public init(cache: String, tracer: (any Tracer)? = nil) {
      self.cache = cache
      self.tracer = tracer
    }

    /// Returns a loader that runs `body` in a span with the name `operation`.
    public func load<Input: Sendable, Output>(
      _ operation: String = "cache load",
      _ body: @escaping @Sendable (Input) async throws -> Output
    ) -> @Sendable (Input) async throws -> Output {
      { input in
        let tracer = tracer ?? InstrumentationSystem.tracer
        return try await tracer.withAnySpan(operation, ofKind: .client) { span in
          span.attributes["cache.name"] = cache
          return try await body(input)
        }
      }
    }
  }
#endif
