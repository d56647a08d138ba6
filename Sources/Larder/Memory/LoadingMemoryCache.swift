/// A memory cache with the loader of its values.
///
///     let users = try LoadingMemoryCache(limits: MemoryCacheLimits(count: 10_000)) { id in
///       try await database.user(id)
///     } loadAll: { ids in
///       try await database.users(ids)
///     }
///     let user = try await users.value(for: id)
///
/// All loads work as described for `MemoryCache.value(for:load:)` and
/// `MemoryCache.values(for:load:)`: requests for a key share one load, errors are not stored, and
/// values that are due for a refresh are reloaded in the background. A hit costs as much as
/// `MemoryCache.value(for:)`. Everything else is done with the `cache` itself, such as
/// `users.cache.remove(id)` for a user who has changed.
public struct LoadingMemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The cache that stores the values.
  public let cache: MemoryCache<Key, Value>
  @usableFromInline let source: MemorySource<Key, Value>
  /// True if values are reloaded before they expire, which a hit has to check.
  @usableFromInline let refreshes: Bool

  /// Creates an empty cache with limits, and otherwise the default configuration.
  ///
  /// - Parameters: See `init(_:negativeLife:timeToLive:fetchCost:load:loadAll:)` and `MemoryCache`.
  /// - Throws: `MemoryCacheError` if a limit is invalid; the error names it.
  public init(
    limits: MemoryCacheLimits, negativeLife: Duration? = nil,
    weigh: (@Sendable (Value) -> Int)? = nil,
    timeToLive: @escaping @Sendable (Key, Value) -> Duration? = { _, _ in nil },
    fetchCost: @escaping @Sendable (Key, Value) -> Float = { _, _ in 1 },
    load: @escaping @Sendable (Key) async throws -> Value?,
    loadAll: (@Sendable ([Key]) async throws -> [Key: Value])? = nil
  ) throws(MemoryCacheError) {
    try self.init(
      MemoryCacheConfiguration(limits: limits), negativeLife: negativeLife, weigh: weigh,
      timeToLive: timeToLive, fetchCost: fetchCost, load: load, loadAll: loadAll)
  }

  /// Creates an empty cache.
  ///
  /// - Parameters: See `init(_:negativeLife:timeToLive:fetchCost:load:loadAll:)` and `MemoryCache`.
  /// - Throws: `MemoryCacheError` if the policy or a number is invalid; the error names it.
  public init(
    _ configuration: MemoryCacheConfiguration, negativeLife: Duration? = nil,
    weigh: (@Sendable (Value) -> Int)? = nil,
    timeToLive: @escaping @Sendable (Key, Value) -> Duration? = { _, _ in nil },
    fetchCost: @escaping @Sendable (Key, Value) -> Float = { _, _ in 1 },
    load: @escaping @Sendable (Key) async throws -> Value?,
    loadAll: (@Sendable ([Key]) async throws -> [Key: Value])? = nil
  ) throws(MemoryCacheError) {
    self.init(
      try MemoryCache(configuration, weigh: weigh), negativeLife: negativeLife,
      timeToLive: timeToLive, fetchCost: fetchCost, load: load, loadAll: loadAll)
  }

  /// Adds a loader to a cache, for example one that was created with `onRemoval:`.
  ///
  /// - Parameters:
  ///   - cache: The cache; it may be used directly at the same time.
  ///   - negativeLife: Time for which it is remembered that the origin has no value; nil to ask the
  ///     origin again with every request. See `MemoryCache.value(for:negativeLife:load:)`.
  ///   - timeToLive: Lifetime of a loaded value; nil for `limits.age`. A value with zero or less is
  ///     returned and not stored.
  ///   - fetchCost: Cost of loading a value again, for policies that use it; see `MemoryCache.set`.
  ///   - load: Asks the origin; returns nil if it has no value.
  ///   - loadAll: Asks the origin for several keys; the result lacks those without a value. Nil
  ///     calls `load` for each key.
  public init(
    _ cache: MemoryCache<Key, Value>, negativeLife: Duration? = nil,
    timeToLive: @escaping @Sendable (Key, Value) -> Duration? = { _, _ in nil },
    fetchCost: @escaping @Sendable (Key, Value) -> Float = { _, _ in 1 },
    load: @escaping @Sendable (Key) async throws -> Value?,
    loadAll: (@Sendable ([Key]) async throws -> [Key: Value])? = nil
  ) {
    self.cache = cache
    refreshes = cache.refreshAge != nil
    source = MemorySource(
      LoadedStorage(nil, timeToLive, fetchCost, negativeLife), load, loadAll)
  }

  /// Returns the value of a key, and loads it if the cache has none.
  ///
  /// On a hit the call stays on the actor of its caller.
  ///
  /// - Throws: The error of the loader; `MemoryLoadError.absent(key:)` if the origin has no value;
  ///   `CancellationError`, or another `MemoryLoadError`.
  @inlinable public func value(
    for key: Key, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Value {
    if !refreshes, let value = cache.value(for: key) { return value }
    return try await load(key)
  }

  /// Completes a request that is not answered by a mere hit. Not inlined: a hit would copy the key
  /// for the calls in it.
  @inlinable @inline(never) func load(_ key: Key) async throws -> Value {
    try await source.value(for: key, refreshes ? cache.value(for: key) : nil, cache)
  }

  /// Returns the values of several keys, without those for which the origin has none.
  ///
  /// Calls `loadAll` once for all keys that are missing and not being loaded already. Without
  /// `loadAll`, `load` is called for each of them, for up to 16 at the same time.
  ///
  /// - Throws: The first error of a loader, `CancellationError`, or `MemoryLoadError`.
  public func values(for keys: some Sequence<Key>) async throws -> [Key: Value] {
    if let all = source.all { return try await cache.values(for: keys, all) }
    return try await source.values(for: keys, cache)
  }

  /// Reloads the value of a key in the background, unless the key is being loaded already.
  ///
  /// The cached value is returned meanwhile, and kept if the load fails. If there is none, a
  /// request for the key waits for this load. Permanent entries are not reloaded.
  public func refresh(_ key: Key) {
    if source.one.storage.negativeLife != nil { cache.rememberAbsences() }
    cache.refresh([key], source.one.ofMany, isForced: true)
  }
}

