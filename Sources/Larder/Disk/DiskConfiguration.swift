import LarderEngine

/// The configuration of a disk cache.
///
/// Opening a cache with a number out of range throws `DiskCacheError.limit` and does not touch the
/// disk.
public struct DiskConfiguration: Sendable, Hashable {
  package static var inlineBytesRange: ClosedRange<Int> { 0...DiskKey.inlineBytesMax }
  package static var segmentBytesRange: ClosedRange<Int> { 4 << 10...1 << 30 }

  /// The policy with its parameters, such as `lru` or `s3-fifo:small=0.1`; not one that needs to
  /// know the future.
  public var policy: CachePolicy
  /// The admission filter, such as `second-hit` or `adaptsize`; entries that it rejects are not
  /// written. Nil admits everything. Its history is empty after each opening.
  public var admission: String?
  /// Limits on its content.
  public var limits: DiskLimits
  /// Writes that must survive a crash.
  public var durability: DiskDurability
  /// Values of up to this many bytes are stored in the database, larger ones as configured by
  /// `segmentBytes`. From 0 to 500,000,000.
  public var inlineBytesMax: Int
  /// Storage of larger values from now on: appended to segment files of up to this many bytes,
  /// from 4 KiB to 1 GiB; nil for one file per value, as larger ones get in any case. Once dead
  /// bytes exceed a third of the live ones plus a segment, live values of the emptiest segment are
  /// copied to the open one.
  public var segmentBytes: Int?
  /// With durability `none`: sets and removals per commit, from 1 to 1,000,000; fewer if the values
  /// take 4 MiB, or the changed pages twice `pageCacheBytes`.
  public var groupWrites: Int
  /// Memory for database pages, in bytes, up to 2^40; less than 64 KiB counts as that. Each of up
  /// to four reading connections may use as much again.
  public var pageCacheBytes: Int
  /// Encryption of keys and values, or nil for none.
  public var encryption: DiskEncryption?
  /// Handling of contents that cannot be used. By default nil: `startEmpty` for damage, and for
  /// other formats and codecs if no entry is permanent; `fail` otherwise, in particular for keys.
  public var troubleHandling: DiskTroubleHandling?
  /// Time since its last get or store after which an entry expires, unless an earlier limit
  /// applies; nil for never. Times are written by `flush` and `close`, and at most every eighth of
  /// this time: after a crash an entry may expire that much too early.
  public var expireAfterAccess: Duration?
  /// True to exclude the folder from backups, on Apple's systems; the system's folder for caches is
  /// never backed up. With false, the attribute of the folder is left as it is.
  public var isExcludedFromBackup: Bool
  /// Protection of the files while the device is locked, on Apple's systems; nil for that of the
  /// folder above.
  public var fileProtection: DiskFileProtection?
  /// True if other processes, such as extensions of an app, may read the entries with a
  /// `DiskCacheReader` while the cache is open. Requires durability `normal` or `full`, and a file
  /// system on which processes can share memory; stores and removals take longer.
  public var isShared: Bool
  package var groupBytes = 4 << 20
  package var checkpointPages = 4000
  package var seed: UInt64 = 0
  package var readersAfter = 32
  package var countsRows = true
  package var fingerprints = KeyFingerprints.hashes

  /// Creates a configuration; by default LRU, with values of up to 20 KiB in the database.
  public init(
    policy: CachePolicy = .lru, admission: String? = nil, limits: DiskLimits = DiskLimits(),
    durability: DiskDurability = .normal, inlineBytesMax: Int = 20 << 10,
    segmentBytes: Int? = nil, groupWrites: Int = 1000, pageCacheBytes: Int = 8 << 20,
    encryption: DiskEncryption? = nil,
    troubleHandling: DiskTroubleHandling? = nil, expireAfterAccess: Duration? = nil,
    isExcludedFromBackup: Bool = false, fileProtection: DiskFileProtection? = nil,
    isShared: Bool = false
  ) {
    self.policy = policy
    self.admission = admission
    self.limits = limits
    self.durability = durability
    self.inlineBytesMax = inlineBytesMax
    self.segmentBytes = segmentBytes
    self.groupWrites = groupWrites
    self.pageCacheBytes = pageCacheBytes
    self.encryption = encryption
    self.troubleHandling = troubleHandling
    self.expireAfterAccess = expireAfterAccess
    self.isExcludedFromBackup = isExcludedFromBackup
    self.fileProtection = fileProtection
    self.isShared = isShared
  }

  var withoutLimits: DiskConfiguration {
    var copy = self
    copy.admission = nil
    if limits.bytes == nil {
      copy.limits.count = 1 << 31
    } else {
      copy.limits.bytes = PolicySetup.capacityMax
      copy.limits.count = nil
    }
    return copy
  }
}

/// Limits on the content of a disk cache; the policy evicts entries until all of them hold.
public struct DiskLimits: Sendable, Hashable {
  /// Maximum total size of the entries in bytes, from 1 to 2^50, or nil for no limit. The size of
  /// an entry is that of its value and its key (at most 4 MB), plus `entryOverhead`.
  public var bytes: UInt64?
  /// Maximum number of entries, from 1 to 2^50, or nil for no limit; never more than 2^27.
  public var count: Int?
  /// Maximum TTL of an entry, at least a microsecond, or nil for no limit. A shorter TTL of the
  /// entry takes precedence.
  public var age: Duration?
  /// Bytes of disk space to keep free, at most 2^50, by evicting entries; a value that still does
  /// not fit is not stored. Checked once per MiB stored.
  public var freeBytes: UInt64
  package var freeSpaceInterval: UInt64 = 1 << 20

