import LarderEngine

/// Reloading in the background what is still answered.
extension MemoryCache {
  /// Whether the value of a key is old enough to be reloaded, and nobody is doing so.
  func isDue(_ key: Key) -> Bool {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    return withShard(blocks.index(hash)) { shard, _ in
      let now = clock.nowMicroseconds
      return shard.isDue(key, upper, before: refreshInstant(now), now: now)
    }
  }

  /// The value of a key that has expired and may be answered all the same; it is reloaded in the
  /// background.
  func staleValue(_ key: Key, _ loader: MemoryLoader<Key, Value>) -> Value? {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let stale = withShard(blocks.index(hash)) { shard, _ in
      shard.stale(key, upper, life: staleLife, now: clock.nowMicroseconds)
    }
    guard let stale else { return nil }
    loads.countStale()
    if !stale.isRefreshing { refresh(key, loader) }
    return stale.value
  }

  /// Reloads a key in the background, unless it is being loaded.
  func refresh(_ key: Key, _ loader: MemoryLoader<Key, Value>) {
    guard let pending = loads.begin(key) else { return }
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let stamp = withShard(blocks.index(hash)) { shard, _ in
      let now = clock.nowMicroseconds
      return shard.beginRefresh(key, upper, before: refreshInstant(now), now: now)
    }
    // Another request may have reloaded or set it between the two looks. If it is gone, somebody
    // may have come to wait for this load already.
    if stamp == nil, let value = peek(key) { return loads.end(pending, key, .miss(value)) }
    loads.countRefresh()
    pending.flight.launch { await self.run(pending, key, loader, refreshed: stamp) }
    guard let limit = configuration.refreshTimeout else { return }
    pending.flight.limit(to: limit) {
      if let stamp { self.endRefresh(key, stamp, pending) }
      pending.forget()
      self.loads.end(pending, key, .failure(MemoryLoadError.refreshTimedOut(key: "\(key)")))
    }
  }

  /// Ends a reload: an entry that it has not replaced may be reloaded again.
  func endRefresh(_ key: Key, _ stamp: UInt32, _ pending: MemoryLoad<Value>) {
    let hash = hasher.hash(key)
    withShard(blocks.index(hash)) { shard, _ in
      // If its key was removed, an entry that is being reloaded is one for another load.
      guard pending.mayStore else { return }
      shard.endRefresh(key, UInt32(truncatingIfNeeded: hash >> 32), stamp)
    }
  }

  /// Values stored before this instant are to be reloaded; 0 where none are.
  private func refreshInstant(_ now: UInt64) -> UInt64 {
    guard let refreshAge, now > refreshAge else { return 0 }
    return now - refreshAge
  }
}
