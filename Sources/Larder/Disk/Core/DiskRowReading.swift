import LarderEngine

/// A value in its row that is to be read without the cache's lock. It has been counted as a hit.
struct DiskRowReading: Sendable {
  let id: ObjectID
  /// What the lookup found. That is what is read, even if the entry is replaced or removed first:
  /// the file in which the row is changes with a checkpoint only, or where there is no log with a
  /// commit, and that waits for the place.
  let slot: DiskSlot
  let digest: KeyDigest
  let place: DiskReaders.Place
  var metadata: DiskMetadata

  /// The entry, or nil when the row is not what was stored. Must be called once. Needs no lock.
  ///
  /// - Parameter key: the bytes of the key that was looked up.
  func entry(_ key: UnsafeRawBufferPointer) throws(SQLiteError) -> DiskEntry? {
    let key = DiskKey(key, suite: slot.suite, digest: digest)
    guard let reading = try place.finish(id, slot, key), let value = reading.value else {
      return nil
    }
    var metadata = metadata
    metadata.version = reading.version
    metadata.contentType = reading.contentType
    return DiskEntry(data: value, metadata: metadata)
  }
}
