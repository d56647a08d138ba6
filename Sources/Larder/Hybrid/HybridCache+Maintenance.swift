import LarderEngine

extension HybridCache {
  /// Removes all entries, of this cache's suite on disk; permanent ones only if
  /// `includingPermanent`. What is being fetched is not stored. O(entries).
  ///
  /// - Throws: `disk`; memory is empty all the same.
  @discardableResult public func removeAll(
    includingPermanent: Bool = false
  ) throws(HybridCacheError) -> HybridFreed {
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
  @discardableResult public func removeExpired() throws(HybridCacheError) -> HybridFreed {
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
  @discardableResult public func trim(toAge age: Duration) throws(HybridCacheError) -> HybridFreed {
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
  @discardableResult public func trimMemory(toCount count: Int = .max, weight: Int = .max) -> Int {
    defer { finish() }
    return (memory?.trim(toCount: count) ?? 0) + (memory?.trim(toWeight: weight) ?? 0)
  }

  /// Gives up entries on disk, as its policy says, until no more than `count` that are not
  /// permanent are left, with no more than `bytes`. Memory keeps what it has. O(entries given up).
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

  /// The system is short of memory: memory keeps the share that `configuration.pressureRule` says
  /// for the level, by default nothing, and disk keeps everything. What waits to be written is
  /// written. Of an exclusive cache what memory gives up is gone. Returns how many entries memory
  /// gave up.
  @discardableResult public func handle(_ level: MemoryPressureLevel) -> Int {
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

/// Limits that are changed while the cache is in use.
extension HybridCache {
  /// The limits of the memory tier that hold now; nil where there is none.
  public var memoryLimits: MemoryCacheLimits? { memory?.limits }

  /// The limits of the disk tier that hold now; nil where there is none.
  public var diskLimits: DiskLimits? { disk?.limits }

  /// Changes the limits of the memory tier, and returns how many entries no longer fitted and went:
  /// see `MemoryCache.setLimits`. Disk keeps what it has; of an exclusive cache what memory
  /// gives up is gone. O(entries in memory).
  ///
  /// - Throws: `memory`, or `configuration` where there is no memory tier; nothing has changed
  ///   then.
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

  /// Changes the limits of the disk tier, and returns what was freed because it no longer fits: see
  /// `DiskCache.setLimits`. Memory keeps what it has, but no longer than the new limit on age, if
  /// there is one. Of a disk cache that several caches share, the limits are those of all; memory
  /// of the others keeps the lives that its entries have.
  ///
  /// - Throws: `disk`, or `configuration` where there is no disk tier.
  @discardableResult public func setDiskLimits(
    _ limits: DiskLimits
  ) throws(HybridCacheError) -> DiskFreed {
    guard let disk else { throw .configuration(message: "the cache has no disk tier") }
    defer { finish() }
    do throws(DiskCacheError) {
      let freed = try disk.setLimits(limits)
      if let age = diskAge?.microseconds {
        memory?.shortenLives { held in
          let created = held.pointee.note.facts?.created ?? held.pointee.createdBits
          return created.addingReportingOverflow(age)
        }
      }
      return freed
    } catch {
      throw .disk(error)
    }
  }

  /// The longest life of an entry in memory; nil for no limit.
  var memoryAge: Duration? { memory?.limits.age }

  /// The longest life of an entry on disk; nil for no limit.
  var diskAge: Duration? { disk?.timeToLive }
}

/// What a call has made free.
public struct HybridFreed: Sendable, Hashable {
  /// Entries that are gone from memory.
  public var memoryCount = 0
  /// What is gone from disk, and by how much its files have shrunk.
  public var disk = DiskFreed()

  /// What was freed; by default nothing.
  public init(memoryCount: Int = 0, disk: DiskFreed = DiskFreed()) {
    self.memoryCount = memoryCount
    self.disk = disk
  }
}
