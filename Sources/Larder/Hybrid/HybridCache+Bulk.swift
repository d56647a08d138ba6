/// More than one key at a time.
extension HybridCache {
  /// The values of several keys that a tier has; keys without one are left out. As one
  /// `value(for:)` for each key, in order, on the calling thread.
  ///
  /// - Throws: as `entry(for:)`; what was found until then is lost, and counted.
  public func values(for keys: some Sequence<Key>) throws(HybridCacheError) -> [Key: Value] {
    var values: [Key: Value] = [:]
    values.reserveCapacity(keys.underestimatedCount)
    for key in keys { values[key] = try value(for: key) }
    return values
  }

  /// Stores several values, as one `set` for each, in order, and returns how many a tier has
  /// afterwards. A dictionary is such a sequence.
  ///
  /// - Parameter options: Those of each entry.
  /// - Throws: what `set` throws first; the values before that one are stored.
  @discardableResult
  public func setAll(
    _ values: some Sequence<(key: Key, value: Value)>, options: StoreOptions = StoreOptions()
  ) throws(HybridCacheError) -> Int {
    var count = 0
    for (key, value) in values where try set(value, for: key, options: options) { count += 1 }
    return count
  }
}
