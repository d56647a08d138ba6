extension HybridCache {
  /// Removes all entries, of this cache's suite on disk; permanent ones only if
  /// `includingPermanent`. What is being fetched is not stored. O(entries).
  ///
  /// - Throws: `disk`; memory is empty all the same.
  @discardableResult
  public func removeAll(includingPermanent: Bool = false) throws(HybridCacheError) -> HybridFreed {
    // Every stripe is held, so that nothing is promoted between the two tiers' turns.
    for stripe in stripes.all {
      stripe.lock.lock()
      stripe.begin()
      stripe.totals.overtaken += UInt64(stripe.flights.count)
      stripe.flights = [:]
      for key in Array(stripe.dirty.keys) { forgetDirty(key, stripe) }
    }
    defer {
      for stripe in stripes.all { stripe.lock.unlock() }
      finish()
    }
    var freed = HybridFreed()
    freed.memoryEntries = memory?.removeAll(includingPermanent: includingPermanent) ?? 0
    freed.disk = try onDisk { (disk) throws(DiskCacheError) in
      try disk.removeAll(suite: configuration.suite, includingPermanent: includingPermanent)
    }
    return freed
  }

  /// Removes what has expired, on disk in all suites. O(entries).
  ///
  /// - Throws: `disk`.
  @discardableResult
  public func removeExpired() throws(HybridCacheError) -> HybridFreed {
    defer { finish() }
    var freed = HybridFreed()
    freed.memoryEntries = memory?.removeExpired() ?? 0
    freed.disk = try onDisk { (disk) throws(DiskCacheError) in try disk.removeExpired() }
    return freed
  }

  /// Removes what was stored `age` ago or longer and is not permanent, from both tiers. O(entries).
  ///
  /// - Throws: `disk`.
  @discardableResult
  public func trim(toAge age: Duration) throws(HybridCacheError) -> HybridFreed {
    var freed = HybridFreed()
    try writeAllDirty()
    defer { finish() }
    freed.memoryEntries = memory?.trim(toAge: age) ?? 0
    freed.disk = try onDisk { (disk) throws(DiskCacheError) in try disk.trim(toAge: age) }
    return freed
  }

  /// Gives up entries in memory, as its policy says, until no more than `count` are left and their
  /// costs sum up to no more than `cost`. Disk keeps what it has; of an exclusive cache they are
  /// gone. Returns how many went.
  @discardableResult
  public func trimMemory(toCount count: Int = .max, cost: Int = .max) -> Int {
    defer { finish() }
    return (memory?.trim(toCount: count) ?? 0) + (memory?.trim(toCost: cost) ?? 0)
  }

  /// Gives up entries on disk, as its policy says, until no more than `entries` that are not
  /// permanent are left, with no more than `bytes`. Memory keeps what it has. O(entries given up).
  ///
  /// - Throws: `disk`.
  @discardableResult
  public func trimDisk(
    toEntries entries: Int = .max, bytes: UInt64 = .max
  ) throws(HybridCacheError) -> DiskFreed {
    defer { finish() }
    return try onDisk { (disk) throws(DiskCacheError) in
      var freed = try disk.trim(toEntries: entries)
      let more = try disk.trim(toBytes: bytes)
      freed.entries += more.entries
      freed.valueBytes += more.valueBytes
      freed.diskBytes += more.diskBytes
      return freed
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
    _ body: (DiskCache) throws(DiskCacheError) -> DiskFreed
  ) throws(HybridCacheError) -> DiskFreed {
    guard let disk else { return DiskFreed() }
    do throws(DiskCacheError) { return try body(disk) } catch { throw .disk(error) }
  }
}
