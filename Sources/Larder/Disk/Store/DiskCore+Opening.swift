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
      if damage == nil, folder.hasOnlyAside { noteDamage("it was set aside before") }
      try load()
    } catch {
      closeIndex()
      if mayStartEmpty(after: error) {
        return try startOver(error.reason, deletes: Self.isIntact(error))
      }
      guard error.isDamage else { throw error }
      try rebuild(after: error)
    }
  }

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
    try resetIDs()
    try inFiles { () throws(FileFailure) in
      if !deletes { return try folder.setDatabaseAside() }
      try folder.removeDatabase()
      try folder.removeAside()
    }
    losses = DiskLosses()
    noteDamage(reason)
    damageFound = nil
    do throws(DiskCacheError) {
      try load()
    } catch {
      // Without it the next opening reports what was set aside.
      try? folder.removeDatabase()
      throw .files(message: "\(error); the earlier database was discarded: \(reason)")
    }
  }

  /// True if an intact database that cannot be opened may be abandoned. A key may be found again,
  /// and permanent entries were promised to stay; another program's database is no cache.
  private func mayStartEmpty(after error: DiskCacheError) -> Bool {
    switch (error, configuration.troubleHandling) {
    case (.wrongKey, .startEmpty), (.keyMissing, .startEmpty), (.notEncrypted, .startEmpty),
      (.format, .startEmpty):
      true
    case (.format(_, let found, _), nil): found > 0 && hasNoPermanentEntries()
    default: false
    }
  }

  private static func isIntact(_ error: DiskCacheError) -> Bool {
    switch error {
    case .wrongKey, .keyMissing, .notEncrypted: true
    case .format(_, let found, _): found > 0
    default: false
    }
  }

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

  private func noteDamage(_ reason: String) {
    statistics.rebuilds += 1
    damage = reason
  }

  // MARK: Location of the folder

  static func openFolder(
    _ path: String, _ configuration: DiskConfiguration, _ files: any FileLayer
  ) throws(DiskCacheError) -> DiskFolder {
    let exposure = try inFiles { () throws(FileFailure) in try files.exposure(path) }
    // Before anything is created in it.
    if let exposure { throw exposure }
    return try inFiles { () throws(FileFailure) in
      try DiskFolder(
        path: path, files: files, syncs: configuration.durability == .full,
        segmentBytes: configuration.segmentBytes ?? 0)
    }
  }

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
      // Another process may have had it.
      folder.pagesAtRisk = 0
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

  var hasUncommitted: Bool { transaction.puts.contains { slots[Int($0)].isStored } }

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
    try resetIDs()
    self.lock = nil
    noteDamage(damage.reason)
    try takeFolder()
    try open()
  }

  func findFolder() {
    guard let lock, !folder.files.isInPlace || !lock.isHeld else { return }
    if configuration.troubleHandling == .fail {
      damageFound = .damaged(path: path, message: Self.displacement)
    } else {
      self.lock = nil
    }
  }

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
    try resetIDs()
    try inFiles { () throws(FileFailure) in
      try folder.removeDatabase()
      if configuration.durability == .full { try folder.files.syncFolder(folder.path) }
      losses = DiskLosses()
    }
    do throws(DiskCacheError) {
      try load()
    } catch {
      closeIndex()
      _ = try? folder.values.sweep(keeping: [])
    }
  }

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

  static func disorder(_ folder: DiskFolder) -> DiskCacheError {
    .damaged(path: folder.databasePath, message: "its rows are not what was stored")
  }

  func closeIndex() {
    guard let index else { return }
    // Puts of the open transaction are lost, and its deletions are repeated when reopening.
    rollBack(index)
    losses.rows.formUnion(doomed)
    close(index)
  }

  private func close(_ index: DiskIndex) {
    folder.pagesAtRisk = max(folder.pagesAtRisk, index.log.pagesAtRisk)
    index.close()
    self.index = nil
  }

  /// Closes the database if its log must be rewritten, and returns true.
  @discardableResult func closeLost() -> Bool {
    guard let index, index.log.isLost else { return false }
    closeIndex()
    return true
  }

  /// Closes the database after moving its log, which SQLite would do without reporting errors.
  func closeIndexForGood() {
    guard let index else { return }
    rollBack(index)
    if configuration.durability == .normal { try? index.log.checkpoint(empties: false) }
    closeIndex()
  }
}

