import LarderEngine

extension DiskCore {
  /// Removes the entry of a key, and says whether there was one.
  func remove(_ bytes: UnsafeRawBufferPointer, suite: UInt32) throws(DiskCacheError) -> Bool {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    var wasStored = false
    if let id = directory[key.digest] {
      wasStored = slots[Int(id)].isStored
      if slots[Int(id)].state == .known { tier.remove(id) }
      drop(id, .remove)
      if wasStored { statistics.removals += 1 }
    }
    // A key without an entry may have a row that an earlier call could not delete: that the key has
    // nothing is acknowledged only once the row is gone.
    if !doomed.isEmpty { try commitDoomed() }
    return wasStored
  }

  /// Removes the entry of a key if it has expired.
  func removeExpired(_ bytes: UnsafeRawBufferPointer, suite: UInt32) throws(DiskCacheError) {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    guard let id = directory[key.digest], slots[Int(id)].isStored,
      slots[Int(id)].state == .known, hasExpired(id, clock.nowMicroseconds)
    else { return }
    tier.remove(id)
    drop(id, .expire)
    try commitDoomed()
  }

  /// Removes the entry of a key in a suite in which nothing was ever stored: there is none. What an
  /// earlier call could not delete goes, as it does with every removal.
  func removeUnknown() throws(DiskCacheError) -> Bool {
    _ = try openIndex()
    if !doomed.isEmpty { try commitDoomed() }
    return false
  }

  /// Removes the entries for which `matches` says so, and what the policy remembers of them.
  func removeAll(
    counting counter: WritableKeyPath<DiskStatistics, UInt64>, as kind: CacheEventKind,
    where matches: (ObjectID, DiskSlot) -> Bool
  ) throws(DiskCacheError) -> DiskFreed {
    try measuringFreed { [self] () throws(DiskCacheError) -> Void in
      drop(counting: counter, as: kind, where: matches)
    }
  }

  private func drop(
    counting counter: WritableKeyPath<DiskStatistics, UInt64>, as kind: CacheEventKind,
    where matches: (ObjectID, DiskSlot) -> Bool
  ) {
    for place in slots.indices.dropFirst() {
      let (id, slot) = (ObjectID(place), slots[place])
      guard slot.state != .free, matches(id, slot) else { continue }
      if slot.state == .known { tier.remove(id) }
      if slot.isStored { statistics[keyPath: counter] += 1 }
      drop(id, kind)
    }
  }

  /// Removes all entries, or all of one suite, and the suites that are empty then.
  func clear(suite name: String?, includesPermanent: Bool) throws(DiskCacheError) -> DiskFreed {
    try openIndex(toClear: DiskLosses.Clearing(suite: name, includesPermanent: includesPermanent))
    if name == nil { folder.removeAside() }
    let number = name.map { suiteNumber($0) }
    return try measuringFreed(
      clearsSuites: { number == nil || number == $0 },
      { [self] () throws(DiskCacheError) in
        drop(counting: \.removals, as: .remove) { _, slot in
          (number == nil || number == slot.suite) && (includesPermanent || slot.state == .known)
        }
      })
  }

  /// Gives entries up, as the policy says, until the limits are about no more than so many.
  func trim(entriesMax: Int, bytesMax: UInt64) throws(DiskCacheError) -> DiskFreed {
    try measuringFreed { [self] () throws(DiskCacheError) -> Void in
      while tier.count > 0, tier.count > entriesMax || valueBytes > bytesMax {
        drop(tier.giveUp(), .evict(.trim))
        statistics.trims += 1
      }
    }
  }

