import LarderEngine

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

extension DiskCore {
  /// Opens the database and makes everything agree with it. A damaged one is set aside.
  func open() throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try load()
    } catch {
      closeIndex()
      if mayStartEmpty(after: error) { return try startOver(error.reason) }
      guard error.isDamage else {
        guard isMisledByDamage(error) else { throw error }
        return try rebuild(after: Self.disorder(folder))
      }
      try rebuild(after: error)
    }
  }

  /// Begins with an empty database after the old one was found damaged, where the configuration
  /// lets it. When that fails the next call tries again.
  func rebuild(after damage: DiskCacheError) throws(DiskCacheError) {
    // The connection must be gone before its files get other names.
    closeIndex()
    guard configuration.damageHandling == .setAside else {
      throw .damaged(path: folder.databasePath, message: damage.reason)
    }
    // Whoever opened it again, should this fail, would not know of a log that is lost.
    damageFound = damage
    try startOver(damage.reason)
  }

  /// Sets the database aside and makes an empty one.
  private func startOver(_ reason: String) throws(DiskCacheError) {
    try resetIDs(largest: .none)
    do throws(FileFailure) {
      try setAside(reason)
    } catch {
      throw DiskCacheError(error)
    }
    damageFound = nil
    try load()
  }

  /// True where a database that is whole and cannot be opened is given up. A key may come back, and
  /// permanent entries were promised to stay; another program's database is no cache.
  private func mayStartEmpty(after error: DiskCacheError) -> Bool {
    switch (error, configuration.mismatchHandling) {
    case (.encryption, .startEmpty), (.format, .startEmpty): true
    case (.format(_, let found, _), nil): found > 0 && hasNoPermanentEntries()
    default: false
    }
  }

  /// True where a database of another format certainly holds no permanent entry.
  private func hasNoPermanentEntries() -> Bool {
    guard
      let connection = try? SQLiteConnection(
        path: folder.databasePath, busyMilliseconds: 250, layer: folder.files.databaseLayer)
    else { return false }
    defer { connection.close() }
    // Without it a log needs memory that is shared with other processes.
    try? connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return (try? connection.number("SELECT count(*) FROM entries WHERE permanent != 0")) == 0
  }

  /// Sets the database aside, which is closed, and notes why.
  private func setAside(_ reason: String) throws(FileFailure) {
    let kept = try folder.setDatabaseAside()
    losses = DiskLosses()
    noteDamage(reason, keptPath: kept)
  }

  private func noteDamage(_ reason: String, keptPath: String?) {
    statistics.rebuilds += 1
    damages.append(DiskDamage(message: reason, keptPath: keptPath, found: clock.now.date))
    if damages.count > Self.damagesMax { damages.removeFirst() }
  }

  // MARK: The place of the folder

  /// Opens or makes a folder.
  static func openFolder(
    _ path: String, _ configuration: DiskConfiguration, _ files: any FileLayer
  ) throws(DiskCacheError) -> DiskFolder {
    do throws(FileFailure) {
      return try DiskFolder(
        path: path, files: files, syncs: configuration.durability == .full,
        segmentBytes: configuration.values.segmentBytes)
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Takes the folder to which the path leads now.
  ///
  /// - Throws: `inUse` when another cache has it.
  func takeFolder() throws(DiskCacheError) {
    // The folder may go between being opened and being taken.
    for _ in 0..<100 {
      if !folder.files.isInPlace { folder = try Self.openFolder(path, configuration, files) }
      do throws(FileFailure) {
        guard let taken = try folder.files.take(folder: path) else {
          throw FileFailure("", path, 0)
        }
        lock = taken
      } catch {
        if error.isMissing, !folder.files.isInPlace { continue }
        throw error.call.isEmpty ? DiskCacheError.inUse(path: path) : DiskCacheError(error)
      }
      if folder.files.isInPlace { return }
      lock = nil
    }
    throw .files(message: "\(path): the folder is replaced again and again")
  }

  /// True where the folder or the database was removed, moved or replaced since it was opened: what
  /// is stored from now on would not be found again, and its path may be another cache's. At most
  /// two system calls.
  var isDisplaced: Bool {
    guard let index, let lock else { return false }
    return index.connection.hasMoved || !lock.isHeld
  }

  /// True where values were acknowledged and not committed yet.
  var hasUncommitted: Bool { transaction.puts.contains { slots[Int($0)].isStored } }

  /// Begins anew where the path leads now, before something is changed, when it no longer leads to
  /// what the cache has open.
  ///
  /// - Throws: `damaged` where the configuration says so, `inUse` when another cache has what is
  ///   there now, or why it cannot be opened. The next call tries again.
  func checkPlace() throws(DiskCacheError) {
    guard isDisplaced, let lock else { return }
    let isFolderInPlace = folder.files.isInPlace && lock.isHeld
    let damage = DiskCacheError.damaged(
      path: isFolderInPlace ? folder.databasePath : path,
      message: Self.displacement)
    closeIndex()
    guard !isFolderInPlace, configuration.damageHandling == .setAside else {
      // A later call must not take what is there for the cache's.
      damageFound = damage
      return try rebuild(after: damage)
    }
    losses = DiskLosses()
    try resetIDs(largest: .none)
    self.lock = nil
    noteDamage(damage.reason, keptPath: nil)
    try takeFolder()
    try open()
  }

  /// Gives up a folder that went while its database was closed.
  func findFolder() {
    guard let lock, !folder.files.isInPlace || !lock.isHeld else { return }
    if configuration.damageHandling == .fail {
      damageFound = .damaged(path: path, message: Self.displacement)
    } else {
      self.lock = nil
    }
  }

  /// Opens the folder of values anew, before a value is written there, where it was removed, moved
  /// or replaced. Values that were in it are missing then.
  func reopenValues() throws(DiskCacheError) {
    if let index { try? commit(index) }
    closeIndex()
    // Only a folder that is locked is changed, whichever it is by now.
    lock = nil
    folder = try Self.openFolder(path, configuration, files)
    try takeFolder()
    noteDamage("\(path)/files was removed, moved or replaced", keptPath: nil)
    try open()
  }

  private static var displacement: String {
    "it was removed, moved or replaced while the cache was open"
  }

  /// What an open cache cannot do to values that were acknowledged.
  var placeLoss: DiskCacheError {
    .files(
      message: "\(path): the folder was removed, moved or replaced while the cache was open; "
        + "values that were not committed yet are lost")
  }

  /// Begins with an empty database because nothing is to be left: all that is needed is to remove
  /// files, for which a full disk has room. Where it has none for an empty database, the next call
  /// makes that.
  func startAnew() throws(DiskCacheError) {
    closeIndex()
    losses.hasAllRows = true
    try resetIDs(largest: .none)
    do throws(FileFailure) {
      try folder.removeDatabase()
      if configuration.durability == .full { try folder.files.syncFolder(folder.path) }
      losses = DiskLosses()
    } catch {
      throw DiskCacheError(error)
    }
    do throws(DiskCacheError) {
      try load()
    } catch {
      closeIndex()
      _ = try? folder.sweep(keeping: [])
      _ = try? folder.segments.sweep(keeping: [])
    }
  }

  /// Takes a failed call on: begins anew when the database is damaged, and throws otherwise.
  func recover(from error: SQLiteError) throws(DiskCacheError) {
    if error.isCorruption { return try rebuild(after: DiskCacheError(error)) }
    // What is no failure of one call may be one of the connection: the next call makes another,
    // and finds out whether the database is damaged.
    if !error.isPassing {
      closeIndexForGood()
    } else if let index, !index.connection.isInTransaction {
      // SQLite takes the open transaction back when a page cannot be read.
      rollBack(index)
    }
    throw DiskCacheError(error)
  }

  /// Looks for damage to the database as a whole after some of it was found in a row: were pages
  /// out of order, what is stored from now on could be lost, too. O(database), and so done only
  /// when the damage found has doubled since the last time.
  func checkPages() throws(DiskCacheError) {
    let found = statistics.damages
    guard found >= damagesChecked * 2 else { return }
    damagesChecked = max(1, found)
    let index = try openIndex()
    do throws(SQLiteError) {
      if try index.isSound() { return }
    } catch {
      return try recover(from: error)
    }
    try rebuild(after: Self.disorder(folder))
  }

  /// What a failed call means: where SQLite says that the disk is full though it is not, a damaged
  /// page may have led it to one that cannot exist. O(database) for the first such failure, the
  /// second, the fourth and so on.
  func diagnosis(of error: SQLiteError, _ index: DiskIndex) -> SQLiteError {
    guard error.isFull, hasRoom else { return error }
    unexplainedFailures += 1
    guard unexplainedFailures.nonzeroBitCount == 1, Self.isDisordered(index.connection) else {
      return error
    }
    return SQLiteError(
      code: SQLITE_CORRUPT, message: Self.disorder(folder).reason, path: error.path)
  }

  /// The same for a database that cannot be opened.
  private func isMisledByDamage(_ error: DiskCacheError) -> Bool {
    guard case .database(let path, let code, _) = error, code & 0xff == SQLITE_FULL, hasRoom,
      let connection = try? SQLiteConnection(
        path: path, busyMilliseconds: 250, layer: folder.files.databaseLayer)
    else { return false }
    defer { connection.close() }
    // Without it a log needs memory that is shared with other processes.
    try? connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return Self.isDisordered(connection)
  }

  /// Whether pages are certainly damaged. To read them needs no room.
  private static func isDisordered(_ connection: SQLiteConnection) -> Bool {
    do throws(SQLiteError) {
      // Before the first page is read, a failed commit is taken back. That needs room.
      _ = try connection.number("PRAGMA schema_version")
    } catch {
      return error.isCorruption
    }
    do throws(SQLiteError) {
      return try !connection.isSound()
    } catch {
      return error.isCorruption || error.isFull
    }
  }

  /// Whether the disk has more than enough room for a transaction.
  private var hasRoom: Bool {
    (try? folder.files.freeBytes(at: folder.path)).map { $0 >= 64 << 20 } ?? false
  }

  static func disorder(_ folder: DiskFolder) -> DiskCacheError {
    .damaged(path: folder.databasePath, message: "its pages are inconsistent")
  }

  /// Closes the database, if it is open; the next call opens it again.
  func closeIndex() {
    guard let index else { return }
    // What the open transaction put is lost with it, and what it deleted would come back.
    rollBack(index)
    losses.rows.formUnion(doomed)
    index.close()
    self.index = nil
  }

  /// The same, and sets the database aside where some of its log may never reach the disk: whoever
  /// opens it would not know.
  func closeIndexForGood() {
    guard let index else { return }
    rollBack(index)
    if configuration.durability == .normal { try? index.checkpoint(empties: false) }
    closeIndex()
    if index.isLogLost, configuration.damageHandling == .setAside {
      try? setAside("its log could not be flushed to the disk")
    }
  }

  /// Reports of damage that are kept.
  private static var damagesMax: Int { 16 }
}
