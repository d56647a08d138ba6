/// More than one key at a time: each thread gets those of its keys together.
extension AsyncHybridCache {
  /// The values of several keys that a tier has; keys without one are left out. As
  /// `HybridCache.values(for:)`, but in no order of keys. Those in memory do not suspend.
  ///
  /// - Throws: as `entry(for:)`; what was found until then is lost, and counted.
  public func values(
    for keys: some Sequence<Key>
  ) async throws(HybridCacheError) -> [Key: Value] {
    var values: [Key: Value] = [:]
    var others: [Key] = []
    for key in keys {
      if let held = cache.front?._withUnsafeGuaranteedRef({ $0.value(for: key) }) {
        values[key] = try cache.hit(held, key)?.value
      } else {
        others.append(key)
      }
    }
    for keys in cache.lanes.parts(of: others, by: cache.stripes.number) {
      let part = try await run(keys[0]) { (cache) throws(HybridCacheError) in
        var part: [Key: Value] = [:]
        for key in keys {
          part[key] = try Self.entry(for: key, behindFrontOf: cache)?.value
        }
        return part
      }
      values.merge(part) { $1 }
    }
    return values
  }

  /// Stores several values as `HybridCache.setAll` does, but only values of one key in order, and
  /// returns how many a tier has afterwards. A dictionary is such a sequence.
  ///
  /// - Parameter options: Those of each entry.
  /// - Throws: what `HybridCache.set` throws first; some of the others are stored.
  @discardableResult
  public func setAll(
    _ values: some Sequence<(key: Key, value: Value)>,
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(HybridCacheError) -> Int {
    var count = 0
    for values in cache.lanes.parts(of: values, by: { cache.stripes.number($0.key) }) {
      count += try await run(values[0].key) { (cache) throws(HybridCacheError) in
        try cache.setAll(values, options: options)
      }
    }
    return count
  }
}
