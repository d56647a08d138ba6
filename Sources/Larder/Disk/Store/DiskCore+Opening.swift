import LarderEngine
import LarderLibc

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

/// How a database is read when it is opened.
extension DiskCore {
  /// What was read of a row that is whole.
  private struct Loaded {
    var id: Int64
    var row: DiskRow
    var digest: KeyDigest
    var hasTexts: Bool
    var keyBytes: Int
    /// The key of a value in a file of which nothing else is to be read from the database.
    var key: [UInt8]?
  }

  /// Everything that a database holds.
  private struct Contents {
    var rows: [Loaded] = []
    /// Ids of rows that are not whole.
    var damaged: [Int64] = []
    var suites: [(UInt32, String)] = []
    var largestSuite: UInt32 = 0
    var codecs: [UInt32: String] = [:]
    /// Whether anything in the database itself is not what was written.
    var isDamaged = false
    /// Whether each row's id is higher than that of the row before it.
    var isInOrder = true
  }

  func load() throws(DiskCacheError) {
    try prepareFiles()
    let index = try DiskIndex(
      path: folder.databasePath, configuration, layer: folder.files.databaseLayer
    ) { () throws(DiskCacheError) in try syncNames() }
    guard folder.files.isInPlace else {
      // The database that was opened may be another cache's.
      index.close()
      throw DiskCacheError(FileFailure("open", folder.path, ENOENT))
    }
    if index.hasLog { folder.removeJournal() }
    folder.segments.sealBytes = index.seal == nil ? 0 : UInt64(DiskSeal.overhead)
    do throws(DiskCacheError) {
      var contents = try read(index)
      let present = try sweepFiles(contents)
      let moved = try placeRows(&contents, index)
      self.index = index
      adopt(contents, present, lost: Set(losses.rows.map { moved[Int64($0)] ?? $0 }))
      dropLosses(index)
      readOrder(moved: moved)
      try replay(facts(of: contents))
      collectFreeIDs()
      tier.resetCounts()
      if !moved.isEmpty { writeOrder() }
      let isMended = try deleteDamaged(contents.damaged, index)
      if contents.isDamaged, isMended, try !isSound(index) { throw Self.disorder(folder) }
      try removeEmptySuites(index)
      damagesChecked = statistics.damages
      losses = DiskLosses()
    } catch {
      index.close()
      self.index = nil
      throw error
    }
  }

