/// Opening, on a thread outside the pool that all tasks share: loading the entries takes time.
extension HybridCache {
  /// Opens a cache in a folder, which is created if it does not exist; one cache at a time has it
  /// open.
  ///
  /// - Parameters:
  ///   - path: The folder, as a path or a file URL; left out only without a disk tier.
  ///   - configuration: The configuration.
  ///   - codec: Conversion between values and bytes.
  ///   - weigh: Weight of a value in memory, in bytes; nil for its encoded size, which applies with
  ///     `copiesOnRead` in any case.
  /// - Throws: `configuration`, `memory`, or `disk`, which includes a folder of another codec.
  public convenience init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), codec: DiskCodec<Value>,
    weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    let path = path?.cacheLocation
    let tier = try await Self.opening.run(0) { () throws(HybridCacheError) in
      try Self.open(path, configuration, codec, SystemFiles())
    }
    try self.init(configuration, tier, codec: codec, weigh: weigh)
  }

  private static var opening: CacheLanes { CacheLanes("larder.hybrid.opening", count: 1) }

  /// Opens a cache in a folder of this name in the system's folder for caches, as
  /// `DiskCache.init(name:configuration:clock:)` does.
  public convenience init(
    name: String, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>, weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    let path = try HybridCacheError.disk { () throws(DiskCacheError) in
      try CachesFolder.path(name: name)
    }
    try await self.init(path: path, configuration: configuration, codec: codec, weigh: weigh)
  }

  /// Creates a cache in front of a shared disk cache, whose clock and limits apply. Each hybrid
  /// cache claims a `suite` of it until it is closed or destroyed; otherwise `suiteInUse` is
  /// thrown.
  public convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache,
    codec: DiskCodec<Value>, weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    let (shared, tier) = try await Self.opening.run(0) { () throws(HybridCacheError) in
      try Self.share(disk, configuration, codec)
    }
    try self.init(shared, tier, codec: codec, weigh: weigh)
  }
}

extension HybridCache where Value: Codable {
  /// Opens a cache in a folder, with values stored by `DiskCodec.standard`: `Data` unchanged,
  /// `String` as UTF-8, others as JSON.
  public convenience init<Location: CacheLocation>(
    path: Location? = String?.none,
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    try await self.init(path: path, configuration: configuration, codec: .standard, weigh: weigh)
  }

  /// Opens a cache in a folder of this name in the system's folder for caches, with values stored
  /// by `DiskCodec.standard`.
  public convenience init(
    name: String, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    try await self.init(name: name, configuration: configuration, codec: .standard, weigh: weigh)
  }

  /// Creates a cache in front of a shared disk cache, with values stored by `DiskCodec.standard`.
  public convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache,
    weigh: (@Sendable (Value) -> Int)? = nil
  ) async throws(HybridCacheError) {
    try await self.init(configuration: configuration, disk: disk, codec: .standard, weigh: weigh)
  }
}

extension HybridCache {
  /// Returns the value of a key with its metadata, or nil if neither tier has a valid one. Counts
  /// as an access; a value found on disk is promoted according to the rules.
  @inlinable public func entry(
    for key: Key, isolation: isolated (any Actor)? = #isolation
  ) async throws(HybridCacheError) -> CacheHit<Value>? {
    guard let front else { return try await entryBelow(key) }
    guard keepsValues, !events.isActive else {
      guard let held = front._withUnsafeGuaranteedRef({ $0.value(for: key) }) else {
        return try await entryBelow(key)
      }
      return try hit(held, key)
    }
    let hit = front._withUnsafeGuaranteedRef { memory in memory.get(key) { CacheHit(at: $0) } }
    // Returned unchanged: unwrapping the optional would copy it.
    if case .none = hit { return try await entryBelow(key) }
    return hit
  }

  @usableFromInline func entryBelow(_ key: Key) async throws(HybridCacheError) -> CacheHit<Value>? {
    try await run(key) { (cache) throws(HybridCacheError) in
      try cache.front == nil ? cache.getUnderLock(key) : cache.getBelowMemory(key)
    }
  }

  /// Returns the value of a key, or nil: `entry(for:)` without the metadata.
  @inlinable public func value(
    for key: Key, isolation: isolated (any Actor)? = #isolation
  ) async throws(HybridCacheError) -> Value? {
    try await entry(for: key)?.value
  }

  /// Returns the value of a key if memory has it, without waiting, for example on the main thread.
  public func valueInMemory(for key: Key) -> Value? {
    guard let front else { return inMemory(key)?.value }
    return front._withUnsafeGuaranteedRef { $0.value(for: key) }.flatMap {
      try? hit($0, key)?.value
    }
  }

  /// Returns the values of several keys from the tiers, without keys that have none.
  public func values(for keys: some Sequence<Key>) async throws(HybridCacheError) -> [Key: Value] {
    var values: [Key: Value] = [:]
    var others: [Key] = []
    for key in keys {
      if let held = front?._withUnsafeGuaranteedRef({ $0.value(for: key) }) {
        values[key] = try hit(held, key)?.value
      } else {
        others.append(key)
      }
    }
    return try await lanes.run(others, by: stripes.number) { (keys) throws(HybridCacheError) in
      var part: [Key: Value] = [:]
      for key in keys {
        part[key] =
          try (self.front == nil ? self.getUnderLock(key) : self.getBelowMemory(key))?.value
      }
      return part
    }.reduce(into: values) { $0.merge($1) { $1 } }
  }

  /// Returns true if a get would be a hit. Not counted as an access; moves nothing.
  public func contains(_ key: Key) async throws(HybridCacheError) -> Bool {
    if memory?.contains(key) ?? false { return true }
    return try await run(key) { (cache) throws(HybridCacheError) in try cache.contains(key) }
  }

