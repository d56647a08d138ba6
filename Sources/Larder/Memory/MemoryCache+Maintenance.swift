import LarderEngine

/// Removing more than one entry. Each shard is locked in turn, so other threads go on meanwhile,
/// and what they do to shards that are done is not undone.
extension MemoryCache {
  /// Removes every entry that is not permanent, or every one. O(entries). Returns how many that
  /// were.
  @discardableResult public func removeAll(includingPermanent: Bool = false) -> Int {
    defer { noteClearing() }
    defer { loads.absences?.removeAll() }
    return (0..<blocks.count).reduce(0) { count, index in
      func isOfShard(_ key: Key) -> Bool { blocks.index(hasher.hash(key)) == index }
      // Held until the lock is given back: the end of a key may run code that calls the cache.
      var absent: [Key] = []
      let removed = withShard(index) { shard, gone in
        loads.forget(where: isOfShard)
        absent = loads.revokeAbsences(where: isOfShard)
        return shard.removeAll(includingPermanent: includingPermanent, &gone)
      }
      withExtendedLifetime(absent) {}
      return count + removed
    }
  }

  /// Removes every entry. Neither listeners nor counts know of it, as of the end of a cache.
  func discardAll() {
    for index in 0..<blocks.count {
      var gone = EvictedEntries<Key, Value>(isHeard: false, handing: .none)
      blocks.lock(index)
      let removals = blocks.shard(index).pointee.totals.removals
      _ = blocks.shard(index).pointee.removeAll(includingPermanent: true, &gone)
      blocks.shard(index).pointee.totals.removals = removals
      blocks.unlock(index)
      gone.finish(events, nil)
    }
  }

  /// Removes what has expired. O(entries). Returns how many that were.
  @discardableResult public func removeExpired() -> Int {
    let now = clock.nowMicroseconds
    loads.absences?.removeExpired()
    return sum { shard, gone in shard.removeExpired(now: now, &gone) }
  }

  /// Removes what was stored more than `age` ago and is not permanent. When something was stored is
  /// known to a little more than a second (2^20 microseconds), so what is up to that much older may
  /// stay; nothing younger goes. An age of less than zero counts as zero. O(entries). Returns how
  /// many entries went.
  @discardableResult public func trim(toAge age: Duration) -> Int {
    let (now, age) = (clock.nowMicroseconds, age.microseconds)
    guard now > age else { return 0 }
    return sum { shard, gone in shard.removeStored(before: now - age, &gone) }
  }

  /// Removes entries whose values are chosen where they lie, but for permanent ones; the choice
  /// must not call the cache. O(entries). Returns how many entries went.
  func trim(where isChosen: (UnsafePointer<Value>) -> Bool) -> Int {
    sum { shard, gone in shard.removeValues(&gone, where: isChosen) }
  }

  /// Removes the entry of a key if it has expired and was kept.
  func removeExpired(_ key: Key) {
    let hash = hasher.hash(key)
    _ = withShard(blocks.index(hash)) { shard, gone in
      shard.removeExpired(
        key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds, &gone)
    }
  }

  /// Lets the policy choose what goes until the weights of all entries sum up to no more than
  /// `weight`; where weights are not kept (see `MemoryCacheLimits`) each is 1. Every shard gives up
  /// the same share of what it holds. Less than 0 counts as 0. Returns how many entries went.
  @discardableResult public func trim(toWeight weight: Int) -> Int {
    let held = statistics.weight
    let wanted = UInt64(max(weight, 0))
    guard held > wanted else { return 0 }
    return sum { shard, gone in
      let part = shard.tier.used.multipliedFullWidth(by: wanted)
      return shard.trim(used: held.dividingFullWidth(part).quotient, .trim, &gone)
    }
  }

  /// Lets the policy choose what goes until no more than `count` entries are left. Every shard
  /// gives up the same share of what it holds. Less than 0 counts as 0. Returns how many entries
  /// went.
  @discardableResult public func trim(toCount count: Int) -> Int {
    let held = self.count
    let wanted = max(count, 0)
    guard held > wanted else { return 0 }
    return sum { shard, gone in
      let part = shard.tier.count.multipliedFullWidth(by: wanted)
      return shard.trim(count: held.dividingFullWidth(part).quotient, .trim, &gone)
    }
  }

  /// Gives up what `configuration.pressureRule` says, the policy choosing. Called by whatever
  /// `observe` was given, or by the app itself. Returns how many entries went.
  @discardableResult public func handle(_ level: MemoryPressureLevel) -> Int {
    let kept = configuration.pressureRule.kept(level)
    loads.absences?.removeAll()
    return sum { shard, gone in
      let (used, count) = (shard.tier.used, shard.tier.count)
      if configuration.limits.weight == nil || kept == 0 {
        return shard.trim(count: Int(Double(count) * kept), .pressure, &gone)
      }
      return shard.trim(used: UInt64(Double(used) * kept), .pressure, &gone)
    }
  }

  /// Trims as the pressure rule says whenever `source` tells of pressure, until `stopObserving`,
  /// the next `observe`, or the end of the cache.
  public func observe(_ source: any MemoryPressureSource) {
    watch.start(source) { [weak self] level in self?.handle(level) }
  }

  /// Listens to memory pressure no more.
  public func stopObserving() { watch.stop() }

  private func sum(
    _ body: (inout MemoryShard<Key, Value>, inout EvictedEntries<Key, Value>) -> Int
  ) -> Int {
    (0..<blocks.count).reduce(0) { $0 + withShard($1, body) }
  }
}

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
  @discardableResult public func setLimits(
    _ limits: MemoryCacheLimits
  ) throws(MemoryCacheError) -> Int {
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
