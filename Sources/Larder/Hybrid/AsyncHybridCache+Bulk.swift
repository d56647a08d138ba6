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
    let parts = cache.lanes.parts(of: others, by: cache.stripes.number)
    for part in try await each(
      parts, key: { $0 },
      { (cache, keys) throws(HybridCacheError) in
        var part: [Key: Value] = [:]
        for key in keys { part[key] = try Self.entry(for: key, behindFrontOf: cache)?.value }
        return part
      })
    {
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
    let parts = cache.lanes.parts(of: values, by: { cache.stripes.number($0.key) })
    return try await each(parts, key: \.key) { (cache, values) throws(HybridCacheError) in
      try cache.setAll(values, options: options)
    }.reduce(0, +)
  }

  /// Does `body` with each part in its lane, all at the same time, and returns what it returns.
  ///
  /// - Throws: what the first part throws that does, once all have ended.
  private func each<Element: Sendable, Result: Sendable>(
    _ parts: [[Element]], key: (Element) -> Key,
    _ body:
      @escaping @Sendable (HybridCache<Key, Value>, [Element]) throws(HybridCacheError) ->
      Result
  ) async throws(HybridCacheError) -> [Result] {
    typealias Answer = Swift.Result<Result, HybridCacheError>
    let lanes = parts.map { cache.stripes.number(key($0[0])) }
    let answers = await withTaskGroup(of: Answer.self) { group in
      for (lane, part) in zip(lanes, parts) {
        group.addTask { [cache] in
          await cache.lanes.run(lane) {
            Answer { () throws(HybridCacheError) in try body(cache, part) }
          }
        }
      }
      return await group.reduce(into: [Answer]()) { $0.append($1) }
    }
    var results: [Result] = []
    for answer in answers { results.append(try answer.get()) }
    return results
  }
}
