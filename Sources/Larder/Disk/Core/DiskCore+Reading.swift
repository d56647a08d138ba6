import LarderEngine

/// Gets whose rows are read without the lock. The lookup counts the hit; reading does not change
/// anything unless it fails.
extension DiskCore {
  /// A reader for the row of an entry that was looked up, where one can see it; the get is counted
  /// as a hit then. While somebody listens all rows are read with the lock: a hit is told only of
  /// what was read.
  func claimReader(for id: ObjectID, _ index: DiskIndex) -> DiskRowReading? {
    let slot = slots[Int(id)]
    guard slot.file == 0, !isHeard, let digest = slot.digest else { return nil }
    guard index.isSettled(slot.written) else {
      index.noteUnsettledRead()
      return nil
    }
    guard let place = index.readers.claim() else { return nil }
    statistics.hits += 1
    statistics.bytesRead += UInt64(slot.bytes)
    noteUse(id)
    return DiskRowReading(
      id: id, slot: slot, digest: digest, place: place,
      metadata: metadata(of: id, isExpired: false))
  }

  /// Takes a hit back whose row could not be read, and reads the row with the lock: that says
  /// whether it is damaged. Nil when something else was stored since: look again.
  ///
  /// - Parameter hasFailed: whether the reader failed, and not the row.
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
