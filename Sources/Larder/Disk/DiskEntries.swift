import LarderEngine

/// An entry without its value, as listed by `BlockingDiskCache.entries` and passed to the predicate
/// of `remove(where:)`.
public struct DiskEntryInfo: Sendable, Hashable {
  /// Suite and key; in a hybrid cache, the key on disk.
  public var name: DiskEntryName
  /// Size of the stored value; nil for an entry of a hybrid cache that is in memory alone.
  public var bytes: Int?
  /// Metadata of the value. Entries that have expired and are still stored are listed, too.
  public var metadata: DiskMetadata

  /// Creates a description of an entry, for example to test a predicate.
  public init(name: DiskEntryName, bytes: Int?, metadata: DiskMetadata = DiskMetadata()) {
    self.name = name
    self.bytes = bytes
    self.metadata = metadata
  }
}

/// The entries of a disk cache with their metadata, read in batches.
///
/// ```swift
/// var entries = cache.entries()
/// while let entry = try entries.next() { print(entry.name.key, entry.bytes ?? 0) }
/// ```
///
/// Other calls may change the cache meanwhile: an entry that is stored or removed during the
/// iteration may be listed or not, and all others are listed once. The order is unspecified.
public struct DiskEntries: Sendable {
  typealias Found = (info: DiskEntryInfo, id: ObjectID, mark: UInt64)

  static var batch: Int { 256 }

  private let cache: BlockingDiskCache
  private let suite: String?
  private var found: ArraySlice<Found> = []
  private var first: ObjectID? = 1

  init(_ cache: BlockingDiskCache, suite: String?) {
    self.cache = cache
    self.suite = suite
  }

  /// Returns the next entry, or nil at the end. Not counted as an access; values are not read.
  ///
  /// - Throws: `database` or `closed`.
  public mutating func next() throws(DiskCacheError) -> DiskEntryInfo? { try nextFound()?.info }

  mutating func nextFound() throws(DiskCacheError) -> Found? {
    while found.isEmpty, let first {
      let page = try cache.withCore { (core) throws(DiskCacheError) in
        try core.page(from: first, suite: suite, count: Self.batch)
      }
      found = page.found[...]
      self.first = page.next
    }
    return found.popFirst()
  }
}

extension BlockingDiskCache {
  /// Returns the entries of all suites or of one, without their values, to be read in batches. Each
  /// batch is O(its size), and other calls continue between two of them.
  public func entries(suite: String? = nil) -> DiskEntries { DiskEntries(self, suite: suite) }

  /// Removes the entries of all suites for which `matches` returns true, permanent or not and
  /// expired or not, and returns the space freed. O(entries).
  ///
  /// `matches` is called with no lock held, and may call the cache. An entry that is stored again
  /// after that call stays. The entries are removed after all were asked for.
  ///
  /// - Throws: `database` or `closed`. After an error while entries were being read, nothing was
  ///   removed; after one of the removal, the entries are gone, as after one of `removeAll`.
  @discardableResult public func remove(
    where matches: (DiskEntryInfo) -> Bool
  ) throws(DiskCacheError) -> Freed {
    try finish(beginRemoval(of: try chosen(suite: nil, where: matches)))
  }

  func chosen(
    suite: String?, where matches: (DiskEntryInfo) -> Bool
  ) throws(DiskCacheError) -> [ObjectID: UInt64] {
    var chosen: [ObjectID: UInt64] = [:]
    var entries = entries(suite: suite)
    while let entry = try entries.nextFound() {
      guard matches(entry.info) else { continue }
      chosen[entry.id] = entry.mark
      noteRemoval(entry.info.name.key, entry.info.name.suite)
    }
    return chosen
  }

