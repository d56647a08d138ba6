import LarderEngine

extension DiskCore {
  func set(
    _ bytes: UnsafeRawBufferPointer, suite name: String, _ value: UnsafeRawBufferPointer,
    _ options: DiskStoreOptions, life: DiskLife? = nil, codec: String? = nil
  ) throws(DiskCacheError) -> Bool {
    let isInline = value.count <= configuration.inlineBytesMax
    guard value.count <= DiskKey.valueBytesMax else {
      throw .valueTooLarge(bytes: value.count, bytesMax: DiskKey.valueBytesMax)
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
    let suite = try makeSuite(name, codec: codec)
    if let codec, codecs[suite] != codec {
      do throws(DiskCacheError) {
        try writeCodec(codec, suite: suite)
      } catch {
        loseValue(of: bytes, suite: name)
        throw error
      }
    }
    let index = try openIndex()
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    let id = find(key) ?? addID(key)
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
    continueSnapshot()
  }

  private func loseValue(of bytes: UnsafeRawBufferPointer, suite name: String) {
    guard let index = try? openIndex() else { return losses.insert(bytes, suite: name) }
    guard let suite = suiteNumber(name) else { return }
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    guard let id = find(key) else { return }
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
    count(slots[Int(id)])
  }

  func count(_ slot: DiskSlot, times: Int = 1) {
    count(DiskTotal(slot), suite: slot.suite, times: times)
  }

  func count(_ sum: DiskTotal, suite: UInt32, times: Int = 1) {
    total.add(sum, times: times)
    totals[suite, default: DiskTotal()].add(sum, times: times)
  }

  var valueBytes: UInt64 { UInt64(total.bytes) - permanentBytes }
  var permanentBytes: UInt64 { UInt64(total.permanentBytes) }
  var rowBytes: UInt64 { configuration.countsRows ? UInt64(total.rowUnits) * 64 : 0 }

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
    _ bytes: UnsafeRawBufferPointer, suite name: String, timeToLive: Duration?, expiry: Expiry?,
    version: String?
  ) throws(DiskCacheError) -> Bool {
    try checkPlace()
    let index = try openIndex()
    guard let suite = suiteNumber(name) else { return false }
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    guard let id = find(key), slots[Int(id)].isStored else { return false }
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
      if version != nil { fileKeys[id] = nil }
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
    guard let id = find(key), slots[Int(id)].isStored else { return false }
    slots[Int(id)].isHitBefore.toggle()
    return !slots[Int(id)].isHitBefore
  }
}

