import LarderEngine

extension DiskCore {
  func set(
    _ bytes: UnsafeRawBufferPointer, suite name: String, _ value: UnsafeRawBufferPointer,
    _ options: DiskStoreOptions, life: DiskLife? = nil, codec: String? = nil
  ) throws(DiskCacheError) -> Bool {
    let isInline = value.count <= configuration.inlineBytesMax
    let bytesMax = isInline ? DiskKey.inlineBytesMax : DiskKey.valueBytesMax
    guard value.count <= bytesMax else {
      throw .valueTooLarge(bytes: value.count, bytesMax: bytesMax)
    }
    guard bytes.count <= DiskKey.bytesMax else {
      throw .keyTooLarge(bytes: bytes.count, bytesMax: DiskKey.bytesMax)
    }
    _ = try openIndex(toChange: bytes, suite: name, writesFile: !isInline)
    let hasRoom: Bool
    do throws(DiskCacheError) {
      hasRoom = try makeFreeSpace(for: UInt64(value.count))
    } catch {
      // The key's previous value is outdated.
      loseValue(of: bytes, suite: name)
      throw error
    }
    // Only now: making room may have started an empty database, which has no suites and another
    // seed.
    let suite = try makeSuite(name)
    if let codec { try recordCodec(codec, suite: suite) }
    let index = try openIndex()
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    let id = directory[key.digest] ?? newEntry(key)
    let now = clock.time
    var row = plannedRow(key, value, options, life ?? newLife(options, now))
    if let refusal = hasRoom ? place(id, &row, key, now) : .reject {
      note(refusal, key)
      try refuse(id, countsRejection: !hasRoom)
      return false
    }
    try write(id, row, key, value, options, isInline: isInline, to: index)
    note(.set, key)
    return true
  }

  private func newEntry(_ key: DiskKey) -> ObjectID {
    let id = allocateID()
    directory[key.digest] = id
    slots[Int(id)].take(key.digest, suite: key.suite)
    return id
  }

  private func newLife(_ options: DiskStoreOptions, _ now: UInt64) -> DiskLife {
    DiskLife(created: now, expiry: expiry(options.timeToLive, from: now))
  }

  func expiry(_ timeToLive: Duration?, from now: UInt64) -> Expiry {
    // A TTL of zero has expired at once; the tier takes 0 as no TTL.
    if let timeToLive, timeToLive.microseconds == 0 { return Expiry(now) }
    return Expiry(tier.expiryFrom(now, timeToLive?.microseconds ?? 0))
  }

  private func plannedRow(
    _ key: DiskKey, _ value: UnsafeRawBufferPointer, _ options: DiskStoreOptions,
    _ life: DiskLife
  ) -> DiskRow {
    sequence += 1
    return DiskRow(
      suite: key.suite, isPermanent: options.isPermanent, bytes: UInt32(value.count),
      inserted: sequence, stored: sequence, created: life.created,
      expiry: options.isPermanent ? .never : life.expiry,
      cost: options.fetchCost.asFetchCost,
      checksum: 0, file: 0, mustRevalidate: options.mustRevalidate)
  }

  private func place(
    _ id: ObjectID, _ row: inout DiskRow, _ key: DiskKey, _ now: UInt64
  ) -> CacheEventKind? {
    let wasStored = slots[Int(id)].isStored
    if row.isPermanent {
      if slots[Int(id)].state == .known { tier.remove(id) }
      countStore(wasStored)
      return nil
    }
    var request = Request(
      id: id, size: weight(row.bytes, row: rowUnits(keyBytes: key.bytes.count)),
      expires: row.expiry.microseconds, cost: row.cost)
    let fingerprints = configuration.fingerprints
    request.fingerprint =
      fingerprints == .hashes
      ? key.digest.fingerprint : fingerprints.fingerprint(text: key.bytes)
    let outcome = tier.set(request, now)
    let isVictim = dropVictims(sparing: id, counting: \.evictions)
    if outcome == .rejected {
      statistics.sets += 1
      statistics.rejections += 1
      return .reject
    }
    if outcome == .replaced { row.inserted = slots[Int(id)].inserted }
    countStore(outcome == .replaced || slots[Int(id)].state == .permanent)
    return isVictim ? .evict(.capacity) : nil
  }

  private func countStore(_ replaces: Bool) {
    statistics.sets += 1
    if !replaces { statistics.admissions += 1 }
  }

  private func refuse(_ id: ObjectID, countsRejection: Bool) throws(DiskCacheError) {
    if countsRejection {
      statistics.sets += 1
      statistics.rejections += 1
      if slots[Int(id)].state == .known { tier.remove(id) }
    }
    drop(id)
    if !doomed.isEmpty { try commitDoomed() }
  }

