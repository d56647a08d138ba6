import LarderEngine

extension HybridCache {
  @discardableResult package func removeAll(
    includingPermanent: Bool = false
  ) throws(HybridCacheError) -> Freed {
    try refuseNestedCall()
    if isClosed { throw closedError }
    defer { finish() }
    return try withAllStripes { (freed) throws(HybridCacheError) in
      for stripe in stripes.all {
        for key in Array(stripe.flights.keys) { stripe.overtake(key) }
      }
      absences.removeAll()
      noteClearing()
      freed.memoryCount = memory?.removeAll(includingPermanent: includingPermanent) ?? 0
      return try diskTier?.beginRemoval(includingPermanent: includingPermanent)
    }
  }

  @discardableResult package func removeExpired() throws(HybridCacheError) -> Freed {
    if isClosed { throw closedError }
    defer { finish() }
    var freed = Freed(memoryCount: memory?.removeExpired() ?? 0)
    if let diskTier { freed += try diskTier.removeExpired(keeping: grace) }
    return freed
  }

  @discardableResult package func trim(
    toAge age: Duration
  ) throws(HybridCacheError) -> Freed {
    try refuseNestedCall()
    if isClosed { throw closedError }
    defer { finish() }
    return try withAllStripes { (freed) throws(HybridCacheError) in
      let now = clock.time
      freed.memoryCount =
        memory?.trim { held in
          let created = held.pointee.creation
          if created > now { return CacheInstant.isAhead(created, of: now) }
          return now - created >= age.microseconds
        } ?? 0
      return try diskTier?.beginTrim(toAge: age)
    }
  }

  /// Evicts entries from memory, chosen by its policy, until at most `count` are left with a total
  /// weight of at most `weight`. Disk is unchanged; in an exclusive cache the evicted entries are
  /// lost. Returns the number of evicted entries.
  @discardableResult public func trimMemory(toCount count: Int = .max, weight: Int = .max) -> Int {
    defer { finish() }
    return memory?.trim(toCount: count, weight: weight) ?? 0
  }

  @discardableResult package func trimDisk(
    toCount count: Int = .max, bytes: UInt64 = .max
  ) throws(HybridCacheError) -> Freed {
    if isClosed { throw closedError }
    defer { finish() }
    return try diskTier?.trim(toCount: count, bytes: bytes) ?? Freed()
  }

  /// Handles memory pressure: memory keeps the share that `configuration.pressureRule` defines for
  /// the level, by default nothing, and disk keeps everything. In an exclusive cache the evicted
  /// entries are lost. Returns the number of entries evicted from memory.
  @discardableResult public func handle(_ level: MemoryPressureLevel) -> Int {
    let gone = memory?.handle(level) ?? 0
    absences.removeAll()
    finish()
    return gone
  }

  package func flush() throws(HybridCacheError) {
    if isClosed { throw closedError }
    defer { finish() }
    try diskTier?.flush()
  }

  package func suspend() throws(HybridCacheError) {
    if isClosed { throw closedError }
    defer { finish() }
    try HybridCacheError.disk { () throws(DiskCacheError) in try disk?.suspend() }
  }

  package func resume() throws(HybridCacheError) {
    if isClosed { throw closedError }
    try HybridCacheError.disk { () throws(DiskCacheError) in try disk?.resume() }
  }

  @discardableResult package func remove(
    where matches: (DiskEntryInfo) -> Bool
  ) throws(HybridCacheError) -> Freed {
    try refuseNestedCall()
    if isClosed { throw closedError }
    defer { finish() }
    let removal = stripes.holdAll {
      stripes.removalsUnderWay += 1
      stripes.removal += 1
      return stripes.removal
    }
    var (chosen, failure) = choose(matches)
    let freed = Result { () throws(HybridCacheError) in
      try withAllStripes { (freed) throws(HybridCacheError) in
        defer { endRemoval() }
        return try remove(&chosen, storedBefore: removal, &freed)
      }
    }
    if let failure { throw failure }
    return try freed.get()
  }

  private struct Chosen {
    var inMemory: [Key] = []
    var onDisk: [ObjectID: UInt64] = [:]
    var names: Set<String> = []
  }

  private func choose(_ matches: (DiskEntryInfo) -> Bool) -> (Chosen, HybridCacheError?) {
    var (chosen, failure) = (Chosen(), HybridCacheError?.none)
    var names: Set<String> = []
    do throws(HybridCacheError) {
      chosen.onDisk =
        try diskTier?.chosen { entry in
          guard matches(entry) else { return false }
          names.insert(entry.name.key)
          return true
        } ?? [:]
    } catch {
      failure = error
    }
    chosen.names = names
    for (key, record) in memory?.allEntries ?? [] where matches(info(key, record)) {
      chosen.names.insert(key.diskKey)
      chosen.inMemory.append(key)
    }
    return (chosen, failure)
  }

