import LarderEngine

extension HybridCache {
  /// Removes all entries, on disk of this cache's suite; permanent ones only if
  /// `includingPermanent`. Running fetches are not stored. O(entries).
  ///
  /// - Throws: `disk`; memory is empty even then.
  @discardableResult public func removeAll(
    includingPermanent: Bool = false
  ) throws(HybridCacheError) -> HybridFreed {
    try refuseNestedCall()
    // All stripes are locked, so that nothing is promoted between clearing the two tiers.
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

  /// Removes expired entries, on disk of this cache's suite, except those kept for revalidation or
  /// to replace a failing origin: see `HybridCacheConfiguration.revalidateWithin`. O(entries).
  ///
  /// - Throws: `disk`.
  @discardableResult public func removeExpired() throws(HybridCacheError) -> HybridFreed {
    defer { finish() }
    var freed = HybridFreed()
    freed.memoryCount = memory?.removeExpired() ?? 0
    freed.disk = try onDisk { (disk) throws(DiskCacheError) in
      try disk.removeExpired(keeping: grace)
    }
    return freed
  }

  /// Removes entries that were stored or last confirmed `age` ago or longer, except permanent ones,
  /// from both tiers, on disk from this cache's suite. Moves between the tiers do not affect the
  /// age. O(entries).
  ///
  /// - Throws: `disk`.
  @discardableResult public func trim(toAge age: Duration) throws(HybridCacheError) -> HybridFreed {
    var freed = HybridFreed()
    try writeAllDirty()
    stripes.lockAll()
    defer {
      stripes.unlockAll()
      finish()
    }
    let now = clock.time
    freed.memoryCount =
      memory?.trim { held in
        let created = held.pointee.creation
        if created > now { return CacheInstant.isAhead(created, of: now) }
        return now - created >= age.microseconds
      } ?? 0
    freed.disk = try onDisk { (disk) throws(DiskCacheError) in try disk.trim(toAge: age) }
    return freed
  }

  /// Evicts entries from memory, chosen by its policy, until at most `count` are left with a total
  /// weight of at most `weight`. Disk is unchanged; in an exclusive cache the evicted entries are
  /// lost. Returns the number of evicted entries.
  @discardableResult public func trimMemory(toCount count: Int = .max, weight: Int = .max) -> Int {
    defer { finish() }
    return (memory?.trim(toCount: count) ?? 0) + (memory?.trim(toWeight: weight) ?? 0)
  }

  /// Evicts entries from disk, chosen by its policy, until at most `count` that are not permanent
  /// are left, with at most `bytes`. Memory is unchanged. O(evicted entries).
  ///
  /// - Throws: `disk`.
  @discardableResult public func trimDisk(
    toCount count: Int = .max, bytes: UInt64 = .max
  ) throws(HybridCacheError) -> DiskFreed {
    defer { finish() }
    return try onDisk { (disk) throws(DiskCacheError) in
      try disk.trim(toCount: count, bytes: bytes)
    }
  }

  /// Handles memory pressure: memory keeps the share that `configuration.pressureRule` defines for
  /// the level, by default nothing, and disk keeps everything. Waiting writes are written. In an
  /// exclusive cache the evicted entries are lost. Returns the number of entries evicted from
  /// memory.
  @discardableResult public func handle(_ level: MemoryPressureLevel) -> Int {
    let gone = memory?.handle(level) ?? 0
    // Failures are reported to listeners.
    try? writeAllDirty()
    finish()
    return gone
  }

  /// Calls `handle` whenever `source` reports memory pressure, until `stopObserving`, the next
  /// `observe`, or the end of the cache.
  public func observe(_ source: any MemoryPressureSource) {
    memory?.watch.start(source) { [weak self] level in self?.handle(level) }
  }

  /// Stops observing memory pressure.
  public func stopObserving() { memory?.watch.stop() }

  private func onDisk(
    _ body: (HybridDisk) throws(DiskCacheError) -> DiskFreed
  ) throws(HybridCacheError) -> DiskFreed {
    guard let diskTier else { return DiskFreed() }
    do throws(DiskCacheError) { return try body(diskTier) } catch { throw .disk(error) }
  }
}

/// Changes of the limits while the cache is in use.
extension HybridCache {
  /// Current limits of the memory tier; nil without one.
  public var memoryLimits: MemoryCacheLimits? { memory?.limits }

  /// Current limits of the disk tier; nil without one.
  public var diskLimits: DiskLimits? { disk?.limits }

  /// Changes the limits of the memory tier, and returns the number of entries evicted because they
  /// no longer fitted: see `MemoryCache.setLimits`. Disk is unchanged; in an exclusive cache the
  /// evicted entries are lost. O(entries in memory).
  ///
  /// - Throws: `memory`, or `configuration` without a memory tier; nothing has changed then.
  @discardableResult public func setMemoryLimits(
    _ limits: MemoryCacheLimits
  ) throws(HybridCacheError) -> Int {
    guard let memory else { throw .configuration(message: "the cache has no memory tier") }
    defer { finish() }
    do throws(MemoryCacheError) {
      return try memory.setLimits(limits)
    } catch {
      throw .memory(error)
    }
  }

  /// Changes the limits of the disk tier, and returns the space freed by evicting entries that no
  /// longer fit: see `DiskCache.setLimits`. Memory keeps its entries, but not beyond the new limit
  /// on age, if there is one. On a disk cache shared by several caches, the limits apply to all;
  /// entries in the memory of the others keep their lifetimes.
  ///
  /// - Throws: `disk`, or `configuration` without a disk tier.
  @discardableResult public func setDiskLimits(
    _ limits: DiskLimits
  ) throws(HybridCacheError) -> DiskFreed {
    guard let disk else { throw .configuration(message: "the cache has no disk tier") }
    defer { finish() }
    do throws(DiskCacheError) {
      let freed = try disk.setLimits(limits)
      if let age = diskAge?.microseconds {
        memory?.shortenLives { held in Expiry(after: age, from: held.pointee.creation) }
      }
      return freed
    } catch {
      throw .disk(error)
    }
  }

  /// Maximum TTL of an entry in memory; nil for no limit.
  var memoryAge: Duration? { memory?.limits.age }

  /// Maximum TTL of an entry on disk; nil for no limit.
  var diskAge: Duration? { disk?.timeToLive }
}

/// Space freed by a call.
public struct HybridFreed: Sendable, Hashable {
  /// Entries removed from memory.
  public var memoryCount = 0
  /// Entries removed from disk, and the reduction of its files.
  public var disk = DiskFreed()

  /// Creates a value; by default nothing was freed.
  public init(memoryCount: Int = 0, disk: DiskFreed = DiskFreed()) {
    self.memoryCount = memoryCount
    self.disk = disk
  }
}