  private func write(
    _ id: ObjectID, _ planned: DiskRow, _ key: DiskKey, _ value: UnsafeRawBufferPointer,
    _ options: DiskStoreOptions, isInline: Bool, to index: DiskIndex
  ) throws(DiskCacheError) {
    guard let seal = index.seal else {
      var row = planned
      row.checksum = ByteHash.hash(value, seed: key.digest.checksumSeed)
      return try write(id, row, key, body: value, options, isInline: isInline, to: index)
    }
    guard let sealed = seal.sealValue(value, key) else {
      lose(id, key, isPermanent: planned.isPermanent)
      throw .codec(message: "\(folder.path): a value of \(value.count) bytes cannot be encrypted")
    }
    let result = sealed.withUnsafeBytes { body in
      Result { () throws(DiskCacheError) in
        var row = planned
        row.checksum = DiskSeal.mark(body)
        try write(id, row, key, body: body, options, isInline: isInline, to: index)
      }
    }
    try result.get()
  }

  private func write(
    _ id: ObjectID, _ planned: DiskRow, _ key: DiskKey, body: UnsafeRawBufferPointer,
    _ options: DiskStoreOptions, isInline: Bool, to index: DiskIndex
  ) throws(DiskCacheError) {
    var row = planned
    if !isInline {
      do throws(FileFailure) {
        row.file = try folder.values.write(body)
      } catch {
        lose(id, key, isPermanent: row.isPermanent)
        throw DiskCacheError(error)
      }
    }
    let isReplacement = slots[Int(id)].isStored
    if isReplacement { unstore(id) }
    let hasTexts = options.version != nil || options.contentType != nil
    record(id, row, keyBytes: key.bytes.count, written: index.log.age, hasTexts: hasTexts)
    if row.file != 0, !hasTexts { remember(key.bytes, of: id) }
    if uses.areKept { uses.note(id, clock.time) }
    do throws(SQLiteError) {
      transaction.put(id, bytes: body.count)
      try beginWriting(index)
      try index.put(id, row, options, key: key.bytes, body: isInline ? body : nil)
      try finishWriting(index)
    } catch {
      if isReplacement { note(.evict(.failure), key) }
      rollBack(index)
      try giveUp(after: error, index)
    }
    statistics.bytesWritten += UInt64(row.bytes)
    recycleSegments()
    shrinkAfterRemovals()
    writeOrderAfterHits()
  }

  private func loseValue(of bytes: UnsafeRawBufferPointer, suite name: String) {
    guard let index = try? openIndex(), let suite = suiteNumber(name) else { return }
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    guard let id = directory[key.digest] else { return }
    lose(id, key, isPermanent: slots[Int(id)].state == .permanent)
  }

  private func lose(_ id: ObjectID, _ key: DiskKey, isPermanent: Bool) {
    if !isPermanent { tier.remove(id) }
    drop(id, .evict(.failure))
    if !doomed.isEmpty { try? commitDoomed() }
  }

  func record(
    _ id: ObjectID, _ row: DiskRow, keyBytes: Int, written age: UInt32, hasTexts: Bool
  ) {
    slots[Int(id)].store(row, written: age, hasTexts: hasTexts)
    slots[Int(id)].rowUnits = rowUnits(keyBytes: keyBytes)
    setFile(row.file, of: id)
    if row.isPermanent {
      permanentBytes += UInt64(row.bytes)
      permanentEntries += 1
    } else {
      valueBytes += UInt64(row.bytes)
      rowBytes += slots[Int(id)].rowBytes
    }
  }

  private func makeFreeSpace(for bytes: UInt64) throws(DiskCacheError) -> Bool {
    let limits = configuration.limits
    guard limits.freeBytes > 0 else { return true }
    let (sum, overflows) = bytesSinceFreeCheck.addingReportingOverflow(bytes)
    bytesSinceFreeCheck = sum
    guard overflows || sum >= limits.freeSpaceInterval else { return true }
    bytesSinceFreeCheck = 0
    if try freeBytes() >= limits.freeBytes + bytes { return true }
    // Every set checks until there is room again.
    bytesSinceFreeCheck = .max
    let missing = limits.freeBytes + bytes - min(try freeBytes(), limits.freeBytes + bytes)
    let before = valueBytes
    while tier.count > 0, before - valueBytes < missing {
      drop(tier.giveUp(), .evict(.freeSpace))
      statistics.pressure += 1
    }
    try releaseFiles()
    return try freeBytes() >= limits.freeBytes + bytes
  }

