import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskCore {
  private enum Presence {
    case absent
    case fresh(ObjectID)
    case last(ObjectID)
    case expired(ObjectID)
  }

  /// First half of a get: finds the entry of a key and records an access, or returns where to read
  /// it without the lock. `expired` selects how expired entries are handled. `isRepeated` if the
  /// policy has recorded this get already and another value was stored meanwhile.
  func get(
    _ bytes: UnsafeRawBufferPointer, suite: UInt32, expired: DiskExpired, isRepeated: Bool = false
  ) throws(DiskCacheError) -> DiskLookup {
    let index = try openIndex()
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    let id: ObjectID
    var isExpired = false
    switch find(key, expired, index, isRepeated: isRepeated) {
    case .absent:
      miss(key)
      return .none
    case .fresh(let found):
      if let reading = claimReader(for: found, index) { return .row(reading) }
      id = found
    case .last(let found):
      id = found
    case .expired(let found):
      if case .kept = expired {
        keptExpirations += 1
        statistics.expirations += 1
      }
      guard expired.handsOut else {
        miss(key)
        return .none
      }
      id = found
      isExpired = true
    }
    return try answer(id, key, isExpired: isExpired, from: index)
  }

  func answer(
    _ id: ObjectID, _ key: DiskKey, isExpired: Bool, from index: DiskIndex
  ) throws(DiskCacheError) -> DiskLookup {
    do throws(SQLiteError) {
      if let found = try read(id, key, isExpired: isExpired, from: index) { return found }
    } catch {
      miss(key)
      try recover(from: error)
      return .none
    }
    dropDamaged(id)
    miss(key)
    return .none
  }

  func finish(
    _ reading: DiskFileReading, _ read: Result<Data?, FileFailure>,
    _ bytes: UnsafeRawBufferPointer, suite: UInt32
  ) throws(DiskCacheError) -> DiskLookup? {
    folder.values.unpin(reading.file)
    let value: Data?
    switch read {
    case .success(let data): value = data
    case .failure(let failure):
      miss(DiskKey(bytes, suite: suite, seed: try openIndex().seed))
      throw DiskCacheError(failure)
    }
    if let value {
      let entry = DiskEntry(data: value, metadata: reading.metadata)
      serve(reading.id, reading.stored, entry) { note($0, suite: suite, bytes) }
      return .entry(entry)
    }
    let index = try openIndex()
    // A value that was copied to another segment is unchanged; only its offset differs.
    guard isSame(reading.id, reading.stored), slots[Int(reading.id)].file == reading.file else {
      return nil
    }
    dropDamaged(reading.id)
    miss(DiskKey(bytes, suite: suite, seed: index.seed))
    return DiskLookup.none
  }

  func miss(_ key: DiskKey) {
    statistics.misses += 1
    note(.miss, key)
  }

  func contains(_ bytes: UnsafeRawBufferPointer, suite: UInt32) throws(DiskCacheError) -> Bool {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    guard let id = find(key), slots[Int(id)].isStored else { return false }
    if slots[Int(id)].state == .permanent { return true }
    return tier.contains(id) && !hasExpired(id, clock.time)
  }

  private func find(
    _ key: DiskKey, _ expired: DiskExpired, _ index: DiskIndex, isRepeated: Bool
  ) -> Presence {
    guard let id = find(key) else { return .absent }
    if slots[Int(id)].state == .permanent { return .fresh(id) }
    let time = clock.time
    let isOver = hasExpired(id, time)
    if isOver {
      if stays(id, expired, time, index) { return .expired(id) }
      if isFromFuture(id, time) || tier.expiry(id) > time {
        // Otherwise the policy would count the next request as a hit.
        tier.remove(id)
        keptExpirations += 1
        statistics.expirations += 1
        drop(id, .expire)
        return .absent
      }
    }
    if isRepeated, !isOver {
      return tier.contains(id) ? .fresh(id) : .absent
    }
    switch use(id, time) {
    case .absent:
      return .absent
    case .expired:
      statistics.expirations += 1
      drop(id, .expire)
      return .absent
    case .hit:
      // Some policies evict on a hit, possibly this entry; its value is still returned.
      guard hasVictims() else { return .fresh(id) }
      return dropVictims(sparing: id, counting: \.evictions) ? .last(id) : .fresh(id)
    }
  }

  @inline(never) func hasExpired(_ id: ObjectID, _ now: UInt64) -> Bool {
    tier.contains(id)
      && (tier.expiry(id) <= now || uses.expiry(id).isOver(at: now) || isFromFuture(id, now))
  }

  /// True for an entry that was stored while the clock was ahead of its present time: its age is
  /// unknown, and it would live, and look new to its origin, for as long as the clock was ahead.
  private func isFromFuture(_ id: ObjectID, _ now: UInt64) -> Bool {
    CacheInstant.isAhead(slots[Int(id)].created, of: now)
  }

  @inline(never) private func use(_ id: ObjectID, _ now: UInt64) -> CacheTier.Access {
    tier.access(id, now)
  }

  private func stays(
    _ id: ObjectID, _ expired: DiskExpired, _ now: UInt64, _ index: DiskIndex
  ) -> Bool {
    switch expired {
    case .removed: false
    case .handedOut: true
    case .kept(let grace, let handsOut): handsOut || isKept(id, grace, now, index)
    }
  }

  func isKept(_ id: ObjectID, _ grace: Grace, _ now: UInt64, _ index: DiskIndex) -> Bool {
    let expiry = min(Expiry(tier.expiry(id)), uses.expiry(id))
    if grace.keeps(hasVersion: false, expiry, now: now) { return true }
    return grace.keeps(hasVersion: true, expiry, now: now)
      && (try? index.hasVersion(id, slots[Int(id)])) ?? true
  }

  private func read(
    _ id: ObjectID, _ key: DiskKey, isExpired: Bool, from index: DiskIndex
  ) throws(SQLiteError) -> DiskLookup? {
    let slot = slots[Int(id)]
    var reading: DiskReading?
    if let stored = fileKeys[id] {
      if stored.elementsEqual(key.bytes) { reading = DiskReading() }
    } else {
      reading = try index.read(id, slot, key)
      if slot.file != 0, reading != nil, !slot.hasTexts { remember(key.bytes, of: id) }
    }
    guard let reading else { return nil }
    var metadata = metadata(of: id, isExpired: isExpired)
    metadata.version = reading.version
    metadata.contentType = reading.contentType
    if slot.file != 0 {
      folder.values.pin(slot.file)
      return .file(
        DiskFileReading(
          id: id, stored: slot.stored, file: slot.file, bytes: slot.bytes, checksum: slot.checksum,
          key: key, at: folder.values.location(of: slot.file), seal: index.seal,
          metadata: metadata))
    }
    guard let data = reading.value else { return nil }
    let entry = DiskEntry(data: data, metadata: metadata)
    serve(id, slot.stored, entry) { note($0, key) }
    return .entry(entry)
  }

  func metadata(of id: ObjectID, isExpired: Bool) -> DiskMetadata {
    let slot = slots[Int(id)]
    var metadata = DiskMetadata(
      creation: slot.created,
      expiry: slot.state == .permanent ? .never : Expiry(tier.expiry(id)),
      fetchCost: slot.cost, isPermanent: slot.state == .permanent, isExpired: isExpired)
    metadata.mustRevalidate = slot.mustRevalidate
    return metadata
  }

  private func serve(
    _ id: ObjectID, _ stored: UInt64, _ entry: DiskEntry, _ note: (CacheEventKind) -> Void
  ) {
    statistics.bytesRead += UInt64(entry.data.count)
    if entry.metadata.isExpired {
      statistics.misses += 1
      note(.miss)
      return
    }
    statistics.hits += 1
    note(.hit)
    guard isSame(id, stored) else { return }
    if slots[Int(id)].state == .known, !tier.contains(id) {
      drop(id, .evict(.capacity))
    } else {
      noteUse(id)
    }
  }

  func noteUse(_ id: ObjectID) {
    sequence += 1
    slots[Int(id)].use(sequence)
    guard uses.areKept else { return }
    let now = clock.time
    uses.note(id, now)
    if writing == nil, uses.areDue(now) { beginSnapshot() }
    if writing != nil { writeSnapshotBlock() }
  }

  func isSame(_ id: ObjectID, _ stored: UInt64) -> Bool {
    Int(id) < slots.count && slots[Int(id)].isStored && slots[Int(id)].stored == stored
  }

  func dropDamaged(_ id: ObjectID) {
    statistics.damages += 1
    if slots[Int(id)].state == .known { tier.remove(id) }
    drop(id, .evict(.failure))
  }
}