  /// Bytes that an entry counts in a limit on bytes in addition to its value and its key; the sum
  /// with the key is rounded up to a multiple of 64.
  public static var entryOverhead: Int { 100 }

  /// Creates limits without one on the number of entries; by default 100 MiB of values, and 256 MiB
  /// of free disk space.
  public init(
    bytes: UInt64? = 100 << 20, age: Duration? = nil, freeBytes: UInt64 = 256 << 20
  ) {
    self.init(bytes: bytes, count: nil, age: age, freeBytes: freeBytes)
  }

  /// Creates limits with one on the number of entries, and none on bytes unless given; by default
  /// 256 MiB of free disk space.
  public init(
    bytes: UInt64? = nil, count: Int?, age: Duration? = nil, freeBytes: UInt64 = 256 << 20
  ) {
    self.bytes = bytes
    self.count = count
    self.age = age
    self.freeBytes = freeBytes
  }

  var ageOrZero: UInt64 { age.map { max(1, $0.microseconds) } ?? 0 }
}

/// Durability of the writes of a disk cache: the writes that survive a crash.
///
/// If a *process is killed*, the system continues, and data that the process has written is not
/// lost. If the *machine loses power*, only flushed data is certain to be on the disk. In every
/// case, a returned value is complete and was stored under its key: a torn value fails its checksum
/// and is a miss.
public enum DiskDurability: String, Sendable, Hashable, CaseIterable, Codable {
  /// The fastest. Sets are grouped, and committed in groups of `DiskConfiguration.groupWrites`, by
  /// `flush()` or by `close()`.
  ///
  /// Process killed: sets and removals since the last commit are lost, however long ago they were,
  /// and the entries that they replaced or removed reappear. Power lost: any write may be lost, and
  /// if the database itself is damaged, the cache starts empty.
  case none
  /// The default: each set and removal is committed before the call returns, without waiting for a
  /// flush to disk.
  ///
  /// Process killed: nothing is lost. Power lost: the latest writes may be lost, and entries that
  /// they replaced or removed reappear; the database is consistent (SQLite's `synchronous = NORMAL`
  /// with a write-ahead log) and contains all writes up to some moment. Values in files and
  /// segments are not flushed: any of them may be missing. If the system reports that the log could
  /// not be flushed, the cache starts empty, as with a damaged database.
  case normal
  /// Each set and removal waits until it is flushed to disk: value file, directory entry and
  /// commit.
  ///
  /// No acknowledged write is lost, as long as the disk honours flushes. A write whose flush failed
  /// is an error, and is not acknowledged later without being written again.
  case full
}

/// Protection of a cache's files while the device is locked, as `FileProtectionType` of Apple's
/// systems. Calls that need a protected file fail, like those of a failing disk.
public enum DiskFileProtection: String, Sendable, Hashable, CaseIterable, Codable {
  /// The files can always be read and written.
  case none
  /// Not while the device is locked. An open cache fails then, too.
  case complete
  /// Files that are open can be used, and new ones written, while the device is locked.
  case completeUnlessOpen = "complete-unless-open"
  /// From the first unlocking after a restart of the device on, always.
  case completeUntilFirstUserAuthentication = "complete-until-first-user-authentication"
}

extension DiskConfiguration {
  func check() throws(DiskCacheError) {
    let largest = PolicySetup.capacityMax
    func require<Number: Comparable>(
      _ name: String, _ value: Number, in range: ClosedRange<Number>, _ hint: String = ""
    ) throws(DiskCacheError) {
      guard range.contains(value) else {
        throw .limit(
          name, "\(value)", expected: "\(range.lowerBound) to \(range.upperBound)\(hint)")
      }
    }
    let nilHint = " (2^50), or nil for no limit"
    if let bytes = limits.bytes {
      try require("limits.bytes", bytes, in: 1...largest, nilHint)
    }
    if let count = limits.count {
      try require("limits.count", count, in: 1...Int(largest), nilHint)
    }
    if let age = limits.age, age.microseconds == 0 {
      throw .limit(
        "limits.age", "\(age)", expected: "at least a microsecond, or nil for no limit")
    }
    if let expireAfterAccess, expireAfterAccess.microseconds == 0 {
      throw .limit(
        "expireAfterAccess", "\(expireAfterAccess)",
        expected: "at least a microsecond, or nil for never")
    }
    try require("limits.freeBytes", limits.freeBytes, in: 0...largest, " (2^50)")
    try require("inlineBytesMax", inlineBytesMax, in: Self.inlineBytesRange)
    if let segmentBytes {
      try require("segmentBytes", segmentBytes, in: Self.segmentBytesRange, ", or nil for none")
    }
    if isShared, durability == .none {
      throw .limit("durability", "none", expected: "normal or full in a shared cache")
    }
    try require("groupWrites", groupWrites, in: 1...1_000_000)
    try require("pageCacheBytes", pageCacheBytes, in: 0...(1 << 40), " (1 TiB)")
  }
}
