import LarderEngine

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
