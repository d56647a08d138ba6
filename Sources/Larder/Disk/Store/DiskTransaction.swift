import LarderEngine

/// The open transaction of a disk cache, so that it can be committed or rolled back.
///
/// The life of an entry on disk, from its store to the reclaimed file:
///
///      set         writes the file, then puts the row: `puts`
///       |
///       v
///     STORED ----------------------------- rollback: the new value is lost -------+
///       |  `drop`: evicted, expired, removed or damaged                           |
///       |  (`unstore` if replaced: the row is overwritten, the old file retired)  |
///       v                                                                         |
///     DOOMED       a miss for gets, its row still exists: `doomed`, `retired` <---+
///       |  `beginWriting`: before any row is put         ^
///       v                                                |  rollback
///     DELETED      in the open transaction: `deletes` ---+
///       |  `commit`
///       v
///     RECLAIMED    `ValueStore.retire`: the file is overwritten by a later value, or removed
///
/// After a crash before the commit, the old entries are back, and the next opening removes files
/// that no row names. On a full disk, `makeRoom` reclaims files before their rows are deleted; the
/// next opening finds rows without files. If the database is closed before the rows are deleted
/// (`closeIndex`), their ids, and keys and suites removed while it cannot be opened, are recorded
/// as `DiskLosses`, and opening it again drops these entries: no removed value reappears while the
/// cache is open.
struct DiskTransaction {
  struct Renewal {
    var id: ObjectID
    var stored: UInt64
    var life: DiskLife
  }

  var puts: [ObjectID] = []
  var deletes: [ObjectID] = []
  var renewals: [Renewal] = []
  var retired: [StoredValue] = []
  var bytes = 0

  var operations: Int { puts.count + deletes.count + renewals.count }

  mutating func put(_ id: ObjectID, bytes count: Int) {
    puts.append(id)
    bytes += count
  }
}

struct DiskLosses {
  struct Key: Hashable {
    var suite: String
    var bytes: [UInt8]
  }

  struct Clearing: Hashable {
    var suite: String?
    var includesPermanent: Bool
  }

  var rows: Set<ObjectID> = []
  var hasAllRows = false
  private(set) var keys: Set<Key> = []
  var clearings: Set<Clearing> = []

  var isEmpty: Bool { rows.isEmpty && !hasAllRows && keys.isEmpty && clearings.isEmpty }

  private static var keysMax: Int { 10_000 }

  mutating func insert(_ bytes: UnsafeRawBufferPointer, suite: String) {
    guard !hasAllRows else { return }
    keys.insert(Key(suite: suite, bytes: Array(bytes)))
    if keys.count > Self.keysMax {
      self = DiskLosses()
      hasAllRows = true
    }
  }
}

extension DiskCore {
  func beginWriting(_ index: DiskIndex) throws(SQLiteError) {
    settleMoves(index)
    try index.log.beginIfNeeded()
    if doomed.isEmpty { return }
    for id in doomed { try index.delete(id) }
    transaction.deletes += doomed
    doomed.removeAll(keepingCapacity: true)
  }

  func finishWriting(_ index: DiskIndex) throws(SQLiteError) {
    let operations = transaction.operations
    if configuration.durability == .none, operations < configuration.groupWrites,
      transaction.bytes < configuration.groupBytes, operations % 64 != 0 || !index.log.holdsTooMuch
    {
      return
    }
    try commit(index)
  }

  func commit(_ index: DiskIndex, keepsFiles: Bool = true) throws(SQLiteError) {
    try index.log.commit()
    removalsSinceShrinking += transaction.deletes.count
    transaction.puts.removeAll(keepingCapacity: true)
    transaction.deletes.removeAll(keepingCapacity: true)
    transaction.renewals.removeAll(keepingCapacity: true)
    transaction.bytes = 0
    for file in transaction.retired {
      folder.values.retire(file.number, bytes: file.bytes, keeps: keepsFiles)
    }
    transaction.retired.removeAll(keepingCapacity: true)
    index.log.checkpointLongLog()
  }

  func rollBack(_ index: DiskIndex) {
    index.log.rollBack()
    let failed = transaction
    transaction.puts = []
    transaction.deletes = []
    transaction.renewals = []
    transaction.bytes = 0
    doomed += failed.deletes
    for id in failed.puts where slots[Int(id)].isStored {
      if slots[Int(id)].state == .known { tier.remove(id) }
      drop(id)
    }
    for old in failed.renewals.reversed() where slots[Int(old.id)].stored == old.stored {
      setLife(old.id, old.life)
    }
  }

  func commitDoomed() throws(DiskCacheError) {
    try removing { [self] index throws(SQLiteError) in
      try beginWriting(index)
      try finishWriting(index)
    }
    recycleSegments()
    shrinkAfterRemovals()
    continueSnapshot()
  }

  /// Returns a bounded number of pages to the file system if most of the database is free after
  /// many removals; the next call continues. Failures are ignored.
  func shrinkAfterRemovals() {
    guard removalsSinceShrinking >= Self.removalsMax, let index,
      !index.connection.isInTransaction
    else { return }
    do throws(SQLiteError) {
      if index.isMostlyFree {
        hasShrunk = true
        return try index.shrink(pages: Self.shrunkPages)
      }
      removalsSinceShrinking = 0
      // The file gets shorter when the log is moved into it.
      if hasShrunk { try index.log.checkpoint(empties: false) }
      hasShrunk = false
    } catch {
      removalsSinceShrinking = 0
      rollBack(index)
    }
  }

