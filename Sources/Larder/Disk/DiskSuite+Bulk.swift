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
