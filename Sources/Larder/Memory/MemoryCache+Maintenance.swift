import LarderEngine
import LarderPolicies

/// Bulk removal. A shard is locked for some hundred entries at a time, so other threads continue
/// meanwhile; their changes to what is already processed are kept.
extension MemoryCache {
  /// Removes every entry that is not permanent, or every entry. O(entries). Returns the number of
  /// removed entries.
  @discardableResult public func removeAll(includingPermanent: Bool = false) -> Int {
    defer { noteClearing() }
    defer { loads.absences?.removeAll() }
    return (0..<blocks.count).reduce(0) { count, index in
      forgetLoads(ofShard: index)
      let removed = walk(index) { shard, ids, gone in
        shard.removeAll(ids, includingPermanent: includingPermanent, &gone)
      }
      while withShard(index, inSteps: true, { shard, gone in shard.forgetGhosts(&gone) }) {}
      return count + removed
    }
  }

  /// Invalidates the running loads of a shard, and its missing values.
  func forgetLoads(ofShard index: Int) {
    withShard(index) { _, _ in
      loads.forget { blocks.index(hasher.hash($0)) == index }
      loads.revokeAbsences(ofShard: index)
    }
  }

  /// Calls `body` with the ids of a shard, some at a time, while its lock is held, and returns the
  /// sum.
  func walk(
    _ index: Int, handing: MemoryHanding? = nil,
    _ body: (inout MemoryShard<Key, Value>, Range<ObjectID>, inout EvictedEntries<Key, Value>) ->
      Int
  ) -> Int {
    var (walk, sum) = (ShardWalk(), 0)
    while let part = withShard(
      index, inSteps: true, handing: handing,
      { shard, gone in walk.part(of: Int(shard.highest) + 1).map { body(&shard, $0, &gone) } })
    {
      sum += part
    }
    return sum
  }

  func discardAll() {
    for index in 0..<blocks.count {
      _ = walk(index, handing: MemoryHanding.none) { shard, ids, gone in
        let count = shard.removeAll(ids, includingPermanent: true, &gone)
        shard.totals.removals -= UInt64(count)
        return count
      }
      while withShard(index, inSteps: true, { shard, gone in shard.forgetGhosts(&gone) }) {}
    }
  }

  /// Removes expired entries. O(entries). Returns the number of removed entries.
  @discardableResult public func removeExpired() -> Int {
    let now = clock.time
    loads.absences?.removeExpired()
    return sum { shard, ids, gone in shard.removeExpired(ids, now: now, &gone) }
  }

  /// Removes entries that were stored more than `age` ago, to a little more than a second, and are
  /// not permanent. O(entries). Returns the number of removed entries.
  @discardableResult public func trim(toAge age: Duration) -> Int {
    let (now, age) = (clock.time, age.microseconds)
    guard now > age else { return 0 }
    return sum { shard, ids, gone in shard.removeStored(ids, before: now - age, &gone) }
  }

  func trim(where isChosen: (UnsafePointer<Value>) -> Bool) -> Int {
    sum { shard, ids, gone in shard.removeValues(ids, &gone, where: isChosen) }
  }

  func removeExpired(_ key: Key) {
    _ = withShard(of: key) { shard, hash, now, gone in
      shard.removeExpired(key, hash, now: now, &gone)
    }
  }

  /// Evicts entries, chosen by the policy, until at most `count` are left with a total weight of at
  /// most `weight`; every shard evicts the same share. Returns the number of evicted entries.
  @discardableResult public func trim(toCount count: Int = .max, weight: Int = .max) -> Int {
    func share(_ wanted: Int, of held: UInt64) -> Share? {
      held > max(wanted, 0) ? Share(UInt64(max(wanted, 0)), of: held) : nil
    }
    let held = statistics
    let (counted, weighed) = (share(count, of: UInt64(held.count)), share(weight, of: held.weight))
    guard counted != nil || weighed != nil else { return 0 }
    return trim(.trim) { _, tier in
      (weighed?.of(tier.used) ?? .max, counted.map { Int($0.of(UInt64(tier.count))) } ?? .max)
    }
  }

