import LarderEngine

/// What stands in the open transaction of a disk cache, so that it can be finished or taken back.
struct DiskTransaction {
  /// A file that no row names once the transaction is committed.
  struct Retired {
    var number: UInt64
    var bytes: UInt32
  }

  /// The life of an entry, and which storing of its key it belongs to.
  struct Life {
    var id: ObjectID
    var stored: UInt64
    var created: UInt64
    var expires: UInt64
  }

  /// Ids whose rows were put.
  var puts: [ObjectID] = []
  /// Ids whose rows were deleted.
  var deletes: [ObjectID] = []
  /// What entries were before they were renewed.
  var renewals: [Life] = []
  /// Files to give up when it is committed.
  var retired: [Retired] = []
  /// Bytes of the values put.
  var bytes = 0

  /// Sets, removes and renewals.
  var operations: Int { puts.count + deletes.count + renewals.count }

  /// Notes that the row of an id was put, with a value of so many bytes.
  mutating func put(_ id: ObjectID, bytes count: Int) {
    puts.append(id)
    bytes += count
  }
}

/// What was given up and may still be in the database, when that had to be closed or cannot be
/// opened: it must not come back while the cache is open.
struct DiskLosses {
  /// A key that was to be stored over or removed.
  struct Key: Hashable {
    var suite: String
    var bytes: [UInt8]
  }

  /// Entries that were to be removed together.
  struct Clearing: Hashable {
    /// Nil for all suites.
    var suite: String?
    var includesPermanent: Bool
  }

  /// Rows that were to be deleted.
  var rows: Set<ObjectID> = []
  /// Whether no row was to be left.
  var hasAllRows = false
  private(set) var keys: Set<Key> = []
  var clearings: Set<Clearing> = []

  /// Whether there are none.
  var isEmpty: Bool { rows.isEmpty && !hasAllRows && keys.isEmpty && clearings.isEmpty }

  /// Keys that are remembered one by one.
  private static var keysMax: Int { 10_000 }

  /// Notes a key that was to be stored over or removed. Of very many, nothing is left at all.
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
  /// Begins a transaction where none is open, and deletes what is doomed in it.
  func beginWriting(_ index: DiskIndex) throws(SQLiteError) {
    settleMoves(index)
    try index.beginIfNeeded()
    if doomed.isEmpty { return }
    for id in doomed { try index.delete(id) }
    transaction.deletes += doomed
    doomed.removeAll(keepingCapacity: true)
  }

  /// Commits what was written, or leaves it in the open transaction when writes are gathered.
  func finishWriting(_ index: DiskIndex) throws(SQLiteError) {
    let operations = transaction.operations
    if configuration.durability == .none, operations < configuration.groupWrites,
      transaction.bytes < configuration.groupBytes, operations % 64 != 0 || !index.holdsTooMuch
    {
      return
    }
    try commit(index)
  }

  /// Commits, and then gives up the files that no row names any more.
  func commit(_ index: DiskIndex, keepsFiles: Bool = true) throws(SQLiteError) {
    try index.commit()
    transaction.puts.removeAll(keepingCapacity: true)
    transaction.deletes.removeAll(keepingCapacity: true)
    transaction.renewals.removeAll(keepingCapacity: true)
    transaction.bytes = 0
    for file in transaction.retired {
      folder.retire(file.number, bytes: UInt64(file.bytes), keeps: keepsFiles)
    }
    transaction.retired.removeAll(keepingCapacity: true)
    try index.checkpointLongLog()
  }