enum DiskLookup {
  case none
  case entry(DiskEntry)
  case row(DiskRowReading)
  case file(DiskFileReading)
}

enum DiskExpired {
  case removed
  case handedOut
  case kept(Grace, handsOut: Bool)

  var handsOut: Bool {
    switch self {
    case .removed: false
    case .handedOut: true
    case .kept(_, let handsOut): handsOut
    }
  }
}

/// Time for which expired entries stay usable, because their origin may confirm them, or for
/// stale-while-revalidate and stale-if-error.
struct Grace: Sendable, Hashable {
  var versioned: UInt64
  var others: UInt64

  static var none: Grace { Grace(versioned: 0, others: 0) }

  var isNone: Bool { versioned == 0 && others == 0 }

  func keeps(hasVersion: Bool, _ expiry: Expiry, now: UInt64) -> Bool {
    let limit = hasVersion ? max(versioned, others) : others
    return limit > 0 && expiry.overdue(at: now) <= limit
  }
}

/// Gets whose rows are read without the lock. The lookup counts the hit; reading changes nothing
/// unless it fails.
extension DiskCore {
  /// Claims a reader for the row of an entry that was looked up, if readers can see the row, and
  /// counts the get as a hit. With listeners, all rows are read with the lock, because a hit is
  /// reported only after a successful read.
  func claimReader(for id: ObjectID, _ index: DiskIndex) -> DiskRowReading? {
    let slot = slots[Int(id)]
    guard slot.file == 0, !isHeard else { return nil }
    guard index.log.isSettled(slot.written) else {
      index.log.noteUnsettledRead()
      return nil
    }
    guard let reader = index.readers.claim() else { return nil }
    statistics.hits += 1
    statistics.bytesRead += UInt64(slot.bytes)
    noteUse(id)
    return DiskRowReading(
      id: id, slot: slot, reader: reader,
      metadata: metadata(of: id, isExpired: false))
  }