  private func remove(
    _ chosen: inout Chosen, storedBefore removal: UInt64, _ freed: inout Freed
  ) throws(HybridCacheError) -> DiskRemoval? {
    for stripe in stripes.all {
      for (key, latest) in stripe.stored where latest >= removal {
        chosen.names.remove(key.diskKey)
      }
      for key in Array(stripe.flights.keys) where chosen.names.contains(key.diskKey) {
        stripe.overtake(key)
      }
    }
    // Those that memory has evicted to disk meanwhile.
    var moved = rules.demotes ? Set(chosen.inMemory) : []
    for key in memory?.allEntries.map(\.key) ?? [] where chosen.names.contains(key.diskKey) {
      let isExpired = memory?.expired(key) != nil
      if isExpired { memory?.removeExpired(key) }
      if memory?.remove(key) != nil || isExpired { freed.memoryCount += 1 }
      moved.remove(key)
      noteRemoval(key, clock.time)
    }
    let names = chosen.names
    guard let diskTier else { return nil }
    let removal =
      chosen.onDisk.isEmpty ? nil : try diskTier.beginRemoval(of: chosen.onDisk)
    for key in moved where names.contains(key.diskKey) {
      if try diskTier.remove(key.diskKey) { freed.count += 1 }
    }
    return removal
  }

  private func endRemoval() {
    stripes.removalsUnderWay -= 1
    guard stripes.removalsUnderWay == 0 else { return }
    for stripe in stripes.all where !stripe.stored.isEmpty { stripe.stored = [:] }
  }

  /// Calls `body` with all stripes locked, so that nothing moves between the tiers, finishes the
  /// removal from disk that it began without them, and returns what was freed.
  private func withAllStripes(
    _ body: (inout Freed) throws(HybridCacheError) -> DiskRemoval?
  ) throws(HybridCacheError) -> Freed {
    var freed = Freed()
    let removal = try stripes.holdAll { () -> Result<DiskRemoval?, HybridCacheError> in
      Result { () throws(HybridCacheError) in try body(&freed) }
    }.get()
    if let removal, let diskTier { freed += try diskTier.finish(removal) }
    return freed
  }

  private func info(_ key: Key, _ record: MemoryRecord<Value>) -> DiskEntryInfo {
    var metadata = record.metadata.all(created: record.creation)
    metadata.isExpired = metadata.expiry.isOver(at: clock.time)
    return DiskEntryInfo(
      name: DiskEntryName(suite: configuration.suite, key: key.diskKey), bytes: nil,
      metadata: metadata)
  }
}

extension HybridCache {
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

  @discardableResult package func setDiskLimits(
    _ limits: DiskLimits
  ) throws(HybridCacheError) -> Freed {
    guard let disk else { throw .configuration(message: "the cache has no disk tier") }
    if isClosed { throw closedError }
    defer { finish() }
    let freed = try HybridCacheError.disk { () throws(DiskCacheError) in
      try disk.setLimits(limits)
    }
    if let age = diskAge?.microseconds {
      memory?.shortenLives { held in Expiry(after: age, from: held.pointee.creation) }
    }
    return freed
  }

  var memoryAge: Duration? { memory?.limits.age }

  /// Expiry in memory of an entry that expires at `expiry`. If the disk expires idle entries, gets
  /// must reach it in time: memory returns a copy only for a part of the idle time.
  func memoryExpiry(_ expiry: Expiry, _ isPermanent: Bool, _ now: UInt64) -> Expiry {
    guard let idle = diskIdle, !isPermanent, rules.inclusion == .inclusive,
      rules.mayTake(life: expiry.lifeLeft(at: now)).disk
    else { return expiry }
    return min(expiry, Expiry(after: max(1, idle / 8), from: now))
  }

  var diskAge: Duration? { disk?.timeToLive }

  /// Maximum TTL of an entry.
  var age: Duration? { disk == nil ? memoryAge : diskAge }
}

extension MemoryCache {
  fileprivate var allEntries: [(key: Key, value: Value)] {
    // At time 0, at which nothing has expired.
    keys(at: 0).compactMap { key in (peek(key) ?? expired(key)?.value).map { (key, $0) } }
  }
}
