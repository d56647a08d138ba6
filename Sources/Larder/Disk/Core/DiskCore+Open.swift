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
    statistics.rebuilds += 1
    try startAnew()
  }

  /// Begins with an empty database.
  func startAnew() throws(DiskCacheError) {
    // The connection must be gone before its file is.
    index = nil
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
    let index = try DiskIndex(
      path: folder.databasePath, configuration, layer: folder.files.databaseLayer)
    var rows: [(id: ObjectID, row: DiskRow, digest: KeyDigest?)] = []
    var keys: [ObjectID: [UInt8]] = [:]
    let names: [(UInt32, String)]
    let codecs: [UInt32: String]
    do throws(SQLiteError) {
      names = try index.suites()
      codecs = try index.codecs()
      try index.scan { id, row, key, hasText in
        rows.append(
          (id, row, key.map { KeyDigest($0, suite: row.suite, seed: index.seed) }))
        if let key, row.file != 0, !hasText { keys[id] = Array(key) }
      }
    } catch {
      throw DiskCacheError(error)
    }
    self.codecs = codecs
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
    let numbers = Set(suites.values)
    directory.reserveCapacity(rows.count)
    for (id, row, digest) in rows {
      let isWhole =
        digest != nil && (row.file == 0 || present.contains(row.file))
        && (row.suite == 0 || numbers.contains(row.suite))
      if !isWhole { statistics.damages += 1 }
      // What has expired stays: its origin may yet say that it still holds.
      guard isWhole, let digest, directory[digest] == nil else {
        doomed.append(id)
        continue
      }
      adopt(id, row, digest)
      keys[id]?.withUnsafeBytes { remember($0, of: id) }
    }
    let facts = Dictionary(
      rows.lazy.filter { $0.row.cost != 1 || $0.row.expires != Request.noExpiry }
        .map { ($0.id, Fact(cost: $0.row.cost, expires: $0.row.expires)) },
      uniquingKeysWith: { first, _ in first })
    try replay(facts)
    collectFreeIDs()
    tier.resetCounts()
    if !doomed.isEmpty { try releaseFiles() }
  }

  private func adopt(_ id: ObjectID, _ row: DiskRow, _ digest: KeyDigest) {
    directory[digest] = id
    var slot = DiskSlot()
    slot.digest = digest
    slot.state = row.isPermanent ? .permanent : .known
    slot.isStored = true
    slot.suite = row.suite
    slot.bytes = row.bytes
    slot.cost = row.cost
    slot.file = row.file
    slot.checksum = row.checksum
    slot.inserted = row.inserted
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

  /// What the policy is told of an entry beside its size.
  private struct Fact {
    var cost: Float
    var expires: UInt64
  }

  private struct Event {
    enum Kind: Int { case insert, replace, hit }
    var sequence: UInt64
    var id: ObjectID
    var kind: Kind
  }

  /// Tells the policy of everything that is there, in the order in which it was stored and last
  /// used: all that is kept of its state.
  private func replay(_ facts: [ObjectID: Fact]) throws(DiskCacheError) {
    readOrder()
    let limits = configuration.limits
    let resident = slots.count { $0.isStored && $0.state == .known }
    if resident > limits.entriesMax ?? .max || valueBytes > limits.bytesMax ?? .max {
      // The limits are lower than the last time: the policy chooses with all of the past in mind.
      tier = try Self.makeTier(configuration.withoutLimits, objects: slots.count)
      tell(events(), facts)
      while tier.count > 0,
        tier.count > limits.entriesMax ?? .max || valueBytes > limits.bytesMax ?? .max
      {
        drop(tier.giveUp())
        statistics.evictions += 1
      }
      tier = try Self.makeTier(configuration, objects: slots.count)
    }
    tier.setRestoring(true)
    tell(events(), facts)
    tier.setRestoring(false)
  }

  private func events() -> [Event] {
    var events: [Event] = []
    for place in slots.indices.dropFirst() {
      let (id, slot) = (ObjectID(place), slots[place])
      guard slot.isStored, slot.state == .known else { continue }
      events.append(Event(sequence: slot.inserted, id: id, kind: .insert))
      if slot.stored > slot.inserted {
        events.append(Event(sequence: slot.stored, id: id, kind: .replace))
      }
      if slot.hits > 0 { events.append(Event(sequence: slot.accessed, id: id, kind: .hit)) }
      sequence = max(sequence, slot.accessed)
    }
    events.sort {
      ($0.sequence, $0.id, $0.kind.rawValue) < ($1.sequence, $1.id, $1.kind.rawValue)
    }
    return events
  }

  private func tell(_ events: [Event], _ facts: [ObjectID: Fact]) {
    for event in events where slots[Int(event.id)].isStored {
      let id = event.id
      if event.kind == .hit {
        // Before any time, so that nothing expires here.
        for _ in 0..<min(slots[Int(id)].hits, Self.replayedHitsMax) where tier.contains(id) {
          _ = tier.access(id, 0)
          if dropVictims(sparing: id, counting: \.evictions) { drop(id) }
        }
      } else {
        let fact = facts[id] ?? Fact(cost: 1, expires: Request.noExpiry)
        let slot = slots[Int(id)]
        var request = Request(
          id: id, size: weight(slot.bytes), expires: fact.expires, cost: fact.cost)
        if let digest = slot.digest { request.fingerprint = digest.fingerprint }
        let outcome = tier.set(request, 0)
        let isVictim = dropVictims(sparing: id, counting: \.evictions)
        if outcome == .rejected || isVictim { drop(id) }
      }
    }
  }

  /// Hits of one entry that are told to the policy again: what a frequency policy is to know of an
  /// entry's past, without the time of each.
  private static var replayedHitsMax: UInt8 { 15 }
}
