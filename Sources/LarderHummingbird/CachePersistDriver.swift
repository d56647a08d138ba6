#if Hummingbird
  import Dispatch
  import Foundation
  public import Hummingbird
  public import Larder

  /// Hummingbird's key/value store on a disk cache, in JSON in one suite of it: sessions and the
  /// like survive a restart of the server, within the cache's limits. A cache may evict entries; a
  /// value that it does not store is an error.
  ///
  /// Use one driver per suite: `create` and `set` check before they store, which is atomic among
  /// the calls of one driver only. Calls run on a queue of the driver, one after the other.
  ///
  /// ```swift
  /// let persist = CachePersistDriver(try await DiskCache(path: "sessions"))
  /// ```
  public final class CachePersistDriver: PersistDriver {
    private let cache: BlockingDiskCache
    private let suite: String
    private let clock: any CacheClock
    private let queue = DispatchQueue(label: "larder.persist")

    /// Creates a driver on a suite of `cache`, which it closes at shutdown. `clock` must be the
    /// cache's.
    public init(
      _ cache: DiskCache, suite: String = "persist", clock: any CacheClock = SystemCacheClock.wall()
    ) {
      self.cache = cache.blocking
      self.suite = suite
      self.clock = clock
    }

    /// Stores a value for a key that has none; without `expires`, for as long as the cache allows.
    ///
    /// - Throws: `PersistError.duplicate` if the key has a value, `CachePersistError.notStored`, or
    ///   `DiskCacheError`.
    public func create<Object: Codable & Sendable>(
      key: String, value: Object, expires: Duration?
    ) async throws {
      let data = try DiskCodec<Object>.json.encode(value)
      try await run { cache, suite in
        guard try cache.entry(for: key, suite: suite) == nil else { throw PersistError.duplicate }
        try Self.store(data, key, expires, cache, suite)
      }
    }

    /// Stores a value; without `expires`, a value that replaces another keeps its remaining
    /// lifetime.
    ///
    /// - Throws: `CachePersistError.notStored`, after which the key has no value, not even the
    ///   previous one, or `DiskCacheError`.
    public func set<Object: Codable & Sendable>(
      key: String, value: Object, expires: Duration?
    ) async throws {
      let data = try DiskCodec<Object>.json.encode(value)
      try await run { [clock] cache, suite in
        let life = try expires ?? Self.life(cache.entry(for: key, suite: suite), clock)
        try Self.store(data, key, life, cache, suite)
      }
    }

    /// Returns the value of a key; nil if there is none or it has expired.
    ///
    /// - Throws: `PersistError.invalidConversion` if the value is of another type, or
    ///   `DiskCacheError`.
    public func get<Object: Codable & Sendable>(
      key: String, as type: Object.Type
    ) async throws -> Object? {
      try await getWithTTL(key: key, as: type)?.object
    }

    /// Returns the value of a key and its remaining lifetime, nil for an unlimited one; throws the
    /// errors of `get`.
    public func getWithTTL<Object: Codable & Sendable>(
      key: String, as type: Object.Type
    ) async throws -> (object: Object, ttl: Duration?)? {
      let entry = try await run { cache, suite in try cache.entry(for: key, suite: suite) }
      guard let entry else { return nil }
      guard let object = try? DiskCodec<Object>.json.decode(entry.data) else {
        throw PersistError.invalidConversion
      }
      return (object, Self.life(entry, clock))
    }

    /// Removes the value of a key, or throws `DiskCacheError`.
    public func remove(key: String) async throws {
      _ = try await run { cache, suite in try cache.remove(key, suite: suite) }
    }

    /// Writes everything and closes the cache, or throws `DiskCacheError`. O(entries).
    public func shutdown() async throws {
      try await run { cache, _ in try cache.close() }
    }

    private static func store(
      _ data: Data, _ key: String, _ life: Duration?, _ cache: BlockingDiskCache, _ suite: String
    ) throws {
      let isStored = try cache.set(
        data, for: key, suite: suite, options: DiskStoreOptions(timeToLive: life))
      guard isStored else { throw CachePersistError.notStored(bytes: data.count) }
    }

    private static func life(_ entry: DiskEntry?, _ clock: any CacheClock) -> Duration? {
      guard let expires = entry?.metadata.expires else { return nil }
      return max(.zero, clock.now.duration(to: CacheInstant(expires)))
    }

    private func run<Result: Sendable>(
      _ body: @escaping @Sendable (BlockingDiskCache, String) throws -> Result
    ) async throws -> Result {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [cache, suite] in
          continuation.resume(with: Swift.Result { try body(cache, suite) })
        }
      }
    }
  }

  /// Error of storing a value, other than `PersistError` and `DiskCacheError`. It does not contain
  /// the key, which may be secret, such as that of a session.
  public enum CachePersistError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cache rejected a value of that many bytes, and the key has none now: the value is larger
    /// than the cache's limits allow, its policy or filter does not admit it, or the disk is full.
    case notStored(bytes: Int)

    /// The error in one line of text.
    public var description: String {
      switch self {
      case .notStored(let bytes):
        "a value of \(bytes) bytes was not stored: expected one that the cache's limits and policy "
          + "admit and the disk has space for"
      }
    }
  }
#endif
