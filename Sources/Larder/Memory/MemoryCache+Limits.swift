import LarderEngine

/// Limits that are changed while the cache is in use.
extension MemoryCache {
  /// The limits that hold now: those of `configuration`, or of the last `setLimits`.
  public var limits: MemoryCacheLimits { current.withLock { $0.limits } }

  /// Changes the limits of the cache, and returns how many entries no longer fitted and went.
  ///
  ///     try cache.setLimits(MemoryCacheLimits(count: 5_000))
  ///
  /// The policy chooses what goes; to listeners that is an eviction for a trim. Larger limits hold
  /// at once. A lower `age` shortens the lives of entries that are there, as far as it is known
  /// when they were stored (to 2^20 microseconds, never too short); a higher one is for entries
  /// that are stored from now on. Memory for entries that are no longer there is kept for the next
  /// ones.
  ///
  /// A policy divides its capacity, so another capacity (`weight` if the cache was made with one,
  /// otherwise `count`) is another state of the policy: it learns of the entries in the order in
  /// which it would have evicted them, and forgets the rest, such as ghosts and how often entries
  /// were used. An admission filter begins anew, too. If the capacity stays, nothing is forgotten.
  ///
  /// O(entries): each shard is locked in turn for its part, so other threads go on. When it
  /// returns, the limits hold in every shard. Of two calls at once, the one that begins last
  /// counts.
  ///
  /// - Parameter limits: A limit on weight is possible only if the cache was made with one, because
  ///   otherwise weights are not kept; nil then means none, and no more entries than `count` are
  ///   held.
  /// - Throws: `MemoryCacheError` if a number is out of range or the policy cannot have it; nothing
  ///   has changed then.
  @discardableResult
  public func setLimits(_ limits: MemoryCacheLimits) throws(MemoryCacheError) -> Int {
    let wanted = try checked(limits)
    var setups: [CacheTierSetup] = []
    do throws(PolicyError) {
      for shard in 0..<blocks.count {
        var setup = try wanted.tierSetup(shard: shard, of: blocks.count, room: 1)
        setup.objectsMax = min(setup.objectsMax, CacheTierSetup.residentsMax)
        // Shards differ by one entry or unit of weight: what one can have, all of that part can.
        if shard == 0 || shard == blocks.count - 1 { _ = try PolicyRegistry.makeCacheTier(setup) }
        setups.append(setup)
      }
    } catch {
      throw .policy(error)
    }
    let number = current.withLock { current in
      current.number += 1
      current.limits = limits
      return current.number
    }
    var given = 0
    for (index, setup) in setups.enumerated() {
      do throws(PolicyError) {
        given += try withShard(index) { (shard, gone) throws(PolicyError) in
          try shard.resize(setup, number: number, now: clock.nowMicroseconds, &gone)
        }
      } catch {
        throw .policy(error)
      }
    }
    return given
  }

  /// Lets no entry that is not permanent live beyond the instant that `limit` has for its value,
  /// which lies where it is stored; none if that overflows. O(entries).
  func shortenLives(
    to limit: (UnsafePointer<Value>) -> (partialValue: UInt64, overflow: Bool)
  ) {
    for index in 0..<blocks.count {
      withShard(index) { shard, _ in shard.shortenLives(to: limit, now: clock.nowMicroseconds) }
    }
  }

  /// The configuration with other limits, in which weight is what it is in this cache.
  private func checked(
    _ limits: MemoryCacheLimits
  ) throws(MemoryCacheError) -> MemoryCacheConfiguration {
    var wanted = configuration
    wanted.limits = limits
    try wanted.check(shards: blocks.count)
    if configuration.limits.weight != nil {
      wanted.limits.weight = limits.weight ?? MemoryCacheLimits.largest
    } else if let weight = limits.weight {
      throw .limit(
        "weight", "\(weight)",
        expected: "nil, as the cache was made without a limit on weight and keeps no weights")
    }
    return wanted
  }
}