extension DiskCore {
  /// Removes a key's entry, if it was created at the given time.
  func remove(
    _ bytes: UnsafeRawBufferPointer, suite: UInt32, created: UInt64? = nil
  ) throws(DiskCacheError) -> Bool {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    var wasStored = false
    if let id = find(key), slots[Int(id)].created == created ?? slots[Int(id)].created {
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
    guard let id = find(key), slots[Int(id)].isStored,
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

  /// Begins a removal of the entries that match, which are gone for all calls from now on.
  func begin(
    _ counter: WritableKeyPath<TierStatistics, UInt64>, as kind: CacheEventKind,
    where matches: ((ObjectID, DiskSlot) -> Bool)? = nil,
    emptying suites: ((UInt32) -> Bool)? = nil
  ) throws(DiskCacheError) -> DiskRemoval {
    try checkPlace()
    _ = try openIndex()
    let removal = DiskRemoval(
      counter, as: kind, emptying: suites, diskBytes: diskBytes, latest: sequence, matches)
    if matches != nil { removals.append(removal) }
    return removal
  }

  func beginClearing(
    suite name: String?, includesPermanent: Bool, removesCopy: Bool
  ) throws(DiskCacheError) -> DiskRemoval {
    try openIndex(toClear: DiskLosses.Clearing(suite: name, includesPermanent: includesPermanent))
    let number = name.map { suiteNumber($0) }
    // First: it makes room on a full disk.
    let copy = Result { () throws(FileFailure) in if removesCopy { try folder.removeAside() } }
    let isOwn = { (suite: UInt32) in number == nil || number == suite }
    let removal = try begin(
      \.removals, as: .remove,
      where: { _, slot in isOwn(slot.suite) && (includesPermanent || slot.state == .known) },
      emptying: isOwn)
    if case .failure(let failure) = copy { removal.failure = DiskCacheError(failure) }
    return removal
  }

  /// Begins evictions, chosen by the policy, until at most `entriesMax` and `bytesMax` are left.
  func beginTrim(entriesMax: Int, bytesMax: UInt64) throws(DiskCacheError) -> DiskRemoval {
    let removal = try begin(\.trims, as: .evict(.trim))
    removal.limits = (entriesMax, bytesMax)
    return removal
  }

  /// Removes the entries among the next 256 and deletes their rows; false once all are removed and
  /// their space is free. After an error they are all gone, too.
  func step(_ removal: DiskRemoval) throws(DiskCacheError) -> Bool {
    let hasDropped = dropBatch(removal)
    let risksWrites = risksWrites
    do throws(DiskCacheError) {
      guard hasDropped else { return try free(removal) }
      if !doomed.isEmpty { try deleteDropped() }
    } catch {
      while dropBatch(removal) {}
      removals.removeAll { $0 === removal }
      if index == nil { losses.rows.formUnion(doomed) }
      // Deleting all at once may need less room on a full disk.
      if removal.hasFailed { throw error }
      removal.hasFailed = true
      if risksWrites { removal.failure = removal.failure ?? error }
    }
    return true
  }

  func finish(_ removal: DiskRemoval) throws(DiskCacheError) -> Freed {
    while try step(removal) {}
    return removal.freed
  }

  private func dropBatch(_ removal: DiskRemoval) -> Bool {
    if let limits = removal.limits {
      for _ in 0..<DiskRemoval.batch {
        guard tier.count > 0, tier.count > limits.count || valueBytes > limits.bytes else {
          return false
        }
        drop(tier.giveUp(), removal)
      }
      return true
    }
    guard removal.matches != nil, removal.next < slots.count else { return false }
    let end = min(slots.count, removal.next + DiskRemoval.batch)
    for place in removal.next..<end where removal.takes(ObjectID(place), slots[place]) {
      if slots[place].state == .known { tier.remove(ObjectID(place)) }
      drop(ObjectID(place), removal)
    }
    removal.next = end
    return true
  }

  func drop(_ id: ObjectID, _ removal: DiskRemoval) {
    let slot = slots[Int(id)]
    if slot.isStored {
      statistics[keyPath: removal.counter] += 1
      removal.freed.count += 1
      removal.freed.valueBytes += UInt64(slot.bytes)
    }
    drop(id, removal.kind)
  }

  private func deleteDropped() throws(DiskCacheError) {
    try removing { [self] index throws(SQLiteError) in
      try beginWriting(index)
      // Between two steps a call that finds nothing left to delete acknowledges it.
      try finishWriting(index)
    }
  }

  /// Commits a removal, and then frees a bounded number of pages with each call.
  private func free(_ removal: DiskRemoval) throws(DiskCacheError) -> Bool {
    if removal.pages == nil {
      removals.removeAll { $0 === removal }
      let empty = removal.suites.map { emptySuites().filter($0) } ?? []
      let isWasteful = removal.suites == nil ? index?.isMostlyFree : index?.hasFreePages
      // On a full disk the last entry may have gone with its database.
      let releases =
        (index != nil || !losses.isEmpty)
        && (removal.freed.count > 0 || !doomed.isEmpty || folder.values.hasSpare || !empty.isEmpty
          || isWasteful == true)
      if releases { try releaseFiles(empty: empty, shrinks: false) }
      removal.pages = releases ? index?.freePages ?? 0 : 0
      removal.releases = releases
    }
    if let pages = removal.pages, pages > 0, index?.connection.isInTransaction == false {
      removal.pages = pages - Int64(DiskRemoval.batch)
      try removing { index throws(SQLiteError) in try index.shrink(pages: DiskRemoval.batch) }
      return true
    }
    if removal.releases, index != nil {
      try removing { index throws(SQLiteError) in try index.log.checkpoint() }
    }
    removal.freed.diskBytes = removal.diskBytes - min(removal.diskBytes, diskBytes)
    if let failure = removal.failure { throw failure }
    return false
  }

  func releaseFiles(empty: [UInt32] = [], shrinks: Bool = true) throws(DiskCacheError) {
    // First: a commit that fails may be finished, and no row may name a suite that is gone.
    forgetSuites(empty)
    try removing { [self] index throws(SQLiteError) in
      if !doomed.isEmpty {
        if hasStored {
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
      if shrinks { try index.shrink() }
    }
    recycleSegments()
    folder.values.removeSpare()
  }

  var entries: Int { tier.count + total.permanent }

  var diskBytes: UInt64 { usage.total }

  // MARK: Suites

  func suiteNumber(_ name: String) -> UInt32? { name.isEmpty ? 0 : suites[ExactName(name)] }

  private func makeSuite(_ name: String, codec: String?) throws(DiskCacheError) -> UInt32 {
    if let number = try suiteNumber(name, codec: codec) { return number }
    let index = try openIndex()
    let number = largestSuite + 1
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
    suiteNames.keys.filter { (totals[$0]?.count ?? 0) == 0 }.sorted()
  }

  var hasStored: Bool { totals.values.contains { $0.count > 0 } }

  func suiteUsage() throws(DiskCacheError) -> [DiskSuiteUsage] {
    _ = try openIndex()
    return ([0] + suiteNames.keys.sorted()).map { number in
      let total = totals[number] ?? DiskTotal()
      return DiskSuiteUsage(
        name: suiteNames[number] ?? "", count: total.count, bytes: UInt64(total.bytes))
    }
  }
}

/// A removal of many entries in steps, between which other calls continue.
final class DiskRemoval: @unchecked Sendable {
  /// Number of entries in a step.
  static var batch: Int { 256 }

  let counter: WritableKeyPath<TierStatistics, UInt64>
  let kind: CacheEventKind
  let suites: ((UInt32) -> Bool)?
  let diskBytes: UInt64
  private let latest: UInt64
  let matches: ((ObjectID, DiskSlot) -> Bool)?
  var limits: (count: Int, bytes: UInt64)?
  var next = 1
  /// Pages that are still to be freed, once the removal is committed.
  var pages: Int64?
  var releases = false
  var hasFailed = false
  var failure: DiskCacheError?
  var freed = Freed()

  init(
    _ counter: WritableKeyPath<TierStatistics, UInt64>, as kind: CacheEventKind,
    emptying suites: ((UInt32) -> Bool)?, diskBytes: UInt64, latest: UInt64,
    _ matches: ((ObjectID, DiskSlot) -> Bool)?
  ) {
    self.counter = counter
    self.kind = kind
    self.suites = suites
    self.diskBytes = diskBytes
    self.latest = latest
    self.matches = matches
  }

  /// True for an entry to be removed; what is stored after the removal began stays.
  func takes(_ id: ObjectID, _ slot: DiskSlot) -> Bool {
    slot.state != .free && (!slot.isStored || slot.stored <= latest) && matches?(id, slot) == true
  }
}

struct DiskTotal {
  private(set) var count = 0
  private(set) var permanent = 0
  private(set) var bytes = 0
  private(set) var permanentBytes = 0
  // Of entries that are not permanent.
  private(set) var rowUnits = 0

  mutating func add(_ other: DiskTotal, times: Int = 1) {
    count += other.count * times
    permanent += other.permanent * times
    bytes += other.bytes * times
    permanentBytes += other.permanentBytes * times
    rowUnits += other.rowUnits * times
  }
}

extension DiskTotal {
  init(_ slot: DiskSlot) {
    (count, bytes) = (1, Int(slot.bytes))
    if slot.state == .permanent {
      (permanent, permanentBytes) = (1, bytes)
    } else {
      rowUnits = Int(slot.rowUnits)
    }
  }
}