  /// Takes the open transaction back after a failure. What it put is no longer there; what it
  /// deleted is to be deleted again.
  func rollBack(_ index: DiskIndex) {
    index.rollBack()
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
      setLife(old.id, created: old.created, expires: old.expires)
    }
  }

  /// Deletes what is doomed, in a transaction of its own unless writes are gathered.
  func commitDoomed() throws(DiskCacheError) {
    try removing { [self] index throws(SQLiteError) in
      try beginWriting(index)
      try finishWriting(index)
    }
    recycleSegments()
    writeOrderAfterHits()
  }

  /// Commits everything that was acknowledged, and the order of use.
  func flush() throws(DiskCacheError) {
    // A database that is still to be made holds nothing, and neither does the cache.
    if index == nil, !isClosed, losses.isEmpty { return }
    if isDisplaced {
      let isLoss = hasUncommitted
      try checkPlace()
      if isLoss { throw placeLoss }
    }
    try removing { [self] index throws(SQLiteError) in
      if !doomed.isEmpty { try beginWriting(index) }
      try commit(index)
      if configuration.durability == .none {
        try index.checkpoint()
        // Nothing is to be taken back by it.
        if !index.hasLog { folder.emptyJournal() }
      }
    }
    writeOrder()
  }

  /// Does what gives something up, a second time when the first failed for want of room: even to
  /// delete a row needs some, and a cache on a full disk must be able to make it. When the failure
  /// took something along that had been acknowledged, it is thrown all the same.
  func removing(_ body: (DiskIndex) throws(SQLiteError) -> Void) throws(DiskCacheError) {
    let index = try openIndex()
    var loss: SQLiteError?
    do throws(SQLiteError) {
      try body(index)
      return
    } catch {
      let isLoss =
        !transaction.renewals.isEmpty || hasUncommitted
      if isLoss { loss = error }
      rollBack(index)
      let cause = diagnosis(of: error, index)
      guard cause.isWriteFailure else { return try recover(from: cause) }
      makeRoom(index)
    }
    do throws(SQLiteError) {
      try body(index)
    } catch {
      rollBack(index)
      if error.isWriteFailure, !slots.contains(where: \.isStored) {
        // Nothing is to be left, which takes no room at all.
        try startAnew()
      } else {
        try recover(from: error)
      }
    }
    if let loss { throw DiskCacheError(loss) }
  }

  /// Gives files back that rows still name, but none that counts, and empties the log where it
  /// can. Should the process end before those rows are deleted, the missing files are found when
  /// the cache is opened.
  func makeRoom(_ index: DiskIndex) {
    folder.removeSpare()
    folder.removeAside()
    for file in transaction.retired {
      folder.retire(file.number, bytes: UInt64(file.bytes), keeps: false)
    }
    transaction.retired.removeAll()
    try? index.checkpoint()
  }

  /// Ends a call whose transaction failed and was taken back: rows of what it lost are deleted
  /// where the disk lets it, so that a key that has nothing now has nothing after a crash either.
  func giveUp(after error: SQLiteError, _ index: DiskIndex) throws(DiskCacheError) -> Never {
    let cause = diagnosis(of: error, index)
    if cause.isWriteFailure {
      makeRoom(index)
      if !doomed.isEmpty { try? commitDoomed() }
    } else {
      try recover(from: cause)
    }
    throw DiskCacheError(error)
  }

  /// Overwrites what is left of the names of suites that are gone, and gives the pages back that
  /// single removals left. A failure is of no account.
  private func tidy() {
    guard let index else { return }
    do throws(SQLiteError) {
      if hasSuiteRemains {
        try index.beginIfNeeded()
        try index.wipeSuites()
        try commit(index)
        hasSuiteRemains = false
      }
      if index.isMostlyFree { try index.shrink() }
    } catch {
      rollBack(index)
    }
  }

  /// Commits and gives the folder back. Whatever fails, the cache is closed afterwards.
  func close() throws(DiskCacheError) {
    guard !isClosed else { return }
    defer { releaseFolder() }
    // Without a database nothing is in memory that is not on the disk.
    guard index != nil || !losses.isEmpty else { return }
    if isDisplaced {
      if hasUncommitted { throw placeLoss }
      return
    }
    try flush()
    folder.removeSpare()
    tidy()
    // SQLite would do it when it closes the database, and not say what failed.
    if let index, configuration.durability == .normal {
      do throws(SQLiteError) {
        try index.checkpoint(empties: false)
      } catch {
        if index.isLogLost { throw DiskCacheError(error) }
      }
    }
  }
}