  /// Makes the database's file where there is none, for its owner alone, and looks whether the
  /// names that SQLite will open are those of files: it would wait for a pipe, and follow a link.
  private func prepareFiles() throws(DiskCacheError) {
    let stray: String?
    do throws(FileFailure) {
      stray = try folder.findNoFile()
      if stray == nil { try folder.makeDatabaseFile() }
    } catch {
      throw DiskCacheError(error)
    }
    if let stray { throw .damaged(path: stray, message: "not a regular file") }
    guard configuration.durability != .none else { return }
    // SQLite moves what it reads of a log into the database. If a sync had failed and not all of
    // the log were on the disk, a power cut could leave the new database with the beginning of the
    // log, which brings back old pages.
    do throws(FileFailure) {
      // Before SQLite makes a journal, and syncs the folder with that.
      try folder.syncDatabaseName()
      if try folder.files.size(folder.logPath) > 0 { try folder.files.rewrite(folder.logPath) }
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Sees to it that the names of the files of the database, which exist by now, are on the disk. A
  /// log whose name is lost cannot mend what a power cut did to the database. With durability
  /// `full` the same of all folders.
  private func syncNames() throws(DiskCacheError) {
    do throws(FileFailure) {
      switch configuration.durability {
      case .none: break
      case .normal: try folder.syncDatabaseNames()
      case .full: try folder.syncNames()
      }
    } catch {
      throw DiskCacheError(error)
    }
  }

  private func read(_ index: DiskIndex) throws(DiskCacheError) -> Contents {
    var contents = Contents()
    do throws(SQLiteError) {
      let suites = try index.suites()
      contents.suites = suites.names
      contents.isDamaged = suites.damaged > 0
      contents.codecs = try index.codecs()
      contents.largestSuite = try index.largestSuite()
      var last: Int64?
      try index.scan { id, found in
        if let last, last >= id { contents.isInOrder = false }
        last = id
        guard let (row, key, hasText) = found else { return contents.damaged.append(id) }
        contents.rows.append(
          Loaded(
            id: id, row: row, digest: KeyDigest(key, suite: row.suite, seed: index.seed),
            hasTexts: hasText, keyBytes: key.count,
            key: row.file != 0 && !hasText ? Array(key) : nil))
      }
    } catch {
      throw DiskCacheError(error)
    }
    guard contents.isInOrder else { throw Self.disorder(folder) }
    if !contents.damaged.isEmpty { contents.isDamaged = true }
    return contents
  }

  private func sweepFiles(_ contents: Contents) throws(DiskCacheError) -> Set<UInt64> {
    let places = contents.rows.compactMap { loaded in
      DiskSegmentPlace(loaded.row.file).map { (place: $0, bytes: loaded.row.bytes) }
    }
    do throws(FileFailure) {
      let found = try folder.sweep(
        keeping: Set(
          contents.rows.lazy.map(\.row.file).filter {
            $0 != 0 && DiskSegmentPlace($0) == nil
          }))
      return try found.union(folder.segments.sweep(keeping: places))
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Sets the ids up for the rows. Memory is needed for every id up to the largest, so rows far
  /// above the others, which a trimmed cache leaves, and damage, get lower ids. Returns which did,
  /// by their old ids.
  private func placeRows(
    _ contents: inout Contents, _ index: DiskIndex
  ) throws(DiskCacheError) -> [Int64: ObjectID] {
    let ids = 1...Int64(max(1 << 16, contents.rows.count * 4))
    var moved: [Int64: ObjectID] = [:]
    if !contents.rows.allSatisfy({ ids.contains($0.id) }) {
      let taken = Set(contents.rows.lazy.map(\.id) + contents.damaged)
      var free = ids.lowerBound
      do throws(SQLiteError) {
        try index.beginIfNeeded()
        for place in contents.rows.indices where !ids.contains(contents.rows[place].id) {
          while taken.contains(free) { free += 1 }
          let id = contents.rows[place].id
          try index.move(id, to: ObjectID(free))
          moved[id] = ObjectID(free)
          contents.rows[place].id = free
          free += 1
        }
        try index.commit()
      } catch {
        throw DiskCacheError(error)
      }
    }
    try resetIDs(largest: ObjectID(contents.rows.lazy.map(\.id).max() ?? 0))
    return moved
  }

  private func adopt(
    _ contents: Contents, _ present: Set<UInt64>, lost: Set<ObjectID>
  ) {
    forgetSuites()
    codecs = contents.codecs
    for (number, name) in contents.suites { adoptSuite(number, name) }
    largestSuite = max(largestSuite, contents.largestSuite)
    directory.reserveCapacity(contents.rows.count)
    statistics.damages += UInt64(contents.damaged.count)
    for loaded in contents.rows {
      let (id, row) = (ObjectID(loaded.id), loaded.row)
      sequence = max(sequence, row.stored)
      if losses.hasAllRows || lost.contains(id) {
        doom(id, row)
        continue
      }
      let isWhole =
        (row.file == 0 || present.contains(row.file))
        && (row.suite == 0 || suiteNames[row.suite] != nil)
      if !isWhole { statistics.damages += 1 }
      // What has expired stays: its origin may yet say that it still holds.
      guard isWhole, directory[loaded.digest] == nil else {
        doomed.append(id)
        continue
      }
      adopt(id, loaded)
      loaded.key?.withUnsafeBytes { remember($0, of: id) }
    }
  }

  /// Gives up what was to be stored over or removed while there was no database.
  private func dropLosses(_ index: DiskIndex) {
    for key in losses.keys {
      guard let suite = suiteNumber(key.suite) else { continue }
      let digest = key.bytes.withUnsafeBytes {
        KeyDigest($0, suite: suite, seed: index.seed)
      }
      if let id = directory[digest] { drop(id) }
    }
    for clearing in losses.clearings {
      let suite = clearing.suite.map { suiteNumber($0) }
      for place in slots.indices.dropFirst() where slots[place].isStored {
        guard suite == nil || suite == slots[place].suite,
          clearing.includesPermanent || slots[place].state == .known
        else { continue }
        drop(ObjectID(place))
      }
    }
  }

  /// Has a row deleted, and its file given up then.
  private func doom(_ id: ObjectID, _ row: DiskRow) {
    doomed.append(id)
    if row.file != 0 {
      transaction.retired.append(DiskTransaction.Retired(number: row.file, bytes: row.bytes))
    }
  }

  private func adopt(_ id: ObjectID, _ loaded: Loaded) {
    let row = loaded.row
    directory[loaded.digest] = id
    var slot = DiskSlot()
    slot.take(loaded.digest, suite: row.suite)
    slot.store(row, written: 0, hasTexts: loaded.hasTexts)
    slot.rowUnits = rowUnits(keyBytes: loaded.keyBytes)
    slots[Int(id)] = slot
    setFile(row.file, of: id)
    if row.isPermanent {
      permanentBytes += UInt64(row.bytes)
      permanentEntries += 1
    } else {
      valueBytes += UInt64(row.bytes)
      rowBytes += slot.rowBytes
    }
  }

  private func facts(of contents: Contents) -> [ObjectID: Fact] {
    Dictionary(
      contents.rows.lazy.filter { $0.row.cost != 1 || $0.row.expires != Request.noExpiry }
        .map { (ObjectID($0.id), Fact(cost: $0.row.cost, expires: $0.row.expires)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Removes the suites without an entry. Where the disk does not let it they stay.
  private func removeEmptySuites(_ index: DiskIndex) throws(DiskCacheError) {
    let numbers = emptySuites()
    // Files of rows that are still to be deleted must not go with this transaction.
    guard !numbers.isEmpty, doomed.isEmpty else { return }
    do throws(SQLiteError) {
      try index.beginIfNeeded()
      try index.removeSuites(numbers, largest: largestSuite)
      try commit(index)
      forgetSuites(numbers)
      hasSuiteRemains = true
    } catch {
      rollBack(index)
      let error = DiskCacheError(error)
      if error.isDamage { throw error }
    }
  }

  private func isSound(_ index: DiskIndex) throws(DiskCacheError) -> Bool {
    do throws(SQLiteError) {
      return try index.isSound()
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Deletes the rows that count no more, and says whether it did. Where the disk does not let it,
  /// they go with the next transaction, and those whose ids are nobody's at the next opening.
  private func deleteDamaged(
    _ damaged: [Int64], _ index: DiskIndex
  ) throws(DiskCacheError) -> Bool {
    var hasForeign = false
    for id in damaged {
      if let id = ObjectID(exactly: id), id != .none, id != .max {
        doomed.append(id)
      } else {
        hasForeign = true
      }
    }
    guard hasForeign || !doomed.isEmpty else { return true }
    defer { folder.removeSpare() }
    do throws(SQLiteError) {
      try beginWriting(index)
      if hasForeign { try index.deleteForeignIDs() }
      try commit(index, keepsFiles: false)
      try index.shrink()
      return true
    } catch {
      rollBack(index)
      let error = DiskCacheError(error)
      if error.isDamage { throw error }
      return false
    }
  }
}

extension DiskCore {
  /// Sees to it that a suite holds no values of a codec other than `identity`: they are removed, or
  /// it is an error. O(1), or O(ids) where another codec is recorded.
  ///
  /// - Throws: `codecMismatch`, `database` or `closed`.
  func checkCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
    guard let stored = codecs[number], stored != identity else { return }
    if Self.isOlder(stored, than: identity) {
      try? writeCodec(identity, suite: number)
      codecs[number] = identity
      return
    }
    let (entries, permanent) = slots.reduce(into: (0, 0)) { counts, slot in
      guard slot.isStored, slot.suite == number else { return }
      counts.0 += 1
      if slot.state == .permanent { counts.1 += 1 }
    }
    guard entries > 0 else { return }
    guard startsEmpty(hasPermanent: permanent > 0) else {
      throw .codecMismatch(
        suite: suiteNames[number] ?? "", stored: stored, given: identity)
    }
    _ = try removeAll(counting: \.undecodables, as: .remove) { _, slot in slot.suite == number }
  }

  /// True for the identity of a codec as it was before the name of the type was part of it. Its
  /// values are taken for those of the type that is asked for first, as they always were.
  private static func isOlder(_ stored: String, than identity: String) -> Bool {
    ["json", "property-list"].contains(stored) && identity.hasPrefix(stored + " ")
  }

  /// True where what cannot be opened is given up.
  func startsEmpty(hasPermanent: Bool) -> Bool {
    configuration.mismatchHandling.map { $0 == .startEmpty } ?? !hasPermanent
  }

  /// The same before a value of the codec is written, which is recorded. The record is committed by
  /// itself: a suite never holds a value without it.
  ///
  /// - Throws: `codecMismatch`, `database` or `closed`.
  func recordCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
    if codecs[number] == identity { return }
    try checkCodec(identity, suite: number)
    if codecs[number] != identity { try writeCodec(identity, suite: number) }
  }

  private func writeCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
    let index = try openIndex()
    do throws(SQLiteError) {
      try commit(index)
      try index.setCodec(identity, suite: number)
    } catch {
      throw DiskCacheError(error)
    }
    codecs[number] = identity
  }
}