  /// Evicts as much as `configuration.pressureRule` demands, chosen by the policy, and returns the
  /// number of evicted entries. Called by an observed source, or by the app.
  @discardableResult public func handle(_ level: MemoryPressureLevel) -> Int {
    let kept = configuration.pressureRule.kept(level)
    loads.absences?.removeAll()
    return trim(.pressure) { _, tier in
      if configuration.limits.weight == nil || kept == 0 {
        return (.max, Int(Double(tier.count) * kept))
      }
      return (UInt64(Double(tier.used) * kept), .max)
    }
  }

  private func sum(
    _ body: (inout MemoryShard<Key, Value>, Range<ObjectID>, inout EvictedEntries<Key, Value>) ->
      Int
  ) -> Int {
    (0..<blocks.count).reduce(0) { $0 + walk($1, body) }
  }

  private func trim(
    _ reason: EvictionReason, _ goal: (Int, CacheTier) -> (used: UInt64, count: Int)
  ) -> Int {
    var sum = 0
    for index in 0..<blocks.count {
      let (count, wanted) = withShard(index) { shard, _ in
        (shard.tier.count, goal(index, shard.tier))
      }
      // No more than there were, if other threads store as fast.
      var (left, part) = (count, ShardWalk.step)
      while part == ShardWalk.step, left > 0 {
        part = withShard(index, inSteps: true) { shard, gone in
          shard.trim(to: wanted, reason, &gone)
        }
        left -= part
        sum += part
      }
    }
    return sum
  }
}

extension MemoryCache {
  /// Current limits: those of `configuration`, or of the last `setLimits`.
  public var limits: MemoryCacheLimits { current.withLock { $0.limits } }

  /// Changes the limits of the cache and returns the number of entries evicted because they no
  /// longer fitted, which are chosen by the policy and reported as trimmed. O(entries), in steps of
  /// some hundred entries, between which other threads use the cache.
  ///
  /// With another capacity the policy starts anew, with the entries in its order but without ghosts
  /// and access counts; requests by other threads count again once their entry has moved. A lower
  /// `age` shortens lives of resident entries, to a little more than a second. A limit on weight
  /// is possible only if the cache was made with one. Of two concurrent calls, the last wins.
  ///
  /// - Throws: `MemoryCacheError`; nothing has changed then.
  @discardableResult public func setLimits(
    _ limits: MemoryCacheLimits
  ) throws(MemoryCacheError) -> Int {
    let wanted = try checked(limits)
    var setups: [CacheTierSetup] = []
    let group = PolicyGroup(parts: blocks.count)
    do throws(PolicyError) {
      for shard in 0..<blocks.count {
        let setup = try wanted.tierSetup(shard: shard, of: blocks.count, room: 1, group: group)
        // Shard capacities differ by at most one entry or unit of weight, so checking the first and
        // last checks all.
        if shard == 0 || shard == blocks.count - 1 { _ = try PolicyRegistry.makeCacheTier(setup) }
        setups.append(setup)
      }
    } catch {
      throw .policy(error)
    }
    let number = current.withLock { current in
      current.limits = limits
      current.number += 1
      return current.number
    }
    // In steps, between which other threads use the cache.
    var given = trim(.trim) { index, _ in (setups[index].capacity, setups[index].objectsMax) }
    for (index, setup) in setups.enumerated() {
      var evicted: Int?
      repeat {
        given += finishChange(index)
        do throws(PolicyError) {
          evicted = try withShard(index, inSteps: true) { (shard, gone) throws(PolicyError) in
            try shard.resize(setup, jitter: limits.jitter, number: number, &gone)
          }
        } catch {
          throw .policy(error)
        }
      } while evicted == nil
      given += (evicted ?? 0) + finishChange(index)
      let now = clock.time
      _ = walk(index) { shard, ids, gone in
        shard.releaseForgotten(ids, &gone)
        if let age = setup.timeToLiveMicroseconds { shard.shortenLives(ids, toAge: age, now: now) }
        return 0
      }
    }
    return given
  }

  private func finishChange(_ index: Int) -> Int {
    var given = 0
    while let part = withShard(index, inSteps: true, { shard, gone in shard.continueChange(&gone) })
    {
      given += part
    }
    return given
  }

  func shortenLives(to limit: (UnsafePointer<Value>) -> Expiry) {
    for index in 0..<blocks.count {
      _ = walk(index) { shard, ids, _ in
        shard.shortenLives(ids, to: limit, now: clock.time)
        return 0
      }
    }
  }

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
