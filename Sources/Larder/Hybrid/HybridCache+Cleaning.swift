extension HybridCache {
  /// Removes all entries, of this cache's suite on disk; permanent ones only if
  /// `includingPermanent`. What is being fetched is not stored. O(entries).
  ///
  /// - Throws: `disk`; memory is empty all the same.
  @discardableResult
  public func removeAll(includingPermanent: Bool = false) throws(HybridCacheError) -> HybridFreed {
    try refuseNestedCall()
    // Every stripe is held, so that nothing is promoted between the two tiers' turns.
    stripes.lockAll()
    for stripe in stripes.all {
      for key in Array(stripe.flights.keys) { stripe.overtake(key) }
      for key in Array(stripe.dirty.keys) { forgetDirty(key, stripe) }
    }
    defer {
      stripes.unlockAll()
      finish()
    }
    noteClearing()
    var freed = HybridFreed()
    freed.memoryCount = memory?.removeAll(includingPermanent: includingPermanent) ?? 0
    freed.disk = try onDisk { (disk) throws(DiskCacheError) in
      try disk.removeAll(includingPermanent: includingPermanent)
    }
    return freed
  }

  /// Removes what has expired, of this cache's suite on disk, but for what is kept because its
  /// origin may say that it still holds or because it may stand in for it: see
  /// `HybridCacheConfiguration.revalidateWithin`. O(entries).
  ///
  /// - Throws: `disk`.
  @discardableResult
  public func removeExpired() throws(HybridCacheError) -> HybridFreed {
    defer { finish() }
    var freed = HybridFreed()
    freed.memoryCount = memory?.removeExpired() ?? 0
    freed.disk = try onDisk { (disk) throws(DiskCacheError) in
      try disk.removeExpired(keeping: grace)
    }
    return freed
  }

  /// Removes what was stored, or last found to still hold, `age` ago or longer and is not
  /// permanent, from both tiers, on disk from this cache's suite. When an entry was moved between
  /// the tiers plays no part. O(entries).
  ///
  /// - Throws: `disk`.
  @discardableResult
  public func trim(toAge age: Duration) throws(HybridCacheError) -> HybridFreed {
    var freed = HybridFreed()
    try writeAllDirty()
    stripes.lockAll()
    defer {
      stripes.unlockAll()
      finish()
    }
    let now = clock.nowMicroseconds
    freed.memoryCount =
      memory?.trim { held in
        let created = held.pointee.note.facts?.created ?? held.pointee.createdBits
        if created > now { return Self.isAhead(created, of: now) }
        return now - created >= age.microseconds
      } ?? 0
    freed.disk = try onDisk { (disk) throws(DiskCacheError) in try disk.trim(toAge: age) }
    return freed
  }

  /// Gives up entries in memory, as its policy says, until no more than `count` are left and their
  /// weights sum up to no more than `weight`. Disk keeps what it has; of an exclusive cache they
  /// are gone. Returns how many went.
  @discardableResult
  public func trimMemory(toCount count: Int = .max, weight: Int = .max) -> Int {
    defer { finish() }
    return (memory?.trim(toCount: count) ?? 0) + (memory?.trim(toWeight: weight) ?? 0)
  }

  /// Gives up entries on disk, as its policy says, until no more than `count` that are not
  /// permanent are left, with no more than `bytes`. Memory keeps what it has. O(entries given up).
  ///
  /// - Throws: `disk`.
  @discardableResult
  public func trimDisk(
    toCount count: Int = .max, bytes: UInt64 = .max
  ) throws(HybridCacheError) -> DiskFreed {
    defer { finish() }
    return try onDisk { (disk) throws(DiskCacheError) in
      try disk.trim(toCount: count, bytes: bytes)
    }
  }

  /// The system is short of memory: memory keeps the share that `configuration.pressureRule` says
  /// for the level, by default nothing, and disk keeps everything. What waits to be written is
  /// written. Of an exclusive cache what memory gives up is gone. Returns how many entries memory
  /// gave up.
  @discardableResult
  public func handle(_ level: MemoryPressureLevel) -> Int {
    let gone = memory?.handle(level) ?? 0
    // Listeners hear of what fails.
    try? writeAllDirty()
    finish()
    return gone
  }

  /// Does `handle` whenever `source` tells of pressure, until `stopObserving`, the next `observe`,
  /// or the end of the cache.
  public func observe(_ source: any MemoryPressureSource) {
    memory?.watch.start(source) { [weak self] level in self?.handle(level) }
  }

  /// Listens to memory pressure no more.
  public func stopObserving() { memory?.watch.stop() }

  private func onDisk(
    _ body: (HybridDisk) throws(DiskCacheError) -> DiskFreed
  ) throws(HybridCacheError) -> DiskFreed {
    guard let diskTier else { return DiskFreed() }
    do throws(DiskCacheError) { return try body(diskTier) } catch { throw .disk(error) }
  }
}
