extension DiskCore {
  /// Sees to it that a suite holds no values of a codec other than `identity`. O(1), or O(ids)
  /// where another codec is recorded.
  ///
  /// - Throws: `codecMismatch`.
  func checkCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
    guard let stored = codecs[number], stored != identity,
      slots.contains(where: { $0.isStored && $0.suite == number })
    else { return }
    let name = suites.first { $0.value == number }?.key.text ?? ""
    throw .codecMismatch(suite: name, stored: stored, given: identity)
  }

  /// The same before a value of the codec is written, which is recorded. The record is committed by
  /// itself: a suite never holds a value without it.
  ///
  /// - Throws: `codecMismatch`, `database` or `closed`.
  func recordCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
    if codecs[number] == identity { return }
    try checkCodec(identity, suite: number)
    let index = try openIndex()
    do throws(SQLiteError) {
      try commit(index)
      try index.setCodec(identity, suite: number)
    } catch {
      throw DiskCacheError(error)
    }
    codecs[number] = identity
  }
}