  /// Removes entries that have not been replaced since they were chosen.
  func beginRemoval(of chosen: [ObjectID: UInt64]) throws(DiskCacheError) -> DiskRemoval {
    try withCore { (core) throws(DiskCacheError) in
      try core.checkPlace()
      // Another database has the same ids.
      let seed = try core.openIndex().seed
      return try core.begin(\.removals, as: .remove) { id, slot in
        slot.isStored && chosen[id] == slot.stored ^ seed
      }
    }
  }
}

extension DiskCore {
  struct Page: Sendable {
    var found: [DiskEntries.Found] = []
    var next: ObjectID?
  }

  func page(
    from first: ObjectID, suite name: String?, count: Int
  ) throws(DiskCacheError) -> Page {
    let index = try openIndex()
    let suite = name.map { suiteNumber($0) }
    let now = clock.time
    var page = Page()
    do throws(SQLiteError) {
      page.next = try index.scan(Int64(first) ... .max, count: count) { found in
        guard let (id, row, header) = found, Int(id) < slots.count, slots[Int(id)].isStored,
          slots[Int(id)].stored == row.stored, suite == nil || suite == row.suite,
          !removals.contains(where: { $0.takes(id, slots[Int(id)]) })
        else { return }
        let isExpired = slots[Int(id)].state == .known && hasExpired(id, now)
        var metadata = metadata(of: id, isExpired: isExpired)
        metadata.version = header.version
        metadata.contentType = header.contentType
        let info = DiskEntryInfo(
          name: DiskEntryName(
            suite: suiteNames[row.suite] ?? "", key: String(decoding: header.key, as: UTF8.self)),
          bytes: Int(row.bytes), metadata: metadata)
        page.found.append((info, id, row.stored ^ index.seed))
      }
    } catch {
      // A database that was set aside has no entries left.
      try recover(from: error)
      return Page()
    }
    return page
  }
}

/// Contents of one suite.
public struct DiskSuiteUsage: Sendable, Hashable {
  /// The suite's name.
  public var name: String
  /// Number of entries, including permanent ones.
  public var count: Int
  /// Sum of the values' bytes.
  public var bytes: UInt64

  /// Creates a usage; see the properties for the meaning of each.
  public init(name: String, count: Int, bytes: UInt64) {
    self.name = name
    self.count = count
    self.bytes = bytes
  }
}

/// Entries and space freed by a call.
public struct Freed: Sendable, Hashable {
  /// Entries removed from the memory of a hybrid cache.
  public var memoryCount = 0
  /// Entries removed from disk.
  public var count = 0
  /// Sum of the bytes of their values.
  public var valueBytes: UInt64 = 0
  /// Reduction of the cache's files in bytes: database, log and value files.
  public var diskBytes: UInt64 = 0

  /// Creates a value; by default nothing was freed.
  public init(
    memoryCount: Int = 0, count: Int = 0, valueBytes: UInt64 = 0, diskBytes: UInt64 = 0
  ) {
    self.memoryCount = memoryCount
    self.count = count
    self.valueBytes = valueBytes
    self.diskBytes = diskBytes
  }
}

/// Disk usage of a disk cache, by kind of file.
package struct DiskUsage: Sendable, Hashable {
  package var database: UInt64 = 0
  /// The database's write-ahead log, which keeps its size until it is truncated, or its journal.
  package var log: UInt64 = 0
  /// Files of values, including dead bytes of segments.
  package var files: UInt64 = 0
  /// Files without a value, kept to be overwritten.
  package var spare: UInt64 = 0
  package var aside: UInt64 = 0

  package var total: UInt64 { database + log + files + spare + aside }
}

/// Bytes written by a disk cache since it was opened, as far as it can tell: without pages that
/// SQLite moves from the log into the database, or copies from the database into its journal, at
/// most one per page written, and without the file system's overhead.
package struct DiskWrites: Sendable, Hashable {
  package var files: UInt64 = 0
  /// Bytes of pages and their headers in the write-ahead log; with durability `none`, which has
  /// none, of pages in the database.
  package var log: UInt64 = 0

  package var total: UInt64 { files + log }
}
