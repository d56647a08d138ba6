/// A typed view of one suite of a disk cache.
///
/// ```swift
/// let articles = DiskSuite(cache, name: "articles", codec: .json, of: Article.self)
/// try articles.set(article, for: article.id)
/// let article = try articles.value(for: id)
/// ```
///
/// Any number of views may use one cache.
public struct DiskSuite<Value>: Sendable {
  /// The cache.
  public let cache: DiskCache
  /// The suite's name.
  public let name: String
  private let codec: DiskCodec<Value>

  /// Creates a view of the suite `name`.
  public init(
    _ cache: DiskCache, name: String, codec: DiskCodec<Value>, of type: Value.Type = Value.self
  ) {
    self.cache = cache
    self.name = name
    self.codec = codec
  }

  /// Returns the value of a key with its metadata, or nil. Bytes that do not decode, for example
  /// after the type has changed, are a miss, removed, and counted in `undecodables`.
  ///
  /// - Throws: `database`, `closed`, or `codecMismatch` if the suite holds values of another codec.
  public func entry(
    for key: String
  ) throws(DiskCacheError) -> (value: Value, metadata: DiskMetadata)? {
    guard let entry = try cache.lookUp(key, name, expired: .removed, codec: codec.identity) else {
      return nil
    }
    guard let value = try? codec.decode(entry.data) else {
      try cache.removeUndecodable(key, suite: name)
      return nil
    }
    return (value, entry.metadata)
  }

  /// Returns the value of a key, or nil.
  ///
  /// - Throws: The errors of `entry`.
  public func value(for key: String) throws(DiskCacheError) -> Value? {
    try entry(for: key)?.value
  }

  /// Stores a value; see `DiskCache.set`.
  ///
  /// - Throws: `codec` if the value cannot be encoded, `codecMismatch` if the suite holds values of
  ///   another codec, and the errors of `DiskCache.set`.
  @discardableResult public func set(
    _ value: Value, for key: String, options: DiskStoreOptions = DiskStoreOptions()
  ) throws(DiskCacheError) -> Bool {
    var options = options
    if options.contentType == nil { options.contentType = codec.contentType }
    let result = Result { try codec.encode(value) }
    switch result {
    case .success(let data):
      return try cache.store(data, key, name, options, life: nil, codec: codec.identity)
    case .failure(let error):
      throw .codec(message: "suite '\(name)': cannot encode a \(Value.self): \(error)")
    }
  }

  /// Returns true if a key has an entry that has not expired.
  ///
  /// - Throws: `closed`.
  public func contains(_ key: String) throws(DiskCacheError) -> Bool {
    try cache.contains(key, suite: name)
  }

  /// Removes the entry of a key, and returns true if there was one.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func remove(_ key: String) throws(DiskCacheError) -> Bool {
    try cache.remove(key, suite: name)
  }

  /// Removes all entries of the suite; permanent ones only if `includingPermanent`. O(entries of
  /// the cache).
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func removeAll(
    includingPermanent: Bool = false
  ) throws(DiskCacheError) -> DiskFreed {
    try cache.removeAll(suite: name, includingPermanent: includingPermanent)
  }
}

extension DiskSuite {
  /// Removes the entries of the suite for which `matches` returns true; see
  /// `DiskCache.remove(where:)`.
  ///
  /// - Throws: `database` or `closed`.
  @discardableResult public func remove(
    where matches: (DiskEntryInfo) -> Bool
  ) throws(DiskCacheError) -> DiskFreed {
    try cache.remove(suite: name, where: matches)
  }

  /// Returns the entries of the suite, without their values, to be read in batches; see
  /// `DiskCache.entries`.
  public func entries() -> DiskEntries { cache.entries(suite: name) }

  /// Returns the keys whose entries have not expired, unordered; see `DiskCache.keys`.
  ///
  /// - Throws: `database` or `closed`.
  public func keys() throws(DiskCacheError) -> [String] { try cache.keys(suite: name) }

  /// Returns the values of several keys, without keys that have none. Equivalent to one
  /// `value(for:)` per key.
  ///
  /// - Throws: The errors of `entry`.
  public func values(
    for keys: some Sequence<String>
  ) throws(DiskCacheError) -> [String: Value] {
    var values: [String: Value] = [:]
    for key in keys { values[key] = try value(for: key) }
    return values
  }
}
