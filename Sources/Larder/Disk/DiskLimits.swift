/// Limits on the content of a disk cache. They can be combined; the policy evicts entries until all
/// of them hold.
///
/// Opening a cache with a limit out of range throws `DiskCacheError.limit`.
public struct DiskLimits: Sendable, Hashable {
  /// Maximum sum of what the entries take in bytes, from 1 to 2^50, or nil for no limit. An entry
  /// takes the size of its value, that of its key (at most 4 MB), and `entryOverhead`.
  public var bytes: UInt64?
  /// Maximum number of entries, from 1 to 2^50, or nil for no limit; never more than 2^27.
  public var count: Int?
  /// Maximum TTL of an entry, at least a microsecond, or nil for no limit. A shorter TTL of the
  /// entry takes precedence.
  public var age: Duration?
  /// Bytes of disk space to keep free for others, at most 2^50; 0 to keep none. If less is free,
  /// entries are evicted to make up the difference, and a value that still does not fit is not
  /// stored. Free space is checked once per `freeSpaceInterval` stored bytes.
  public var freeBytes: UInt64
  /// Bytes stored between two checks of the free space; with 0 every set checks.
  public var freeSpaceInterval: UInt64

  /// Bytes that an entry counts in a limit on bytes in addition to its value and its key, for its
  /// row in the database. The sum with the key is rounded up to a multiple of 64.
  public static var entryOverhead: Int { 100 }

  /// Limits without one on the number of entries; by default 100 MiB of values, and 256 MiB of free
  /// disk space.
  public init(
    bytes: UInt64? = 100 << 20, age: Duration? = nil, freeBytes: UInt64 = 256 << 20,
    freeSpaceInterval: UInt64 = 1 << 20
  ) {
    self.init(
      bytes: bytes, count: nil, age: age, freeBytes: freeBytes,
      freeSpaceInterval: freeSpaceInterval)
  }

  /// Limits with one on the number of entries, and none on bytes unless it is given; by default
  /// 256 MiB of free disk space.
  public init(
    bytes: UInt64? = nil, count: Int?, age: Duration? = nil, freeBytes: UInt64 = 256 << 20,
    freeSpaceInterval: UInt64 = 1 << 20
  ) {
    self.bytes = bytes
    self.count = count
    self.age = age
    self.freeBytes = freeBytes
    self.freeSpaceInterval = freeSpaceInterval
  }

  /// The longest life of an entry, microseconds; 0 for no limit.
  var ageMicroseconds: UInt64 { age.map { max(1, $0.microseconds) } ?? 0 }
}