extension DiskCore {
  private struct Loaded {
    var id: ObjectID
    var row: DiskRow
    var digest: KeyDigest
    var hasTexts: Bool
    var keyBytes: Int
    var tag: Int64?
  }

  private struct Contents {
    var suites: [(UInt32, String)] = []
    var codecs: [UInt32: String] = [:]
    var snapshot: DiskSnapshot?
    /// True if its slots count, and no row was read.
    var isCurrent = false
    var rows: [Loaded] = []
    var slots = DiskBlocks<DiskSlot>()
    var expiries = DiskBlocks<UInt64>()
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
      try findLog(index)
      let contents = try read(index)
      let present = try sweepFiles(contents)
      contents.slots.grow(to: Int(contents.rows.last?.id ?? 0) + 1)
      contents.expiries.grow(to: contents.slots.count)
      try resetIDs(contents.slots)
      try matchTags(contents, index)
      self.index = index
      if contents.isCurrent { snapshotTransactions = index.log.transactions }
      adopt(contents, present)
      dropLosses(index)
      let choice = tier.choice?.samples ?? 0 > 0 ? tier.choice : contents.snapshot?.choice
      try replay(contents.expiries, choice)
      snapshotSequence = sequence
      slots.collectFree()
      tier.resetCounts()
      try deleteDoomed(index)
      try removeEmptySuites(index)
      losses = DiskLosses()
    } catch {
      close(index)
      throw error
    }
  }

  /// Moves a log that was rewritten after a failed sync, if the system still had all its pages.
  private func findLog(_ index: DiskIndex) throws(DiskCacheError) {
    guard folder.pagesAtRisk > 0 else { return }
    try inDatabase { () throws(SQLiteError) in
      try index.log.checkpoint(empties: false, of: folder.pagesAtRisk)
    }
    if !index.log.isLost { folder.pagesAtRisk = 0 }
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
    if let stray = try inFiles({ () throws(FileFailure) in try folder.findNoFile() }) {
      throw .damaged(path: stray, message: "not a regular file")
    }
    if let exposure = try inFiles({ () throws(FileFailure) in try folder.findExposure() }) {
      throw exposure
    }
    try inFiles { () throws(FileFailure) in try folder.makeDatabaseFile() }
    guard configuration.durability != .none else { return }
    // SQLite moves the log that it reads into the database. If a sync had failed before all of the
    // log was on disk, a power cut could leave the new database with only the beginning of the log,
    // which would restore old pages.
    try inFiles { () throws(FileFailure) in
      // Before SQLite creates a journal, and syncs the folder with it.
      try folder.syncDatabaseName()
      if try folder.files.size(folder.logPath) > 0 { try folder.files.rewrite(folder.logPath) }
    }
  }

  /// Syncs the names of the database's files, which exist by now. A log whose name is lost cannot
  /// repair the database after a power cut. With durability `full`, syncs the names in all folders.
  private func syncNames() throws(DiskCacheError) {
    try inFiles { () throws(FileFailure) in
      switch configuration.durability {
      case .none: break
      case .normal: try folder.syncDatabaseNames()
      case .full: try folder.syncNames()
      }
    }
  }

  private func read(_ index: DiskIndex) throws(DiskCacheError) -> Contents {
    var contents = Contents()
    var isIntact = true
    do throws(SQLiteError) {
      contents.suites = try DiskIndex.suites(
        in: index.connection, seed: index.seed, seal: index.seal)
      contents.codecs = try DiskIndex.codecs(in: index.connection, seed: index.seed)
      let suites = Set(contents.suites.lazy.map(\.0)).union([0])
      contents.snapshot = readSnapshot(index)
      if useSlots(&contents, suites, index) { return contents }
      try index.scan { found in
        guard let (id, row, header) = found, suites.contains(row.suite) else {
          isIntact = false
          return
        }
        header.key.withUnsafeBytes { key in
          contents.rows.append(
            Loaded(
              id: id, row: row, digest: KeyDigest(key, suite: row.suite, seed: index.seed),
              hasTexts: header.version != nil || header.contentType != nil, keyBytes: key.count,
              tag: index.tags?.tag(of: key, suite: row.suite)))
        }
      }
    } catch {
      throw DiskCacheError(error)
    }
    guard isIntact else { throw Self.disorder(folder) }
    return contents
  }

  /// Takes the slots of the snapshot, and returns true, if the database named it as one of a cache
  /// that is shared, or is not, as this one. Otherwise there may be no tags of these rows.
  private func useSlots(
    _ contents: inout Contents, _ suites: Set<UInt32>, _ index: DiskIndex
  ) -> Bool {
    guard let snapshot = contents.snapshot, snapshot.generation == index.snapshot,
      snapshot.generation & 1 == (index.tags == nil ? 0 : 1), losses.isEmpty
    else { return false }
    let slots = DiskBlocks<DiskSlot>(count: snapshot.count)
    let expiries = DiskBlocks<UInt64>(count: snapshot.count)
    var known: UInt32 = 0
    for place in 0..<snapshot.count {
      let record = snapshot[place]
      guard record.slot.isStored else { continue }
      let suite = record.slot.suite
      guard place > 0, record.slot.isSound, suite == known || suites.contains(suite)
      else { return false }
      known = suite
      (slots[place], expiries[place]) = (record.slot, record.expiry)
    }
    (contents.slots, contents.expiries) = (slots, expiries)
    contents.isCurrent = true
    return true
  }

  private func matchTags(_ contents: Contents, _ index: DiskIndex) throws(DiskCacheError) {
    // The snapshot of a shared cache is also one of its tags.
    guard let tags = index.tags, !contents.isCurrent else { return }
    do throws(SQLiteError) {
      try tags.match(contents.rows.lazy.compactMap { row in row.tag.map { (Int64(row.id), $0) } })
    } catch {
      index.log.rollBack()
      throw DiskCacheError(error)
    }
  }

  private func sweepFiles(_ contents: Contents) throws(DiskCacheError) -> Set<UInt64> {
    var named: [StoredValue] = []
    for slot in contents.slots where slot.isStored && slot.file != 0 {
      named.append(StoredValue(number: slot.file, bytes: slot.bytes))
    }
    named += contents.rows.lazy.filter { $0.row.file != 0 }
      .map { StoredValue(number: $0.row.file, bytes: $0.row.bytes) }
    return try inFiles { () throws(FileFailure) in try folder.values.sweep(keeping: named) }
  }

  private func adopt(_ contents: Contents, _ present: Set<UInt64>) {
    forgetSuites()
    codecs = contents.codecs
    for (number, name) in contents.suites { adoptSuite(number, name) }
    adoptSlots(contents.snapshot, present)
    for loaded in contents.rows { adopt(loaded, contents, present) }
  }

  private func adoptSlots(_ snapshot: DiskSnapshot?, _ present: Set<UInt64>) {
    let (slots, keepsUses) = (slots, uses.areKept)
    // Those of a suite are mostly together: one look-up for all of them.
    var (newest, suite, sum) = (sequence, UInt32(0), DiskTotal())
    for place in 1..<slots.count where slots[place].isStored {
      let (id, slot) = (ObjectID(place), slots[place])
      newest = max(newest, slot.stored)
      guard isWhole(slot.file, present), slots.link(id) else {
        slots[place] = DiskSlot()
        doomed.append(id)
        continue
      }
      slots[place].reopen()
      if slot.suite != suite {
        count(sum, suite: suite)
        (suite, sum) = (slot.suite, DiskTotal())
      }
      sum.add(DiskTotal(slot))
      if slot.file != 0 { folder.values.note(id, at: slot.file) }
      if keepsUses { noteUse(of: id, snapshot) }
    }
    count(sum, suite: suite)
    sequence = newest
  }

  private func isWhole(_ file: UInt64, _ present: Set<UInt64>) -> Bool {
    if file == 0 || present.contains(file) { return true }
    statistics.damages += 1
    return false
  }

  private func adopt(_ loaded: Loaded, _ contents: Contents, _ present: Set<UInt64>) {
    let (id, row) = (loaded.id, loaded.row)
    sequence = max(sequence, row.stored)
    if losses.hasAllRows || losses.rows.contains(id) {
      return doom(id, row, isPresent: present.contains(row.file))
    }
    // Expired entries stay: their origin may still confirm them.
    guard isWhole(row.file, present), slots.find(loaded.digest) == nil else {
      return doomed.append(id)
    }
    slots[Int(id)].take(loaded.digest, suite: row.suite)
    record(id, row, keyBytes: loaded.keyBytes, written: 0, hasTexts: loaded.hasTexts)
    slots.link(id)
    contents.expiries[Int(id)] = row.expiry.microseconds
    if let snapshot = contents.snapshot, Int(id) < snapshot.count,
      case let known = snapshot[Int(id)].slot, known.digest == loaded.digest,
      known.accessed >= row.stored
    {
      (slots[Int(id)].accessed, slots[Int(id)].hits) = (known.accessed, known.hits)
      noteUse(of: id, contents.snapshot)
    } else {
      uses.note(id, row.created)
    }
  }

  private func noteUse(of id: ObjectID, _ snapshot: DiskSnapshot?) {
    guard uses.areKept else { return }
    let time = snapshot?[Int(id)].time ?? 0
    uses.note(id, max(slots[Int(id)].created, min(time, clock.time)))
  }

  private func dropLosses(_ index: DiskIndex) {
    for key in losses.keys {
      guard let suite = suiteNumber(key.suite) else { continue }
      let digest = key.bytes.withUnsafeBytes {
        KeyDigest($0, suite: suite, seed: index.seed)
      }
      if let id = slots.find(digest) { drop(id) }
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

  private func doom(_ id: ObjectID, _ row: DiskRow, isPresent: Bool) {
    doomed.append(id)
    if row.file != 0, isPresent {
      transaction.retired.append(StoredValue(number: row.file, bytes: row.bytes))
    }
  }

  private func removeEmptySuites(_ index: DiskIndex) throws(DiskCacheError) {
    let numbers = emptySuites()
    // Files of rows still to be deleted must not be reclaimed with this transaction.
    guard !numbers.isEmpty, doomed.isEmpty else { return }
    // First: a commit that fails may be finished, and no row may name a suite that is gone.
    forgetSuites(numbers)
    do throws(SQLiteError) {
      try index.log.beginIfNeeded()
      try index.removeSuites(numbers)
      try commit(index)
    } catch {
      rollBack(index)
      let error = DiskCacheError(error)
      if error.isDamage { throw error }
    }
  }

  /// Deletes the rows of entries that were not adopted. If the disk does not permit it, they are
  /// deleted with the next transaction.
  private func deleteDoomed(_ index: DiskIndex) throws(DiskCacheError) {
    if doomed.isEmpty { return }
    defer { folder.values.removeSpare() }
    do throws(SQLiteError) {
      try beginWriting(index)
      try commit(index, keepsFiles: false)
      try index.shrink()
    } catch {
      rollBack(index)
      let error = DiskCacheError(error)
      if error.isDamage { throw error }
    }
  }
}

extension DiskCore {
  /// The number of a suite, nil if nothing was ever stored in it, after removing its values of
  /// another codec. It holds for the database that is open by then: each has its own numbers.
  ///
  /// - Throws: `codecMismatch` if they must stay; `closed`, `database` and others.
  func suiteNumber(
    _ name: String, codec identity: String?
  ) throws(DiskCacheError) -> UInt32? {
    while true {
      let known = try openIndex()
      guard let number = suiteNumber(name) else { return nil }
      guard let identity, let stored = codecs[number], stored != identity,
        let total = totals[number], total.count > 0
      else { return number }
      guard startsEmpty(hasPermanent: total.permanent > 0) else {
        throw .codecMismatch(suite: name, stored: stored, given: identity)
      }
      try checkPlace()
      if index !== known { continue }
      _ = try finish(begin(\.undecodables, as: .remove) { _, slot in slot.suite == number })
    }
  }

  func startsEmpty(hasPermanent: Bool) -> Bool {
    configuration.troubleHandling.map { $0 == .startEmpty } ?? !hasPermanent
  }

  /// Records a suite's codec before a value is written. The record is committed separately: a suite
  /// never holds a value without it.
  func writeCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
    let index = try openIndex()
    do throws(SQLiteError) {
      try commit(index)
      try index.setCodec(identity, suite: number)
    } catch {
      rollBack(index)
      try giveUp(after: error, index)
    }
    codecs[number] = identity
  }
}
