extension DiskCore {
  /// Sees to it that a suite holds no values of a codec other than `identity`: they are removed, or
  /// it is an error. O(1), or O(ids) where another codec is recorded.
  ///
  /// - Throws: `codecMismatch`, `database` or `closed`.
  func checkCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
    guard let stored = codecs[number], stored != identity else { return }
    if Self.isOlder(stored, than: identity) {
      try? writeCodec(identity, suite: number)
      codecs[number] = identity
      return
    }
    let (entries, permanent) = slots.reduce(into: (0, 0)) { counts, slot in
      guard slot.isStored, slot.suite == number else { return }
      counts.0 += 1
      if slot.state == .permanent { counts.1 += 1 }
    }
    guard entries > 0 else { return }
    guard startsEmpty(hasPermanent: permanent > 0) else {
      throw .codecMismatch(
        suite: suiteNames[number] ?? "", stored: stored, given: identity)
    }
    _ = try removeAll(counting: \.undecodables, as: .remove) { _, slot in slot.suite == number }
  }

  /// True for the identity of a codec as it was before the name of the type was part of it. Its
  /// values are taken for those of the type that is asked for first, as they always were.
  private static func isOlder(_ stored: String, than identity: String) -> Bool {
    ["json", "property-list"].contains(stored) && identity.hasPrefix(stored + " ")
  }

  /// True where what cannot be opened is given up.
  func startsEmpty(hasPermanent: Bool) -> Bool {
    configuration.mismatchHandling.map { $0 == .startEmpty } ?? !hasPermanent
  }

  /// The same before a value of the codec is written, which is recorded. The record is committed by
  /// itself: a suite never holds a value without it.
  ///
  /// - Throws: `codecMismatch`, `database` or `closed`.
  func recordCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
    if codecs[number] == identity { return }
    try checkCodec(identity, suite: number)
    if codecs[number] != identity { try writeCodec(identity, suite: number) }
  }

  private func writeCodec(_ identity: String, suite number: UInt32) throws(DiskCacheError) {
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
