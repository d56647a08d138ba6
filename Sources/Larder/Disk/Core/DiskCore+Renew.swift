import LarderEngine

extension DiskCore {
  /// Gives an entry another life, and another version where there is one, without its value.
  /// `expires` is nil for what `timeToLive` and the cache's own limit say.
  func renew(
    _ bytes: UnsafeRawBufferPointer, suite: UInt32, timeToLive: Duration?, expires: UInt64?,
    version: String?
  ) throws(DiskCacheError) -> Bool {
    try checkPlace()
    let index = try openIndex()
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    guard let id = directory[key.digest], slots[Int(id)].isStored else { return false }
    let isPermanent = slots[Int(id)].state == .permanent
    let now = clock.nowMicroseconds
    let life = DiskLife(
      created: now,
      expires: isPermanent ? Request.noExpiry : expires ?? expiry(timeToLive, from: now))
    do throws(SQLiteError) {
      transaction.renewals.append(
        DiskTransaction.Life(
          id: id, stored: slots[Int(id)].stored, created: slots[Int(id)].created,
          expires: tier.expiry(id)))
      slots[Int(id)].written = index.age
      if version != nil { slots[Int(id)].hasTexts = true }
      try beginWriting(index)
      guard try index.renew(id, key.bytes, slots[Int(id)], life, version: version) else {
        transaction.renewals.removeLast()
        try finishWriting(index)
        return false
      }
      // From here on a get reads the version from the row.
      if version != nil { slots[Int(id)].key = nil }
      setLife(id, created: life.created, expires: life.expires)
      try finishWriting(index)
    } catch {
      rollBack(index)
      try giveUp(after: error, index)
    }
    statistics.renewals += 1
    recycleSegments()
    return true
  }

  /// Writes down in memory when a stored entry was created and when it expires.
  func setLife(_ id: ObjectID, created: UInt64, expires: UInt64) {
    slots[Int(id)].created = created
    if slots[Int(id)].state == .known, tier.contains(id) { tier.renew(id, expires) }
  }

  /// Turns the mark of an entry and says how it stood.
  func toggleHitBefore(
    _ bytes: UnsafeRawBufferPointer, suite: UInt32
  ) throws(DiskCacheError) -> Bool {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    guard let id = directory[key.digest], slots[Int(id)].isStored else { return false }
    slots[Int(id)].isHitBefore.toggle()
    return !slots[Int(id)].isHitBefore
  }
}
