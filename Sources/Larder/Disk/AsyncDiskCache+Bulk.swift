#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// More than one key at a time: each thread gets those of its keys together.
extension AsyncDiskCache {
  /// The keys of a suite that have an entry which has not expired, as `DiskCache.keys`.
  ///
  /// - Throws: as `DiskCache.keys`.
  public func keys(suite: String = "") async throws(DiskCacheError) -> [String] {
    try await run { (cache) throws(DiskCacheError) in try cache.keys(suite: suite) }
  }

  /// The values of several keys; keys without one are left out. As `DiskCache.values(for:suite:)`,
  /// but in no order of keys.
  ///
  /// - Throws: as `DiskCache.entry(for:suite:)`; what was found until then is lost, and counted.
  public func values(
    for keys: some Sequence<String>, suite: String = ""
  ) async throws(DiskCacheError) -> [String: Data] {
    var values: [String: Data] = [:]
    for keys in lanes.parts(of: keys, by: \.hashValue) {
      let part = try await run(keys[0]) { (cache) throws(DiskCacheError) in
        try cache.values(for: keys, suite: suite)
      }
      values.merge(part) { $1 }
    }
    return values
  }

  /// Stores several values as `DiskCache.setAll` does, but only values of one key in order, and
  /// returns how many are there afterwards. A dictionary is such a sequence.
  ///
  /// - Parameter options: Those of each entry.
  /// - Throws: what `DiskCache.set` throws first; some of the others are stored.
  @discardableResult
  public func setAll(
    _ values: some Sequence<(key: String, value: Data)>, suite: String = "",
    options: DiskStoreOptions = DiskStoreOptions()
  ) async throws(DiskCacheError) -> Int {
    var count = 0
    for values in lanes.parts(of: values, by: \.key.hashValue) {
      count += try await run(values[0].key) { (cache) throws(DiskCacheError) in
        try cache.setAll(values, suite: suite, options: options)
      }
    }
    return count
  }
}
