import LarderEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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
