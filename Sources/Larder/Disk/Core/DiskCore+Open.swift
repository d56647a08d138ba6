import LarderEngine

extension DiskCore {
  /// Opens the database and makes everything agree with it. A damaged one is thrown away.
  func open() throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try load()
    } catch {
      index = nil
      guard error.isCorruption else { throw error }
      try rebuild()
    }
  }

  /// Begins with an empty database after the old one was found damaged.
  func rebuild() throws(DiskCacheError) {
    // The connection must be gone before its file is.
    index = nil
    statistics.rebuilds += 1
    do throws(FileFailure) {
      try folder.removeDatabase()
    } catch {
      throw DiskCacheError(error)
    }
    try load()
  }

  /// Takes a failed call on: begins anew when the database is damaged, and throws otherwise.
  func recover(from error: SQLiteError) throws(DiskCacheError) {
    guard error.isCorruption else { throw DiskCacheError(error) }
    try rebuild()
  }

  private func load() throws(DiskCacheError) {
    let index = try DiskIndex(path: folder.databasePath, configuration)
    var rows: [(id: ObjectID, row: DiskRow, digest: KeyDigest)] = []
    let names: [(UInt32, String)]
    do throws(SQLiteError) {
      names = try index.suites()
      try index.forEach { id, row, key in
        rows.append((id, row, KeyDigest(key, suite: row.suite, seed: index.seed)))
      }
    } catch {
      throw DiskCacheError(error)
    }
    suites = [:]
    for (number, name) in names { suites[ExactName(name)] = number }
    let present: Set<UInt64>
    do throws(FileFailure) {
      present = try folder.sweep(keeping: Set(rows.lazy.map(\.row.file).filter { $0 != 0 }))
    } catch {
      throw DiskCacheError(error)
    }
    try resetIDs(largest: rows.map(\.id).max() ?? 0)
    self.index = index
    sequence = rows.map(\.row.stored).max() ?? 0
    let now = clock.nowMicroseconds
    for (id, row, digest) in rows {
      let isWhole = row.file == 0 || present.contains(row.file)
      if !isWhole { statistics.damages += 1 }
      if !isWhole || !row.isPermanent && row.expires <= now || directory[digest] != nil {
        doomed.append(id)
        continue
      }
      adopt(id, row, digest)
    }
    let costs = Dictionary(
      uniqueKeysWithValues: rows.filter { $0.row.cost != 1 || $0.row.expires != Request.noExpiry }
        .map { ($0.id, ($0.row.cost, $0.row.expires)) })
    replay(costs)
    collectFreeIDs()
    tier.resetCounts()
    if !doomed.isEmpty { try commitDoomed() }
  }

  private func adopt(_ id: ObjectID, _ row: DiskRow, _ digest: KeyDigest) {
    directory[digest] = id
    var slot = DiskSlot()
    slot.digest = digest
    slot.state = row.isPermanent ? .permanent : .known
    slot.isStored = true
    slot.suite = row.suite
    slot.bytes = row.bytes
    slot.file = row.file
    slot.stored = row.stored
    slot.accessed = row.stored
    slot.created = row.created
    slots[Int(id)] = slot
    if row.isPermanent {
      permanentBytes += UInt64(row.bytes)
      permanentEntries += 1
    } else {
      valueBytes += UInt64(row.bytes)
    }
  }

  /// Tells the policy of everything that is there, in the order in which it was stored and last
  /// used: all that is kept of its state.
  private func replay(_ facts: [ObjectID: (cost: Float, expires: UInt64)]) {
    readOrder()
    var events: [(sequence: UInt64, id: ObjectID, isHit: Bool)] = []
    for id in slots.indices.dropFirst() {
      let slot = slots[id]
      guard slot.isStored, slot.state == .known else { continue }
      events.append((slot.stored, ObjectID(id), false))
      if slot.hits > 0 { events.append((slot.accessed, ObjectID(id), true)) }
      sequence = max(sequence, slot.accessed)
    }
    events.sort { ($0.sequence, $0.id, $1.isHit ? 1 : 0) < ($1.sequence, $1.id, $0.isHit ? 1 : 0) }
    for event in events {
      let slot = slots[Int(event.id)]
      guard slot.isStored else { continue }
      if event.isHit {
        // Before any time, so that nothing expires here.
        for _ in 0..<min(slot.hits, Self.replayedHitsMax) {
          guard tier.contains(event.id) else { break }
          _ = tier.access(event.id, 0)
          if dropVictims(sparing: event.id, counting: \.evictions) { drop(event.id) }
        }
      } else {
        let fact = facts[event.id] ?? (1, Request.noExpiry)
        let request = Request(
          id: event.id, size: weight(slot.bytes), expires: fact.expires, cost: fact.cost)
        let isStored = tier.set(request, 0) == .stored
        _ = dropVictims(sparing: event.id, counting: \.evictions)
        if !isStored { drop(event.id) }
      }
    }
  }

  /// Hits of one entry that are told to the policy again: what a frequency policy is to know of an
  /// entry's past, without the time of each.
  private static var replayedHitsMax: UInt8 { 15 }
}
