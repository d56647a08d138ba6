/// Removing more than one entry. Each shard is locked in turn, so other threads go on meanwhile,
/// and what they do to shards that are done is not undone.
extension MemoryCache {
  /// Removes every entry that is not permanent, or every one. O(entries). Returns how many that
  /// were.
  @discardableResult
  public func removeAll(includingPermanent: Bool = false) -> Int {
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
  @discardableResult
  public func removeExpired() -> Int {
    let now = clock.nowMicroseconds
    loads.absences?.removeExpired()
    return sum { shard, gone in shard.removeExpired(now: now, &gone) }
  }

  /// Removes what was stored more than `age` ago and is not permanent. When something was stored is
  /// known to a little more than a second (2^20 microseconds), so what is up to that much older may
  /// stay; nothing younger goes. An age of less than zero counts as zero. O(entries). Returns how
  /// many entries went.
  @discardableResult
  public func trim(toAge age: Duration) -> Int {
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
  @discardableResult
  public func trim(toWeight weight: Int) -> Int {
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
  @discardableResult
  public func trim(toCount count: Int) -> Int {
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
  @discardableResult
  public func handle(_ level: MemoryPressureLevel) -> Int {
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
