/// The values of one type in one suite of a disk cache.
///
/// ```swift
/// let articles = DiskSuite(cache, name: "articles", codec: .json, of: Article.self)
/// try articles.set(article, for: article.id)
/// let article = try articles.value(for: id)
/// ```
///
/// It is a view: any number of them may look at one cache.
public struct DiskSuite<Value>: Sendable {
  /// The cache.
  public let cache: DiskCache
  /// The suite's name.
  public let name: String
  private let codec: DiskCodec<Value>

  /// A view of the suite `name`.
  public init(
    _ cache: DiskCache, name: String, codec: DiskCodec<Value>, of type: Value.Type = Value.self
  ) {
    self.cache = cache
    self.name = name
    self.codec = codec
  }

  /// The value of a key with what is known of it, or nil. Bytes that are no value of the type, as
  /// after the type has changed, are a miss, removed, and counted in `undecodables`.
  ///
  /// - Throws: `database`, `closed`, or `codecMismatch` when the suite holds values of another
  ///   codec.
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

  /// The value of a key, or nil.
  ///
  /// - Throws: as `entry`.
  public func value(for key: String) throws(DiskCacheError) -> Value? {
    try entry(for: key)?.value
  }

  /// Stores a value; see `DiskCache.set`.
  ///
  /// - Throws: `codec` when the value cannot be encoded, `codecMismatch` when the suite holds
  ///   values of another codec, and what `DiskCache.set` throws.
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

  /// Whether there is an entry that has not expired.
  ///
  /// - Throws: `closed`.
  public func contains(_ key: String) throws(DiskCacheError) -> Bool {
    try cache.contains(key, suite: name)
  }

  /// Removes the entry of a key, and says whether there was one.
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
  /// The keys that have an entry which has not expired, in no order; see `DiskCache.keys`.
  ///
  /// - Throws: `database` or `closed`.
  public func keys() throws(DiskCacheError) -> [String] { try cache.keys(suite: name) }

  /// The values of several keys; keys without one are left out. As one `value(for:)` for each key.
  ///
  /// - Throws: as `entry`.
  public func values(
    for keys: some Sequence<String>
  ) throws(DiskCacheError) -> [String: Value] {
    var values: [String: Value] = [:]
    for key in keys { values[key] = try value(for: key) }
    return values
  }
}