  /// Reverts the hit of a row that could not be read, and reads the row with the lock, which shows
  /// whether it is damaged. Nil if another value was stored since; repeat the lookup.
  ///
  /// - Parameter hasFailed: True if the reader failed, not the row.
  func retry(
    _ reading: DiskRowReading, hasFailed: Bool, _ bytes: UnsafeRawBufferPointer
  ) throws(DiskCacheError) -> DiskLookup? {
    statistics.hits -= 1
    statistics.bytesRead -= UInt64(reading.slot.bytes)
    let index = try openIndex()
    if hasFailed { index.readers.rest() }
    let (id, slot) = (reading.id, reading.slot)
    guard isSame(id, slot.stored), slots[Int(id)].digest == slot.digest else { return nil }
    if slots[Int(id)].hits > 0 { slots[Int(id)].hits -= 1 }
    let key = DiskKey(bytes, suite: slot.suite, seed: index.seed)
    return try answer(id, key, isExpired: false, from: index)
  }
}

struct DiskRowReading: Sendable {
  let id: ObjectID
  let slot: DiskSlot
  let reader: DiskReader
  var metadata: DiskMetadata

  func entry(_ key: UnsafeRawBufferPointer) throws(SQLiteError) -> DiskEntry? {
    let key = DiskKey(key, suite: slot.suite, digest: slot.digest)
    guard let reading = try reader.finish(id, slot, key), let value = reading.value else {
      return nil
    }
    var metadata = metadata
    metadata.version = reading.version
    metadata.contentType = reading.contentType
    return DiskEntry(data: value, metadata: metadata)
  }
}
