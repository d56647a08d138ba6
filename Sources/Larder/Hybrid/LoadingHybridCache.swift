/// A hybrid cache with the loader of its values.
///
/// ```swift
/// let articles = try LoadingHybridCache<String, Article>(name: "articles") { request in
///   .value(try await api.article(request.key))
/// } loadAll: { requests in
///   try await api.articles(requests.map(\.key)).mapValues { .value($0) }
/// }
/// let article = try await articles.value(for: id)
/// ```
///
/// All fetches work as described for `HybridCache.result(for:strategy:load:)` and
/// `HybridCache.results(for:strategy:load:)`. Everything else is done with the `cache` itself, such
/// as `articles.cache.remove(id)`.
public struct LoadingHybridCache<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  /// The cache that stores the values.
  public let cache: HybridCache<Key, Value>
  private let load: HybridCache<Key, Value>.Loader
  private let loadAll: HybridCache<Key, Value>.BulkLoader?

  /// Adds a loader to a cache, for example one with a codec.
  ///
  /// - Parameters:
  ///   - cache: The cache; it may be used directly at the same time.
  ///   - load: Asks the origin for the value of a key.
  ///   - loadAll: Asks the origin for the values of several keys; its result lacks those without
  ///     one. Nil calls `load` for each key.
  public init(
    _ cache: HybridCache<Key, Value>, load: @escaping HybridCache<Key, Value>.Loader,
    loadAll: HybridCache<Key, Value>.BulkLoader? = nil
  ) {
    self.cache = cache
    self.load = load
    self.loadAll = loadAll
  }

  /// Returns the value of a key, from the cache or from the origin.
  ///
  /// - Throws: The error of the loader, unless a stale value may be returned; `absent` if the
  ///   origin has no value; `CancellationError`.
  public func value(for key: Key, strategy: CacheStrategy? = nil) async throws -> Value {
    guard let value = try await result(for: key, strategy: strategy).get() else {
      throw HybridCacheError.absent(key: key.diskKey)
    }
    return value
  }

  /// Returns the value of a key and its source.
  public func result(
    for key: Key, strategy: CacheStrategy? = nil
  ) async -> CacheResult<Value> {
    await cache.result(for: key, strategy: strategy, load: load)
  }

  /// Returns the values of several keys, without keys that have none.
  ///
  /// Calls `loadAll` once for all keys for which the origin has to be asked. Without `loadAll`,
  /// `load` is called for each of them, for up to 16 at the same time.
  ///
  /// - Throws: The first error by the order of the keys, unless a stale value may be returned;
  ///   `CancellationError`.
  public func values(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil
  ) async throws -> [Key: Value] {
    let keys = Array(keys)
    return try HybridCache.values(keys, await results(for: keys, strategy: strategy))
  }

  /// Returns the values of several keys and their sources; see `values(for:)`.
  public func results(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil
  ) async -> [Key: CacheResult<Value>] {
    if let loadAll { return await cache.results(for: keys, strategy: strategy, load: loadAll) }
    var results: [Key: CacheResult<Value>] = [:]
    await withTaskGroup(of: (Key, CacheResult<Value>).self) { group in
      for (number, key) in Set(keys).enumerated() {
        if number >= 16, let (key, result) = await group.next() { results[key] = result }
        group.addTask { (key, await self.result(for: key, strategy: strategy)) }
      }
      for await (key, result) in group { results[key] = result }
    }
    return results
  }

  /// Returns the cached value first, if any, and then the result of a refresh: see
  /// `HybridCache.updates(for:load:)`.
  public func updates(for key: Key) -> AsyncStream<CacheResult<Value>> {
    cache.updates(for: key, load: load)
  }
}

extension LoadingHybridCache where Value: Codable {
  /// Opens a cache in a folder of this name in the system's folder for caches, with values stored
  /// by `DiskCodec.standard`: see `HybridCache.init(name:configuration:)`.
  ///
  /// - Throws: The errors of that initialiser.
  public init(
    name: String, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    load: @escaping HybridCache<Key, Value>.Loader,
    loadAll: HybridCache<Key, Value>.BulkLoader? = nil
  ) throws(HybridCacheError) {
    self.init(
      try HybridCache(name: name, configuration: configuration), load: load, loadAll: loadAll)
  }

  /// Opens a cache in a folder, with values stored by `DiskCodec.standard`: see
  /// `HybridCache.init(path:configuration:)`.
  ///
  /// - Throws: The errors of that initialiser.
  public init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    load: @escaping HybridCache<Key, Value>.Loader,
    loadAll: HybridCache<Key, Value>.BulkLoader? = nil
  ) throws(HybridCacheError) {
    self.init(
      try HybridCache(path: path, configuration: configuration), load: load, loadAll: loadAll)
  }
}