  private func shrinkIfMostlyFree() {
    guard let index, index.isMostlyFree else { return }
    do throws(SQLiteError) {
      try index.shrink()
      index.log.emptyJournal(in: folder)
    } catch {
      rollBack(index)
    }
  }

  private static var removalsMax: Int { 256 }
  private static var shrunkPages: Int { 64 }

  func flush() throws(DiskCacheError) {
    // A database that is still to be created holds nothing, and neither does the cache.
    if index == nil, !isClosed, !isSuspended, losses.isEmpty { return }
    if isDisplaced {
      let isLoss = hasUncommitted
      try checkPlace()
      if isLoss { throw placeLoss }
    }
    try removing { [self] index throws(SQLiteError) in
      if !doomed.isEmpty { try beginWriting(index) }
      try commit(index)
      if configuration.durability == .none {
        try index.log.checkpoint()
        // The journal has no transaction left to roll back.
        index.log.emptyJournal(in: folder)
      }
    }
    shrinkIfMostlyFree()
    guard let index else { return }
    if (snapshotTransactions, snapshotSequence) != (index.log.transactions, sequence) {
      beginSnapshot()
    }
  }

  /// Runs a removal, and repeats it once after making room if it failed because the disk is full:
  /// deleting a row needs space, too, and a cache on a full disk must be able to make some. If the
  /// failure lost acknowledged writes, it is thrown even if the repetition succeeds.
  func removing(_ body: (DiskIndex) throws(SQLiteError) -> Void) throws(DiskCacheError) {
    let index = try openIndex()
    var loss: SQLiteError?
    do throws(SQLiteError) {
      try body(index)
      return
    } catch {
      if risksWrites { loss = error }
      rollBack(index)
      guard error.isWriteFailure else { return try recover(from: error) }
      makeRoom(index)
    }
    do throws(SQLiteError) {
      try body(index)
    } catch {
      rollBack(index)
      if error.isWriteFailure, !hasStored {
        // No entry is left, and starting empty needs no space.
        try startAnew()
      } else {
        try recover(from: error)
      }
    }
    if let loss { throw DiskCacheError(loss) }
  }

  /// True if a failed commit loses acknowledged writes.
  var risksWrites: Bool { !transaction.renewals.isEmpty || hasUncommitted }

  /// Removes spare files, the database set aside and retired files at once, and empties the log if
  /// possible.
  func makeRoom(_ index: DiskIndex) {
    folder.values.removeSpare()
    try? folder.removeAside()
    for file in transaction.retired {
      folder.values.retire(file.number, bytes: file.bytes, keeps: false)
    }
    transaction.retired.removeAll()
    try? index.log.checkpoint()
  }

  /// Ends a call whose transaction failed and was rolled back. Rows of lost entries are deleted if
  /// the disk permits it, so that their keys have no value after a crash either.
  func giveUp(after error: SQLiteError, _ index: DiskIndex) throws(DiskCacheError) -> Never {
    if error.isWriteFailure {
      makeRoom(index)
      if !doomed.isEmpty { try? commitDoomed() }
    } else {
      try recover(from: error)
    }
    throw DiskCacheError(error)
  }

  func close() throws(DiskCacheError) {
    guard !isClosed else { return }
    defer {
      releaseFolder()
      markClosed()
    }
    // Entries that were removed meanwhile are removed now.
    if isSuspended, !losses.isEmpty { try resume() }
    try save()
  }

  func save() throws(DiskCacheError) {
    // Without a database no entry is in memory only.
    if folder.pagesAtRisk > 0 { _ = try openIndex() }
    guard index != nil || !losses.isEmpty else { return }
    if isDisplaced {
      if hasUncommitted { throw placeLoss }
      return
    }
    for removal in removals { _ = try finish(removal) }
    try flush()
    while writeSnapshotBlock(names: true) {}
    folder.values.removeSpare()
    // SQLite would do this when it closes the database, but without reporting errors.
    if let index, configuration.durability == .normal {
      try? index.log.checkpoint(empties: false)
      if closeLost() { _ = try openIndex() }
    }
  }
}

extension DiskCore {
  func destroy() throws(DiskCacheError) {
    if !isClosed {
      closeIndex()
      markClosed()
    }
    defer { lock = nil }
    // Otherwise it was removed, or is another cache's by now.
    guard folder.files.isInPlace else { return }
    do throws(FileFailure) {
      if let lock, !lock.isHeld { self.lock = nil }
      if lock == nil { lock = try files.take(folder: path) }
      guard lock != nil else { throw FileFailure("", path, 0) }
      try folder.removeFiles()
      // By its path, because an open folder cannot remove itself.
      try files.removeIfEmpty(path)
    } catch {
      throw error.call.isEmpty ? DiskCacheError.inUse(path: path) : DiskCacheError(error)
    }
  }
}
