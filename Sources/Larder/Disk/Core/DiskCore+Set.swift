import LarderEngine

extension DiskCore {
  /// Stores a value, and says whether it is there afterwards. `life` stands in for what the options
  /// and the clock say.
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
      // What the key had is no longer its value.
      loseValue(of: bytes, suite: name)
      throw error
    }
    // Only now: making room may have begun with an empty database, which has no suites and another
    // seed.
    let suite = try makeSuite(name)
    if let codec { try recordCodec(codec, suite: suite) }
    let index = try openIndex()
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    let id = directory[key.digest] ?? newEntry(key)
    let now = clock.nowMicroseconds
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
    DiskLife(created: now, expires: expiry(options.timeToLive, from: now))
  }

  /// When something that begins to live now expires.
  func expiry(_ timeToLive: Duration?, from now: UInt64) -> UInt64 {
    // A life of nothing is one that is over at once, where the tier takes 0 for none.
    if let timeToLive, timeToLive.microseconds == 0 { return now }
    return tier.expiryFrom(now, timeToLive.map(\.microseconds) ?? 0)
  }

  private func plannedRow(
    _ key: DiskKey, _ value: UnsafeRawBufferPointer, _ options: DiskStoreOptions,
    _ life: DiskLife
  ) -> DiskRow {
    sequence += 1
    return DiskRow(
      suite: key.suite, isPermanent: options.isPermanent, bytes: UInt32(value.count),
      inserted: sequence, stored: sequence, created: life.created,
      expires: options.isPermanent ? Request.noExpiry : life.expires,
      cost: options.fetchCost.asFetchCost,
      checksum: 0, file: 0, mustRevalidate: options.mustRevalidate)
  }

  /// Asks the tier for a place and drops what it gives up. When the entry has none, what listeners
  /// are to hear.
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
      expires: row.expires, cost: row.cost)
    let fingerprints = configuration.fingerprints
    request.fingerprint =
      fingerprints == .hashes
      ? key.digest.fingerprint : fingerprints.fingerprint(text: key.bytes)
    let outcome = tier.set(request, now)
    let isVictim = dropVictims(sparing: id, counting: \.evictions)
    if outcome == .rejected {
      statistics.rejections += 1
      return .reject
    }
    if outcome == .replaced { row.inserted = slots[Int(id)].inserted }
    countStore(outcome == .replaced || slots[Int(id)].state == .permanent)
    return isVictim ? .evict(.capacity) : nil
  }

  private func countStore(_ replaces: Bool) {
    if replaces { statistics.replacements += 1 } else { statistics.stores += 1 }
  }

  /// The value is not stored: what was there of the entry goes.
  private func refuse(_ id: ObjectID, countsRejection: Bool) throws(DiskCacheError) {
    if countsRejection {
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

  /// Writes the bytes that stand for a value.
  private func write(
    _ id: ObjectID, _ planned: DiskRow, _ key: DiskKey, body: UnsafeRawBufferPointer,
    _ options: DiskStoreOptions, isInline: Bool, to index: DiskIndex
  ) throws(DiskCacheError) {
    var row = planned
    if !isInline {
      do throws(FileFailure) {
        row.file = try folder.write(body)
      } catch {
        lose(id, key, isPermanent: row.isPermanent)
        throw DiskCacheError(error)
      }
    }
    let isReplacement = slots[Int(id)].isStored
    if isReplacement { unstore(id) }
    let hasTexts = options.version != nil || options.contentType != nil
    note(id, row, keyBytes: key.bytes.count, written: index.age, hasTexts: hasTexts)
    if row.file != 0, !hasTexts { remember(key.bytes, of: id) }
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
    writeOrderAfterHits()
  }

  /// Gives up the entry of a key, if there is one, whose new value cannot be stored.
  private func loseValue(of bytes: UnsafeRawBufferPointer, suite name: String) {
    guard let index = try? openIndex(), let suite = suiteNumber(name) else { return }
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    guard let id = directory[key.digest] else { return }
    lose(id, key, isPermanent: slots[Int(id)].state == .permanent)
  }

  /// Gives up an entry whose new value cannot be written.
  private func lose(_ id: ObjectID, _ key: DiskKey, isPermanent: Bool) {
    if !isPermanent { tier.remove(id) }
    drop(id, .evict(.failure))
    if !doomed.isEmpty { try? commitDoomed() }
  }

  private func note(
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

  /// Sees to it that the disk keeps its free bytes, and says whether there is room for a value.
  private func makeFreeSpace(for bytes: UInt64) throws(DiskCacheError) -> Bool {
    let limits = configuration.limits
    guard limits.freeBytes > 0 else { return true }
    let (sum, overflows) = bytesSinceFreeCheck.addingReportingOverflow(bytes)
    bytesSinceFreeCheck = sum
    guard overflows || sum >= limits.freeSpaceInterval else { return true }
    bytesSinceFreeCheck = 0
    if try freeBytes() >= limits.freeBytes + bytes { return true }
    // Until there is room again, every set looks.
    bytesSinceFreeCheck = .max
    let missing = limits.freeBytes + bytes - min(try freeBytes(), limits.freeBytes + bytes)
    let before = valueBytes
    while tier.count > 0, before - valueBytes < missing {
      drop(tier.giveUp(), .evict(.freeSpace))
      statistics.freeSpaceEvictions += 1
    }
    try releaseFiles()
    return try freeBytes() >= limits.freeBytes + bytes
  }

  private func freeBytes() throws(DiskCacheError) -> UInt64 {
    do throws(FileFailure) {
      return try folder.files.freeBytes(at: folder.path)
    } catch {
      throw DiskCacheError(error)
    }
  }
}