  private func freeBytes() throws(DiskCacheError) -> UInt64 {
    return try inFiles { () throws(FileFailure) in try folder.files.freeBytes(at: folder.path) }
  }
}

extension DiskCore {
  func renew(
    _ bytes: UnsafeRawBufferPointer, suite: UInt32, timeToLive: Duration?, expiry: Expiry?,
    version: String?
  ) throws(DiskCacheError) -> Bool {
    try checkPlace()
    let index = try openIndex()
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    guard let id = directory[key.digest], slots[Int(id)].isStored else { return false }
    let isPermanent = slots[Int(id)].state == .permanent
    let now = clock.time
    let life = DiskLife(
      created: now,
      expiry: isPermanent ? .never : expiry ?? self.expiry(timeToLive, from: now))
    do throws(SQLiteError) {
      transaction.renewals.append(
        DiskTransaction.Renewal(
          id: id, stored: slots[Int(id)].stored,
          life: DiskLife(created: slots[Int(id)].created, expiry: Expiry(tier.expiry(id)))))
      slots[Int(id)].written = index.log.age
      if version != nil { slots[Int(id)].hasTexts = true }
      try beginWriting(index)
      guard try index.renew(id, key.bytes, life, version: version) else {
        transaction.renewals.removeLast()
        try finishWriting(index)
        return false
      }
      // From here on a get reads the version from the row.
      if version != nil { slots[Int(id)].key = nil }
      setLife(id, life)
      uses.note(id, now)
      try finishWriting(index)
    } catch {
      rollBack(index)
      try giveUp(after: error, index)
    }
    statistics.renewals += 1
    recycleSegments()
    return true
  }

  func setLife(_ id: ObjectID, _ life: DiskLife) {
    slots[Int(id)].created = life.created
    if slots[Int(id)].state == .known, tier.contains(id) {
      tier.renew(id, life.expiry.microseconds)
    }
  }

  func toggleHitBefore(
    _ bytes: UnsafeRawBufferPointer, suite: UInt32
  ) throws(DiskCacheError) -> Bool {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    guard let id = directory[key.digest], slots[Int(id)].isStored else { return false }
    slots[Int(id)].isHitBefore.toggle()
    return !slots[Int(id)].isHitBefore
  }
}

extension DiskCore {
  func remove(_ bytes: UnsafeRawBufferPointer, suite: UInt32) throws(DiskCacheError) -> Bool {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    var wasStored = false
    if let id = directory[key.digest] {
      wasStored = slots[Int(id)].isStored
      if slots[Int(id)].state == .known { tier.remove(id) }
      drop(id, .remove)
      if wasStored { statistics.removals += 1 }
    }
    // A key without an entry may have a row that an earlier call could not delete: the removal is
    // acknowledged only once the row is gone.
    if !doomed.isEmpty { try commitDoomed() }
    return wasStored
  }

  func removeExpired(_ bytes: UnsafeRawBufferPointer, suite: UInt32) throws(DiskCacheError) {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    guard let id = directory[key.digest], slots[Int(id)].isStored,
      slots[Int(id)].state == .known, hasExpired(id, clock.time)
    else { return }
    tier.remove(id)
    drop(id, .expire)
    try commitDoomed()
  }

  /// Removes a key from a suite that was never stored in: always false. Like every removal, deletes
  /// rows that an earlier call could not.
  func removeUnknown() throws(DiskCacheError) -> Bool {
    _ = try openIndex()
    if !doomed.isEmpty { try commitDoomed() }
    return false
  }

  func removeAll(
    counting counter: WritableKeyPath<TierStatistics, UInt64>, as kind: CacheEventKind,
    where matches: (ObjectID, DiskSlot) -> Bool
  ) throws(DiskCacheError) -> Freed {
    try measuringFreed { [self] () throws(DiskCacheError) -> Void in
      drop(counting: counter, as: kind, where: matches)
    }
  }

  private func drop(
    counting counter: WritableKeyPath<TierStatistics, UInt64>, as kind: CacheEventKind,
    where matches: (ObjectID, DiskSlot) -> Bool
  ) {
    for place in slots.indices.dropFirst() {
      let (id, slot) = (ObjectID(place), slots[place])
      guard slot.state != .free, matches(id, slot) else { continue }
      if slot.state == .known { tier.remove(id) }
      if slot.isStored { statistics[keyPath: counter] += 1 }
      drop(id, kind)
    }
  }