  /// Commits deletions, removes the files they leave and gives the database's free pages back.
  /// `empty` are suites without an entry, which go in the same transaction.
  func releaseFiles(empty: [UInt32] = []) throws(DiskCacheError) {
    try removing { [self] index throws(SQLiteError) in
      if !doomed.isEmpty {
        if slots.contains(where: \.isStored) {
          try beginWriting(index)
        } else {
          // Nothing is left: SQLite frees the whole table at once.
          try index.beginIfNeeded()
          try index.connection.execute("DELETE FROM entries")
          transaction.deletes += doomed
          doomed.removeAll()
        }
      }
      if !empty.isEmpty {
        try index.beginIfNeeded()
        try index.removeSuites(empty, largest: largestSuite)
        if suiteNames.count - empty.count <= Self.wipedSuitesMax { try index.wipeSuites() }
      }
      try commit(index, keepsFiles: false)
      try index.shrink()
    }
    if !empty.isEmpty {
      hasSuiteRemains = suiteNames.count - empty.count > Self.wipedSuitesMax
      forgetSuites(empty)
    }
    recycleSegments()
    folder.removeSpare()
  }

  /// Suites that are written anew whenever one is removed; more are when the cache is closed.
  private static var wipedSuitesMax: Int { 256 }

  /// Does something that gives entries up, and says what that freed. Suites for which
  /// `clearsSuites` says so are removed where they are empty afterwards.
  func measuringFreed(
    clearsSuites: ((UInt32) -> Bool)? = nil,
    _ body: () throws(DiskCacheError) -> Void
  ) throws(DiskCacheError) -> DiskFreed {
    try checkPlace()
    _ = try openIndex()
    let before = (entries, valueBytes + permanentBytes, diskBytes)
    try body()
    let empty = clearsSuites.map { emptySuites().filter($0) } ?? []
    let isWasteful = clearsSuites == nil ? index?.isMostlyFree : index?.hasFreePages
    if !doomed.isEmpty || folder.hasSpare || !empty.isEmpty || isWasteful == true {
      try releaseFiles(empty: empty)
    }
    return DiskFreed(
      count: before.0 - entries, valueBytes: before.1 - valueBytes - permanentBytes,
      diskBytes: before.2 - min(before.2, diskBytes))
  }

  /// Entries that are there, permanent ones included.
  var entries: Int { tier.count + permanentEntries }

  /// Bytes of all files of the cache. O(ids).
  var diskBytes: UInt64 { usage.total }

  // MARK: Suites

  /// The number of a suite, or nil when nothing was ever stored in it.
  func suiteNumber(_ name: String) -> UInt32? {
    name.isEmpty ? 0 : suites[ExactName(name)]
  }

  /// The number of a suite, which is made where there is none.
  func makeSuite(_ name: String) throws(DiskCacheError) -> UInt32 {
    if let number = suiteNumber(name) { return number }
    let number = newSuiteNumber()
    let index = try openIndex()
    do throws(SQLiteError) {
      // Rows of a suite whose name was damaged go before its number can be another's. The suite is
      // committed on its own: taken back with others, its number could go to another suite.
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

  /// A number that no suite has or had: one more than the largest, or where damage has made that
  /// the largest of all, the first free one.
  private func newSuiteNumber() -> UInt32 {
    if largestSuite < .max { return largestSuite + 1 }
    return (1...UInt32.max).first { suiteNames[$0] == nil } ?? .max
  }

  /// The suites without an entry. O(ids).
  func emptySuites() -> [UInt32] {
    if suiteNames.isEmpty { return [] }
    let used = Set(slots.lazy.filter(\.isStored).map(\.suite))
    return suiteNames.keys.filter { !used.contains($0) }.sorted()
  }

  /// What each suite holds, in the order of making. O(ids).
  func suiteUsage() throws(DiskCacheError) -> [DiskSuiteUsage] {
    _ = try openIndex()
    var byNumber: [UInt32: DiskSuiteUsage] = [0: DiskSuiteUsage(name: "", count: 0, bytes: 0)]
    for (number, name) in suiteNames {
      byNumber[number] = DiskSuiteUsage(name: name, count: 0, bytes: 0)
    }
    for slot in slots where slot.isStored {
      byNumber[slot.suite]?.count += 1
      byNumber[slot.suite]?.bytes += UInt64(slot.bytes)
    }
    return byNumber.sorted { $0.key < $1.key }.map(\.value)
  }
}