/// Loaders of a `LoadingMemoryCache`.
@usableFromInline final class MemorySource<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let one: MemoryLoader<Key, Value>
  let all: MemoryBulkLoader<Key, Value>?

  init(
    _ storage: LoadedStorage<Key, Value>,
    _ load: @escaping @Sendable (Key) async throws -> Value?,
    _ loadAll: (@Sendable ([Key]) async throws -> [Key: Value])?
  ) {
    one = MemoryLoader(storage, load)
    all = loadAll.map { MemoryBulkLoader(storage: storage, load: $0) }
  }

  /// Completes a request that found a value which may be due for a refresh, or none.
  @usableFromInline func value(
    for key: Key, _ found: Value?, _ cache: MemoryCache<Key, Value>
  ) async throws -> Value {
    guard let value = try await cache.complete(key, found, one) else {
      throw MemoryLoadError.absent(key: "\(key)")
    }
    return value
  }

  func values(
    for keys: some Sequence<Key>, _ cache: MemoryCache<Key, Value>
  ) async throws -> [Key: Value] {
    var values: [Key: Value] = [:]
    var seen: Set<Key> = []
    var missing: [Key] = []
    for key in keys where seen.insert(key).inserted {
      if let value = cache.value(for: key) {
        values[key] = try await cache.complete(key, value, one)
      } else {
        missing.append(key)
      }
    }
    try await withThrowingTaskGroup(of: (Key, Value?).self) { group in
      for (number, key) in missing.enumerated() {
        if number >= 16, let (key, value) = try await group.next() { values[key] = value }
        group.addTask { (key, try await cache.complete(key, nil, self.one)) }
      }
      for try await (key, value) in group { values[key] = value }
    }
    return values
  }
}
