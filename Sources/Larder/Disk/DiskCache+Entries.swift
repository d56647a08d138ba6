import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskCache {
  /// The entry of a key, or nil; one that has expired is handed out, too, and is left where it is,
  /// so that its origin can be asked whether it still holds, or it can stand in for an origin that
  /// does not answer. `metadata.isExpired` says which it is.
  ///
  /// What has not expired is a hit like any other. What has is a miss in the statistics and for
  /// listeners, and counted in `expiredReads`; to the policy nothing has happened. It goes when it
  /// is given up for room, cleaned, stored over or found by an ordinary get.
  ///
  /// - Throws: `database` or `closed`.
  public func entry(
    for key: String, suite: String = "", acceptingExpired: Bool
  ) throws(DiskCacheError) -> DiskEntry? {
    try lookUp(key, suite, expired: acceptingExpired ? .handedOut : .removed)
  }

  /// Gives the entry of a key a new life, as when its origin says that it was not modified, and
  /// says whether there is one. Its value is not written again, and it may have expired.
  ///
  /// Its creation time becomes now. To the policy it is neither a hit nor a store; one that orders
  /// entries by their expiry learns of the new one. A permanent entry stays permanent. After a
  /// crash the entry has its old life and version or its new ones.
  ///
  /// - Parameters:
  ///   - timeToLive: the new life from now on, or nil for the cache's; the shorter one counts.
  ///   - version: the version that the origin gave it now, or nil to keep the one it has.
  /// - Throws: `database` or `closed`. After an error of the first the entry is what it was.
  @discardableResult
  public func renew(
    _ key: String, suite: String = "", timeToLive: Duration? = nil, version: String? = nil
  ) throws(DiskCacheError) -> Bool {
    try renew(key, suite, timeToLive: timeToLive, expires: nil, version: version)
  }

  // MARK: For a cache in front of this one

  /// The same with an absolute expiry, which the cache's own limit does not shorten.
  /// `Request.noExpiry` is never.
  @discardableResult
  package func renew(
    _ key: String, suite: String = "", expiresMicroseconds: UInt64, version: String? = nil
  ) throws(DiskCacheError) -> Bool {
    try renew(key, suite, timeToLive: nil, expires: expiresMicroseconds, version: version)
  }

  /// Turns the "hit before" mark of an entry and says how it stood: true on the second hit since
  /// it was stored, and on every second one after that, when called on each. False, and nothing is
  /// turned, where there is no entry. The mark does not outlive the cache.
  package func toggleHitBefore(
    _ key: String, suite: String = ""
  ) throws(DiskCacheError) -> Bool {
    try withKey(key) { (core, bytes) throws(DiskCacheError) in
      guard let number = core.suiteNumber(suite) else { return false }
      return try core.toggleHitBefore(bytes, suite: number)
    }
  }

  // MARK: Ways that several calls share

  /// Looks a key up. With a codec, the suite must not hold values of another.
  func lookUp(
    _ key: String, _ suite: String, expired: DiskExpired, codec: String? = nil
  ) throws(DiskCacheError) -> DiskEntry? {
    let entry = try find(key, suite, expired: expired, codec: codec)
    noteGet(key, suite, entry)
    return entry
  }

  private func find(
    _ key: String, _ suite: String, expired: DiskExpired, codec: String?
  ) throws(DiskCacheError) -> DiskEntry? {
    var key = key.diskKey
    let answer = key.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      return Result { () throws(DiskCacheError) in
        var isRepeated = false
        while true {
          let found = try lookUp(
            bytes, suite, expired: expired, codec: codec, isRepeated: isRepeated)
          isRepeated = true
          if case .some(let entry) = try finish(found, bytes, suite) { return entry }
        }
      }
    }
    return try answer.get()
  }

  /// The half of a get that needs the lock.
  private func lookUp(
    _ key: UnsafeRawBufferPointer, _ suite: String, expired: DiskExpired, codec: String?,
    isRepeated: Bool
  ) throws(DiskCacheError) -> DiskLookup {
    try withCore { (core) throws(DiskCacheError) -> DiskLookup in
      guard let number = core.suiteNumber(suite) else {
        try core.missUnknown(suite, key)
        return .none
      }
      if let codec { try core.checkCodec(codec, suite: number) }
      return try core.get(key, suite: number, expired: expired, isRepeated: isRepeated)
    }
  }

  /// The half that does not: what a lookup came to, which may be no entry, or nil when something
  /// else was stored while it was read: look again.
  private func finish(
    _ found: DiskLookup, _ key: UnsafeRawBufferPointer, _ suite: String
  ) throws(DiskCacheError) -> DiskEntry?? {
    switch found {
    case .none:
      return .some(nil)
    case .entry(let entry):
      return entry
    case .row(let reading):
      let hasFailed: Bool
      do throws(SQLiteError) {
        if let entry = try reading.entry(key) { return entry }
        hasFailed = false
      } catch {
        hasFailed = true
      }
      let again = try withCore { (core) throws(DiskCacheError) in
        try core.retry(reading, hasFailed: hasFailed, key)
      }
      guard let again else { return nil }
      return try finish(again, key, suite)
    case .file(let reading):
      // Reading and checking a large value takes longer than all the rest: others may go on.
      let value = Result { () throws(FileFailure) in
        try reading.value()
      }
      let result = try withCore { (core) throws(DiskCacheError) in
        try core.finish(reading, value, key, suite: core.suiteNumber(suite) ?? 0)
      }
      return switch result {
      case .entry(let entry): entry
      case .none: .some(nil)
      case .again: nil
      }
    }
  }

  func store(
    _ data: Data, _ key: String, _ suite: String, _ options: DiskStoreOptions, life: DiskLife?,
    codec: String? = nil
  ) throws(DiskCacheError) -> Bool {
    noteSet(data.count, key, suite, options, life)
    return try withKey(key) { (core, bytes) throws(DiskCacheError) in
      // `withUnsafeBytes` does not say which errors it passes on.
      let answer = data.withUnsafeBytes { value in
        Result { () throws(DiskCacheError) in
          try core.set(bytes, suite: suite, value, options, life: life, codec: codec)
        }
      }
      return try answer.get()
    }
  }

  private func renew(
    _ key: String, _ suite: String, timeToLive: Duration?, expires: UInt64?, version: String?
  ) throws(DiskCacheError) -> Bool {
    try withKey(key) { (core, bytes) throws(DiskCacheError) in
      guard let number = core.suiteNumber(suite) else { return false }
      return try core.renew(
        bytes, suite: number, timeToLive: timeToLive, expires: expires, version: version)
    }
  }
}
