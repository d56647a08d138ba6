#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// More than one key at a time.
extension DiskCache {
  /// The keys of a suite that have an entry which has not expired, in no order. No reference to
  /// any. O(entries of the cache) in time and memory: the database is read, without the values,
  /// while other calls wait.
  ///
  /// - Throws: `database` or `closed`.
  public func keys(suite: String = "") throws(DiskCacheError) -> [String] {
    try withCore { (core) throws(DiskCacheError) in
      _ = try core.openIndex()
      guard let number = core.suiteNumber(suite) else { return [] }
      return try core.keys(suite: number)
    }
  }

  /// The values of several keys; keys without one are left out. As one `value(for:)` for each key,
  /// in order.
  ///
  /// - Throws: as `entry(for:suite:)`; what was found until then is lost, and counted.
  public func values(
    for keys: some Sequence<String>, suite: String = ""
  ) throws(DiskCacheError) -> [String: Data] {
    var values: [String: Data] = [:]
    values.reserveCapacity(keys.underestimatedCount)
    for key in keys { values[key] = try value(for: key, suite: suite) }
    return values
  }

  /// Stores several values, as one `set` for each, in order, and returns how many are there
  /// afterwards.
  ///
  /// - Parameter options: Those of each entry.
  /// - Throws: what `set` throws first; the values before that one are stored.
  @discardableResult
  public func setAll(
    _ values: some Sequence<(key: String, value: Data)>, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) throws(DiskCacheError) -> Int {
    var count = 0
    for (key, value) in values where try set(value, for: key, suite: suite, options: options) {
      count += 1
    }
    return count
  }
}