  func clear(
    suite name: String?, includesPermanent: Bool, removesCopy: Bool
  ) throws(DiskCacheError) -> Freed {
    try openIndex(toClear: DiskLosses.Clearing(suite: name, includesPermanent: includesPermanent))
    let number = name.map { suiteNumber($0) }
    // First: it makes room on a full disk.
    let copy = Result { () throws(FileFailure) in if removesCopy { try folder.removeAside() } }
    let freed = try measuringFreed(
      clearsSuites: { number == nil || number == $0 },
      { [self] () throws(DiskCacheError) in
        drop(counting: \.removals, as: .remove) { _, slot in
          (number == nil || number == slot.suite) && (includesPermanent || slot.state == .known)
        }
      })
    if case .failure(let failure) = copy { throw DiskCacheError(failure) }
    return freed
  }

  /// Evicts entries, chosen by the policy, until at most `entriesMax` and `bytesMax` are left.
  func trim(entriesMax: Int, bytesMax: UInt64) throws(DiskCacheError) -> Freed {
    try measuringFreed { [self] () throws(DiskCacheError) -> Void in
      while tier.count > 0, tier.count > entriesMax || valueBytes > bytesMax {
        drop(tier.giveUp(), .evict(.trim))
        statistics.trims += 1
      }
    }
  }

  func releaseFiles(empty: [UInt32] = []) throws(DiskCacheError) {
    try removing { [self] index throws(SQLiteError) in
      if !doomed.isEmpty {
        if slots.contains(where: \.isStored) {
          try beginWriting(index)
        } else {
          // No entry is left: SQLite frees the whole table at once.
          try index.log.beginIfNeeded()
          try index.deleteAll()
          transaction.deletes += doomed
          doomed.removeAll()
        }
      }
      if !empty.isEmpty {
        try index.log.beginIfNeeded()
        try index.removeSuites(empty)
      }
      try commit(index, keepsFiles: false)
      // At once: a failure to shrink the file leaves the removal committed.
      if !empty.isEmpty {
        forgetSuites(empty)
      }
      try index.shrink()
    }
    recycleSegments()
    folder.values.removeSpare()
  }

  func measuringFreed(
    clearsSuites: ((UInt32) -> Bool)? = nil,
    _ body: () throws(DiskCacheError) -> Void
  ) throws(DiskCacheError) -> Freed {
    try checkPlace()
    _ = try openIndex()
    let before = (entries, valueBytes + permanentBytes, diskBytes)
    try body()
    let empty = clearsSuites.map { emptySuites().filter($0) } ?? []
    let isWasteful = clearsSuites == nil ? index?.isMostlyFree : index?.hasFreePages
    if !doomed.isEmpty || folder.values.hasSpare || !empty.isEmpty || isWasteful == true {
      try releaseFiles(empty: empty)
    }
    return Freed(
      count: before.0 - entries, valueBytes: before.1 - valueBytes - permanentBytes,
      diskBytes: before.2 - min(before.2, diskBytes))
  }

  var entries: Int { tier.count + permanentEntries }

  var diskBytes: UInt64 { usage.total }

  // MARK: Suites

  func suiteNumber(_ name: String) -> UInt32? {
    name.isEmpty ? 0 : suites[ExactName(name)]
  }

  func makeSuite(_ name: String) throws(DiskCacheError) -> UInt32 {
    if let number = suiteNumber(name) { return number }
    let number = largestSuite + 1
    let index = try openIndex()
    do throws(SQLiteError) {
      // Rows of a suite whose name was damaged are deleted before its number can be another's. The
      // suite is committed separately: rolled back with others, its number could go to another
      // suite.
      if !doomed.isEmpty { try beginWriting(index) }
      try commit(index)
      try index.addSuite(number, name)
    } catch {
      rollBack(index)
      try giveUp(after: error, index)
    }
    adoptSuite(number, name)
    return number
  }

  func emptySuites() -> [UInt32] {
    if suiteNames.isEmpty { return [] }
    let used = Set(slots.lazy.filter(\.isStored).map(\.suite))
    return suiteNames.keys.filter { !used.contains($0) }.sorted()
  }

  func suiteUsage() throws(DiskCacheError) -> [DiskSuiteUsage] {
    _ = try openIndex()
    var byNumber: [UInt32: DiskSuiteUsage] = [0: DiskSuiteUsage(name: "", count: 0, bytes: 0)]
    for (number, name) in suiteNames {
      byNumber[number] = DiskSuiteUsage(name: name, count: 0, bytes: 0)
    }
    for slot in slots where slot.isStored {
      byNumber[slot.suite]?.count += 1
      byNumber[slot.suite]?.bytes += UInt64(slot.bytes)
    }
    return byNumber.sorted { $0.key < $1.key }.map(\.value)
  }
}
