import LarderEngine

extension DiskCore {
  /// Notes what happened to a key, for whoever listens.
  func note(_ kind: CacheEventKind, _ key: DiskKey) {
    if isHeard { note(kind, suite: key.suite, key.bytes) }
  }

  /// Notes what happened to an entry that is still stored: its key is read from its row.
  func note(_ kind: CacheEventKind, _ id: ObjectID) {
    let slot = slots[Int(id)]
    if let key = slot.key {
      key.withUnsafeBytes { note(kind, suite: slot.suite, $0) }
    } else {
      // A row that cannot be read is told of by no name, and so not at all.
      try? index?.withKey(of: id) { note(kind, suite: slot.suite, $0) }
    }
  }

  /// The same for a suite and the bytes of a key.
  func note(_ kind: CacheEventKind, suite: UInt32, _ key: UnsafeRawBufferPointer) {
    guard isHeard else { return }
    let name = suite == 0 ? "" : suiteNames[suite] ?? ""
    heard.append(
      CacheEvent(kind, DiskEntryName(suite: name, key: String(decoding: key, as: UTF8.self))))
  }

  /// Counts a get in a suite that was never stored in.
  func missUnknown(_ suite: String, _ key: UnsafeRawBufferPointer) throws(DiskCacheError) {
    _ = try openIndex()
    statistics.misses += 1
    guard isHeard else { return }
    heard.append(
      CacheEvent(.miss, DiskEntryName(suite: suite, key: String(decoding: key, as: UTF8.self))))
  }

  /// Hands over what there is to tell.
  func takeEvents() -> [CacheEvent<DiskEntryName>] {
    defer { heard = [] }
    return heard
  }
}
