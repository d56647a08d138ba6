import LarderEngine
import LarderLibc

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

extension DiskCore {
  func open() throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try load()
    } catch {
      closeIndex()
      if mayStartEmpty(after: error) {
        return try startOver(error.reason, deletes: Self.isIntact(error))
      }
      guard error.isDamage else {
        guard isMisledByDamage(error) else { throw error }
        return try rebuild(after: Self.disorder(folder))
      }
      try rebuild(after: error)
    }
  }

  /// Starts with an empty database after the old one was found damaged, if the configuration allows
  /// that. If this fails, the next call tries again.
  func rebuild(after damage: DiskCacheError) throws(DiskCacheError) {
    // The connection must be closed before its files are renamed.
    closeIndex()
    guard configuration.troubleHandling != .fail else {
      throw .damaged(path: folder.databasePath, message: damage.reason)
    }
    // If setting aside fails, reopening the database would not detect a lost log.
    damageFound = damage
    try startOver(damage.reason)
  }

  private func startOver(_ reason: String, deletes: Bool = false) throws(DiskCacheError) {
    try resetIDs(largest: .none)
    do throws(FileFailure) {
      try setAside(reason, deletes: deletes)
    } catch {
      throw DiskCacheError(error)
    }
    damageFound = nil
    try load()
  }

  /// True if an intact database that cannot be opened may be abandoned. A key may be found again,
  /// and permanent entries were promised to stay; another program's database is no cache.
  private func mayStartEmpty(after error: DiskCacheError) -> Bool {
    switch (error, configuration.troubleHandling) {
    case (.encryption, .startEmpty), (.format, .startEmpty): true
    case (.format(_, let found, _), nil): found > 0 && hasNoPermanentEntries()
    default: false
    }
  }

  private static func isIntact(_ error: DiskCacheError) -> Bool {
    switch error {
    case .encryption: true
    case .format(_, let found, _): found > 0
    default: false
    }
  }

  /// True if a database of another format certainly holds no permanent entry.
  private func hasNoPermanentEntries() -> Bool {
    guard
      let connection = try? SQLiteConnection(
        path: folder.databasePath, busyMilliseconds: 250, layer: folder.files.databaseLayer)
    else { return false }
    defer { connection.close() }
    // Otherwise a log needs memory shared with other processes.
    try? connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return (try? connection.number("SELECT count(*) FROM entries WHERE permanent != 0")) == 0
  }

  /// Sets the database aside, or deletes it, and records the reason. It must be closed.
  private func setAside(_ reason: String, deletes: Bool = false) throws(FileFailure) {
    if deletes {
      try folder.removeDatabase()
      try folder.removeAside()
    }
    if !deletes { try folder.setDatabaseAside() }
    losses = DiskLosses()
    noteDamage(reason)
  }

  private func noteDamage(_ reason: String) {
    statistics.rebuilds += 1
    damage = reason
  }

  // MARK: Location of the folder

  static func openFolder(
    _ path: String, _ configuration: DiskConfiguration, _ files: any FileLayer
  ) throws(DiskCacheError) -> DiskFolder {
    let exposure: DiskExposure
    do throws(FileFailure) {
      // Before anything is created in it.
      guard let found = try files.exposure(path) else {
        return try DiskFolder(
          path: path, files: files, syncs: configuration.durability == .full,
          segmentBytes: configuration.values.segmentBytes)
      }
      exposure = found
    } catch {
      throw DiskCacheError(error)
    }
    throw .exposed(path: path, exposure)
  }

  /// Locks the folder that the path leads to now.
  ///
  /// - Throws: `inUse` if another cache has it.
  func takeFolder() throws(DiskCacheError) {
    // The folder may be removed between being opened and being locked.
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
    throw .files(message: "\(path): the folder is being replaced repeatedly")
  }

  /// True if the folder or the database was removed, moved or replaced since it was opened: later
  /// values would not be found again, and the path may belong to another cache. At most two system
  /// calls.
  var isDisplaced: Bool {
    guard let index, let lock else { return false }
    return index.connection.hasMoved || !lock.isHeld
  }

  /// True if acknowledged values are not committed yet.
  var hasUncommitted: Bool { transaction.puts.contains { slots[Int($0)].isStored } }

  /// Called before a change: starts again at the path if it no longer leads to the files that the
  /// cache has open.
  ///
  /// - Throws: `damaged` if so configured, `inUse` if another cache has the files that are there
  ///   now, or the error of opening them. The next call tries again.
  func checkPlace() throws(DiskCacheError) {
    guard isDisplaced, let lock else { return }
    let isFolderInPlace = folder.files.isInPlace && lock.isHeld
    let damage = DiskCacheError.damaged(
      path: isFolderInPlace ? folder.databasePath : path,
      message: Self.displacement)
    closeIndex()
    guard !isFolderInPlace, configuration.troubleHandling != .fail else {
      // A later call must not take another cache's files for its own.
      damageFound = damage
      return try rebuild(after: damage)
    }
    losses = DiskLosses()
    try resetIDs(largest: .none)
    self.lock = nil
    noteDamage(damage.reason)
    try takeFolder()
    try open()
  }

  /// Releases a folder that was removed or replaced while its database was closed.
  func findFolder() {
    guard let lock, !folder.files.isInPlace || !lock.isHeld else { return }
    if configuration.troubleHandling == .fail {
      damageFound = .damaged(path: path, message: Self.displacement)
    } else {
      self.lock = nil
    }
  }

  /// Opens the folder of values again before a value is written, if it was removed, moved or
  /// replaced. Values stored in the old one are lost.
  func reopenValues() throws(DiskCacheError) {
    if let index { try? commit(index) }
    closeIndex()
    // Only a locked folder is changed, whichever it is by now.
    lock = nil
    folder = try Self.openFolder(path, configuration, files)
    try takeFolder()
    noteDamage("\(path)/files was removed, moved or replaced")
    try open()
  }

  private static var displacement: String {
    "it was removed, moved or replaced while the cache was open"
  }

  var placeLoss: DiskCacheError {
    .files(
      message: "\(path): the folder was removed, moved or replaced while the cache was open; "
        + "values that were not committed yet are lost")
  }

  /// Starts with an empty database when no entry is left: this only removes files, for which a full
  /// disk has room. If there is no room for an empty database, the next call creates it.
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
      _ = try? folder.values.sweep(keeping: [])
    }
  }

  /// Handles a failed call: starts again if the database is damaged, otherwise throws.
  func recover(from error: SQLiteError) throws(DiskCacheError) {
    if error.isCorruption { return try rebuild(after: DiskCacheError(error)) }
    // A failure that is not the call's alone may be the connection's: the next call opens another,
    // and finds out whether the database is damaged.
    if !error.isPassing {
      closeIndexForGood()
    } else if let index, !index.connection.isInTransaction {
      // SQLite rolls the open transaction back when a page cannot be read.
      rollBack(index)
    }
    throw DiskCacheError(error)
  }

  /// Checks the whole database after values or rows were found damaged: if pages are inconsistent,
  /// later values could be lost, too. O(database), so it runs only when the number of damages has
  /// doubled since the last check.
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

  /// Interprets a failed call: if SQLite reports a full disk although it is not full, a damaged
  /// page may refer to a page that cannot exist. O(database) for the first such failure, the
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

  /// True if a database fails to open with "disk full" because a page is damaged.
  private func isMisledByDamage(_ error: DiskCacheError) -> Bool {
    guard case .database(let path, let code, _) = error, code & 0xff == SQLITE_FULL, hasRoom,
      let connection = try? SQLiteConnection(
        path: path, busyMilliseconds: 250, layer: folder.files.databaseLayer)
    else { return false }
    defer { connection.close() }
    // Otherwise a log needs memory shared with other processes.
    try? connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return Self.isDisordered(connection)
  }

  /// True if pages are certainly damaged. Reading them needs no free space.
  private static func isDisordered(_ connection: SQLiteConnection) -> Bool {
    do throws(SQLiteError) {
      // Before the first page is read, SQLite rolls a failed commit back, which needs free space.
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

  /// True if the disk has more than enough room for a transaction.
  private var hasRoom: Bool {
    (try? folder.files.freeBytes(at: folder.path)).map { $0 >= 64 << 20 } ?? false
  }

  static func disorder(_ folder: DiskFolder) -> DiskCacheError {
    .damaged(path: folder.databasePath, message: "its pages are inconsistent")
  }

  func closeIndex() {
    guard let index else { return }
    // Puts of the open transaction are lost, and its deletions are repeated when reopening.
    rollBack(index)
    losses.rows.formUnion(doomed)
    index.close()
    self.index = nil
  }

  /// Closes the database, and sets it aside if part of its log may never reach the disk, which a
  /// later opening could not detect.
  func closeIndexForGood() {
    guard let index else { return }
    rollBack(index)
    if configuration.durability == .normal { try? index.log.checkpoint(empties: false) }
    closeIndex()
    if index.log.isLost, configuration.troubleHandling != .fail {
      try? setAside("its log could not be flushed to the disk")
    }
  }
}

/// Loading of a database.
extension DiskCore {
  private struct Loaded {
    var id: Int64
    var row: DiskRow
    var digest: KeyDigest
    var hasTexts: Bool
    var keyBytes: Int
    var tag: Int64?
    var key: [UInt8]?
  }

  private struct Contents {
    var rows: [Loaded] = []
    var damaged: [Int64] = []
    var suites: [(UInt32, String)] = []
    var largestSuite: UInt32 = 0
    var codecs: [UInt32: String] = [:]
    /// True if any part of the database itself is damaged.
    var isDamaged = false
    /// True if the rows' ids ascend.
    var isInOrder = true
  }

  func load() throws(DiskCacheError) {
    #if canImport(Darwin)
      // New files get the protection of their folder.
      try folder.setAttributes(configuration)
    #endif
    try prepareFiles()
    let index = try openDatabase()
    guard folder.files.isInPlace else {
      // The opened database may be another cache's.
      index.close()
      throw DiskCacheError(FileFailure("open", folder.path, ENOENT))
    }
    index.log.removeJournal(in: folder)
    if index.tags == nil { folder.removeSharedMemory() }
    folder.values.sealBytes = index.seal == nil ? 0 : UInt64(DiskSeal.overhead)
    do throws(DiskCacheError) {
      var contents = try read(index)
      let present = try sweepFiles(contents)
      let moved = try placeRows(&contents, index)
      try matchTags(contents, index)
      self.index = index
      adopt(contents, present, lost: Set(losses.rows.map { moved[Int64($0)] ?? $0 }))
      dropLosses(index)
      let stored = readOrder(moved: moved)
      try replay(facts(of: contents), tier.choice?.samples ?? 0 > 0 ? tier.choice : stored)
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

  private func openDatabase() throws(DiskCacheError) -> DiskIndex {
    if configuration.isShared { SharedDatabase.gate.lock() }
    defer { if configuration.isShared { SharedDatabase.gate.unlock() } }
    return try DiskIndex(
      path: folder.databasePath, configuration, layer: folder.files.databaseLayer
    ) { () throws(DiskCacheError) in try syncNames() }
  }

  /// Creates the database's file if there is none, accessible to its owner only, and checks that
  /// the names that SQLite will open are regular files: it would block on a pipe, and follow a
  /// link.
  private func prepareFiles() throws(DiskCacheError) {
    let stray: String?
    var exposed: (path: String, exposure: DiskExposure)?
    do throws(FileFailure) {
      stray = try folder.findNoFile()
      if stray == nil {
        exposed = try folder.findExposed()
        if exposed == nil { try folder.makeDatabaseFile() }
      }
    } catch {
      throw DiskCacheError(error)
    }
    if let exposed { throw .exposed(path: exposed.path, exposed.exposure) }
    if let stray { throw .damaged(path: stray, message: "not a regular file") }
    guard configuration.durability != .none else { return }
    // SQLite moves the log that it reads into the database. If a sync had failed before all of the
    // log was on disk, a power cut could leave the new database with only the beginning of the log,
    // which would restore old pages.
    do throws(FileFailure) {
      // Before SQLite creates a journal, and syncs the folder with it.
      try folder.syncDatabaseName()
      if try folder.files.size(folder.logPath) > 0 { try folder.files.rewrite(folder.logPath) }
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Syncs the names of the database's files, which exist by now. A log whose name is lost cannot
  /// repair the database after a power cut. With durability `full`, syncs the names in all folders.
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
      let suites = try DiskIndex.suites(
        in: index.connection, seed: index.seed, seal: index.seal)
      contents.suites = suites.names
      contents.isDamaged = suites.damaged > 0
      contents.codecs = try DiskIndex.codecs(in: index.connection, seed: index.seed)
      contents.largestSuite = try index.largestSuite()
      var last: Int64?
      try index.scan { id, found in
        if let last, last >= id { contents.isInOrder = false }
        last = id
        guard let (row, key, hasText) = found else { return contents.damaged.append(id) }
        contents.rows.append(
          Loaded(
            id: id, row: row, digest: KeyDigest(key, suite: row.suite, seed: index.seed),
            hasTexts: hasText, keyBytes: key.count, tag: index.tags?.tag(of: key, suite: row.suite),
            key: row.file != 0 && !hasText ? Array(key) : nil))
      }
    } catch {
      throw DiskCacheError(error)
    }
    guard contents.isInOrder else { throw Self.disorder(folder) }
    if !contents.damaged.isEmpty { contents.isDamaged = true }
    return contents
  }

  /// Repairs the tags of a shared cache; none are kept while it is not shared.
  private func matchTags(_ contents: Contents, _ index: DiskIndex) throws(DiskCacheError) {
    guard let tags = index.tags else { return }
    do throws(SQLiteError) {
      try tags.match(contents.rows.lazy.compactMap { row in row.tag.map { (row.id, $0) } })
    } catch {
      index.log.rollBack()
      throw DiskCacheError(error)
    }
  }

  private func sweepFiles(_ contents: Contents) throws(DiskCacheError) -> Set<UInt64> {
    do throws(FileFailure) {
      return try folder.values.sweep(
        keeping: contents.rows.lazy.filter { $0.row.file != 0 }
          .map { StoredValue(number: $0.row.file, bytes: $0.row.bytes) })
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Assigns ids to the rows. Memory is needed for every id up to the largest, so rows far above
  /// the others, left by a trimmed cache or by damage, get lower ids. Returns the changed ids by
  /// their old ones.
  private func placeRows(
    _ contents: inout Contents, _ index: DiskIndex
  ) throws(DiskCacheError) -> [Int64: ObjectID] {
    let ids = 1...Int64(max(1 << 16, contents.rows.count * 4))
    var moved: [Int64: ObjectID] = [:]
    if !contents.rows.allSatisfy({ ids.contains($0.id) }) {
      let taken = Set(contents.rows.lazy.map(\.id) + contents.damaged)
      var free = ids.lowerBound
      do throws(SQLiteError) {
        try index.log.beginIfNeeded()
        for place in contents.rows.indices where !ids.contains(contents.rows[place].id) {
          while taken.contains(free) { free += 1 }
          let id = contents.rows[place].id
          try index.move(id, to: ObjectID(free))
          moved[id] = ObjectID(free)
          contents.rows[place].id = free
          free += 1
        }
        try index.log.commit()
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
      // Expired entries stay: their origin may still confirm them.
      guard isWhole, directory[loaded.digest] == nil else {
        doomed.append(id)
        continue
      }
      adopt(id, loaded)
      loaded.key?.withUnsafeBytes { remember($0, of: id) }
    }
  }

  /// Drops entries that were to be replaced or removed while the database was closed.
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

  private func doom(_ id: ObjectID, _ row: DiskRow) {
    doomed.append(id)
    if row.file != 0 {
      transaction.retired.append(StoredValue(number: row.file, bytes: row.bytes))
    }
  }

  private func adopt(_ id: ObjectID, _ loaded: Loaded) {
    let row = loaded.row
    directory[loaded.digest] = id
    var slot = DiskSlot()
    slot.take(loaded.digest, suite: row.suite)
    slots[Int(id)] = slot
    record(id, row, keyBytes: loaded.keyBytes, written: 0, hasTexts: loaded.hasTexts)
    uses.note(id, row.created)
  }

  private func facts(of contents: Contents) -> [ObjectID: Fact] {
    Dictionary(
      contents.rows.lazy.filter { $0.row.cost != 1 || $0.row.expiry != .never }
        .map { (ObjectID($0.id), Fact(cost: $0.row.cost, expiry: $0.row.expiry)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Removes suites without entries. If the disk does not permit it, they stay.
  private func removeEmptySuites(_ index: DiskIndex) throws(DiskCacheError) {
    let numbers = emptySuites()
    // Files of rows still to be deleted must not be reclaimed with this transaction.
    guard !numbers.isEmpty, doomed.isEmpty else { return }
    do throws(SQLiteError) {
      try index.log.beginIfNeeded()
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

  /// Deletes the invalid rows, and returns true on success. If the disk does not permit it, they
  /// are deleted with the next transaction, and those with invalid ids at the next opening.
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
    defer { folder.values.removeSpare() }
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
  /// Ensures that a suite holds no values of a codec other than `identity`: removes them or throws.
  /// O(1), or O(ids) if another codec is recorded.
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

  /// True for the identity of a codec from before it contained the name of the type. Such values
  /// are attributed to the first type requested, as in earlier versions.
  static func isOlder(_ stored: String, than identity: String) -> Bool {
    ["json", "property-list"].contains(stored) && identity.hasPrefix(stored + " ")
  }

  /// True if a suite or database that cannot be opened is emptied.
  func startsEmpty(hasPermanent: Bool) -> Bool {
    configuration.troubleHandling.map { $0 == .startEmpty } ?? !hasPermanent
  }

  /// Checks a suite's codec before a value is written, and records it. The record is committed
  /// separately: a suite never holds a value without it.
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