  /// Stores a value for a key, and returns true if a tier has it afterwards: not if it is too large
  /// for both, or if neither policy admits it. The key's previous value is gone in any case, unless
  /// `codec` is thrown.
  @discardableResult public func set(
    _ value: Value, for key: Key, options: StoreOptions = StoreOptions()
  ) async throws(HybridCacheError) -> Bool {
    try await run(key) { (cache) throws(HybridCacheError) in
      try cache.set(value, for: key, options: options)
    }
  }

  /// Stores several values, and returns the number that a tier has afterwards. Accepts a
  /// dictionary; values of one key are stored in order.
  @discardableResult public func setAll(
    _ values: some Sequence<(key: Key, value: Value)>, options: StoreOptions = StoreOptions()
  ) async throws(HybridCacheError) -> Int {
    try await lanes.run(values, by: { self.stripes.number($0.key) }) {
      (values) throws(HybridCacheError) in
      var count = 0
      for (key, value) in values where try self.set(value, for: key, options: options) {
        count += 1
      }
      return count
    }.reduce(0, +)
  }

  /// Removes the entry of a key, permanent or not, and returns true if there was one. The policies
  /// forget the key, too, and a running load for it is not stored.
  @discardableResult public func remove(_ key: Key) async throws(HybridCacheError) -> Bool {
    try await run(key) { (cache) throws(HybridCacheError) in try cache.remove(key) }
  }

  /// Removes the entries for which `matches` returns true, in memory and, of this cache's suite, on
  /// disk, permanent or not and expired or not. A running load of a removed key is not stored.
  /// O(entries).
  ///
  /// `matches` is called with no lock held, and twice for an entry in both tiers: the copy in
  /// memory has no `bytes`, and is removed if either call returns true. An entry that is stored
  /// again meanwhile stays.
  @discardableResult public func remove(
    where matches: @escaping @Sendable (DiskEntryInfo) -> Bool
  ) async throws(HybridCacheError) -> Freed {
    try await run { (cache) throws(HybridCacheError) in try cache.remove(where: matches) }
  }

  /// Removes all entries, on disk of this cache's suite; permanent ones only if
  /// `includingPermanent`. Running loads are not stored. O(entries).
  @discardableResult public func removeAll(
    includingPermanent: Bool = false
  ) async throws(HybridCacheError) -> Freed {
    try await run { (cache) throws(HybridCacheError) in
      try cache.removeAll(includingPermanent: includingPermanent)
    }
  }

  /// Removes expired entries, on disk of this cache's suite, except those kept for revalidation or
  /// to replace a failing origin: see `HybridCacheConfiguration.staleWhileRevalidate`. O(entries).
  @discardableResult public func removeExpired() async throws(HybridCacheError) -> Freed {
    try await run { (cache) throws(HybridCacheError) in try cache.removeExpired() }
  }

  /// Removes entries that were stored or last confirmed `age` ago or longer, except permanent ones,
  /// from both tiers, on disk from this cache's suite. Moves between the tiers do not affect the
  /// age. O(entries).
  @discardableResult public func trim(
    toAge age: Duration
  ) async throws(HybridCacheError) -> Freed {
    try await run { (cache) throws(HybridCacheError) in try cache.trim(toAge: age) }
  }

  /// Evicts entries from disk, chosen by its policy, until at most `count` that are not permanent
  /// are left, with at most `bytes`. Memory is unchanged. O(evicted entries).
  @discardableResult public func trimDisk(
    toCount count: Int = .max, bytes: UInt64 = .max
  ) async throws(HybridCacheError) -> Freed {
    try await run { (cache) throws(HybridCacheError) in
      try cache.trimDisk(toCount: count, bytes: bytes)
    }
  }

  /// Changes the limits of the disk tier, and returns the space freed by evicting entries that no
  /// longer fit: see `BlockingDiskCache.setLimits`. Memory keeps its entries, but not beyond a new
  /// limit on age. On a shared disk cache, the limits apply to all.
  @discardableResult public func setDiskLimits(
    _ limits: DiskLimits
  ) async throws(HybridCacheError) -> Freed {
    try await run { (cache) throws(HybridCacheError) in try cache.setDiskLimits(limits) }
  }

  /// Commits acknowledged values and the order of last use on disk. O(entries on disk).
  public func flush() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.flush() }
  }

  /// Writes everything and releases the folder until `resume`: see `DiskCache.suspend`. Memory
  /// stays in use. A shared disk cache is suspended for all.
  public func suspend() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.suspend() }
  }

  /// Opens the folder again after `suspend`.
  public func resume() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.resume() }
  }

  /// Writes everything, empties memory and releases the folder or the suite. A closed cache returns
  /// and stores nothing: calls without an origin throw, those with one ask it.
  public func close() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.close() }
  }

  /// Closes the cache without writing, and removes the folder's files, or on a shared disk cache
  /// the suite, with all entries; a closed cache as well. If it throws, a second call tries again.
  public func destroy() async throws(HybridCacheError) {
    try await run { (cache) throws(HybridCacheError) in try cache.destroy() }
  }

  /// Runs blocking calls without a suspension between them; with a key, in order with the calls for
  /// it.
  package func run<Result: Sendable>(
    _ key: Key? = nil,
    _ body: @escaping @Sendable (HybridCache) throws(HybridCacheError) -> Result
  ) async throws(HybridCacheError) -> Result {
    try await lanes.run(key.map(stripes.number) ?? 0) { () throws(HybridCacheError) in
      try body(self)
    }
  }
}
