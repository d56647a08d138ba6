import LarderLibc

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Reads the entries of a disk cache that another process has, such as an app whose extension reads
/// what the app has stored in the folder of their app group.
///
/// ```swift
/// // In the app:
/// let cache = try await DiskCache(path: folder, configuration: .init(isShared: true))
/// // In the extension:
/// let reader = try DiskCacheReader(path: folder)
/// let data = try reader.value(for: "avatar/17")
/// ```
///
/// The cache may be open, closed, missing or be killed meanwhile. A call returns what the key had
/// at one moment of the call, as of the latest commit; a damaged value is a miss. A reader never
/// writes, is no access for the policy, and holds no lock or open file between two calls. Calls
/// block, one after the other in a process. Idle times and grace periods are not considered.
public struct DiskCacheReader: Sendable {
  private let path: String
  private let encryption: DiskEncryption?
  private let clock: any CacheClock

  /// Creates a reader. Nothing is opened.
  ///
  /// - Parameters:
  ///   - path: The folder, as a path or a file URL.
  ///   - encryption: The key of an encrypted cache.
  ///   - clock: The clock of the cache.
  /// - Throws: `files` for something that is not the path of a folder.
  public init(
    path: some CacheLocation, encryption: DiskEncryption? = nil,
    clock: any CacheClock = SystemCacheClock.wall()
  ) throws(DiskCacheError) {
    self.path = try DiskFolder.absolutePath(path.cacheLocation)
    self.encryption = encryption
    self.clock = clock
  }

  /// Returns the entry of a key, or nil. With `acceptingExpired` also one that has expired, marked
  /// by `metadata.isExpired`.
  ///
  /// - Throws: `notShared` also if the database is locked for about half a second; `database`, or
  ///   `files` if it or the value cannot be read now.
  public func entry(
    for key: String, suite: String = "", acceptingExpired: Bool = false
  ) throws(DiskCacheError) -> DiskEntry? {
    try find([key], suite, acceptingExpired: acceptingExpired)[key]
  }

  /// Returns the bytes stored for a key, or nil.
  public func value(for key: String, suite: String = "") throws(DiskCacheError) -> Data? {
    try entry(for: key, suite: suite)?.data
  }

  /// Returns the value of a key as a disk or hybrid cache with this codec has stored it,
  /// or nil. The suite of a hybrid cache has no name unless it was given one.
  public func value<Value>(
    for key: some DiskKeyRepresentable, suite: String = "", codec: DiskCodec<Value>
  ) throws(DiskCacheError) -> Value? {
    let key = key.diskKey
    let entries = try find([key], suite, codec: codec.identity)
    return entries[key].flatMap { try? codec.decode($0.data) }
  }

  /// Returns the values of several keys, without keys that have none. The database is opened once.
  public func values(
    for keys: some Sequence<String>, suite: String = ""
  ) throws(DiskCacheError) -> [String: Data] {
    try find(Array(keys), suite).mapValues(\.data)
  }

  /// Returns true if a key has an entry that has not expired. The value is not read.
  public func contains(_ key: String, suite: String = "") throws(DiskCacheError) -> Bool {
    let metadata = try read { (database) throws(SharedDatabase.Absence) -> DiskMetadata? in
      guard let number = try database.suiteNumber(suite) else { return nil }
      return try database.metadata(for: key, suite: number, now: clock.time)
    }
    return metadata.map { !$0.isExpired } ?? false
  }

  private func find(
    _ keys: [String], _ suite: String, codec: String? = nil, acceptingExpired: Bool = false
  ) throws(DiskCacheError) -> [String: DiskEntry] {
    let entries = try read { (database) throws(SharedDatabase.Absence) -> [String: DiskEntry]? in
      guard let number = try database.suiteNumber(suite) else { return nil }
      if let codec { try database.checkCodec(codec, suite: number, suite) }
      var entries: [String: DiskEntry] = [:]
      for key in keys {
        let entry = try database.entry(for: key, suite: number, now: clock.time)
        if let entry, acceptingExpired || !entry.metadata.isExpired { entries[key] = entry }
      }
      return entries
    }
    return entries ?? [:]
  }

  private func read<Result>(
    _ body: (SharedDatabase) throws(SharedDatabase.Absence) -> Result?
  ) throws(DiskCacheError) -> Result? {
    for _ in 0..<Self.triesMax {
      do throws(SharedDatabase.Absence) {
        return try readOnce(body)
      } catch {
        switch error {
        case .empty: return nil
        case .failure(let failure): throw failure
        case .unreadable: usleep(Self.restMicroseconds)
        }
      }
    }
    throw .notShared(path: path)
  }

  private static var triesMax: Int { 25 }
  private static var restMicroseconds: UInt32 { 10_000 }

  private func readOnce<Result>(
    _ body: (SharedDatabase) throws(SharedDatabase.Absence) -> Result?
  ) throws(SharedDatabase.Absence) -> Result? {
    SharedDatabase.gate.lock()
    defer { SharedDatabase.gate.unlock() }
    let database = try SharedDatabase(folder: path, encryption)
    defer { database.close() }
    let result: Result?
    do throws(SharedDatabase.Absence) {
      result = try body(database)
    } catch {
      throw database.hasMoved ? .unreadable : error
    }
    if database.hasMoved { throw .unreadable }
    return result
  }
}
