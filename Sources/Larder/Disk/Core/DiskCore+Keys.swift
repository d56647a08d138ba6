import LarderEngine

extension DiskCore {
  /// The keys of a suite whose entries have not expired. O(entries).
  func keys(suite: UInt32) throws(DiskCacheError) -> [String] {
    let index = try openIndex()
    let now = clock.nowMicroseconds
    var keys: [String] = []
    do throws(SQLiteError) {
      try index.scan { id, found in
        guard let found, found.row.suite == suite, let id = ObjectID(exactly: id),
          Int(id) < slots.count, slots[Int(id)].isStored,
          slots[Int(id)].state == .permanent || !hasExpired(id, now)
        else { return }
        keys.append(String(decoding: found.key, as: UTF8.self))
      }
    } catch {
      // A database that is set aside leaves none.
      try recover(from: error)
      return []
    }
    return keys
  }
}
