#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// More than one key at a time: each thread gets those of its keys together, and all threads work
/// at the same time.
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
    let parts = lanes.parts(of: keys, by: \.hashValue).map { (key: $0[0], part: $0) }
    for part in try await runAll(
      parts,
      { (cache, keys) throws(DiskCacheError) in
        try cache.values(for: keys, suite: suite)
      })
    {
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
    let parts = lanes.parts(of: values, by: \.key.hashValue).map { (key: $0[0].key, part: $0) }
    return try await runAll(parts) { (cache, values) throws(DiskCacheError) in
      try cache.setAll(values, suite: suite, options: options)
    }.reduce(0, +)
  }

  /// Calls `body` for each part, on the thread of its key, all at the same time, and waits for all.
  ///
  /// - Throws: what the first of the parts throws that does.
  private func runAll<Part: Sendable, Result: Sendable>(
    _ parts: [(key: String, part: Part)],
    _ body: @escaping @Sendable (DiskCache, Part) throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> [Result] {
    typealias Answer = Swift.Result<Result, DiskCacheError>
    let answers = await withTaskGroup(of: (Int, Answer).self) { group in
      for (place, (key, part)) in parts.enumerated() {
        group.addTask {
          do throws(DiskCacheError) {
            let result = try await run(key) { (cache) throws(DiskCacheError) in
              try body(cache, part)
            }
            return (place, .success(result))
          } catch {
            return (place, .failure(error))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    var results: [Result] = []
    for (_, answer) in answers.sorted(by: { $0.0 < $1.0 }) { results.append(try answer.get()) }
    return results
  }
}
