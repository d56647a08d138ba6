import LarderEngine

/// The configuration of a disk cache.
///
/// Opening a cache with a number out of range throws `DiskCacheError.limit` and does not touch the
/// disk.
public struct DiskConfiguration: Sendable, Hashable {
  /// The largest `inlineBytesMax`: SQLite takes rows of up to 10^9 bytes.
  public static var inlineBytesLargest: Int { DiskKey.inlineBytesMax }

  /// The policy with its parameters, such as `lru` or `s3-fifo:small=0.1`; not one that needs to
  /// know the future.
  public var policy: CachePolicy
  /// The admission filter, such as `second-hit` or `adaptsize`; entries that it refuses are not
  /// written. Nil admits everything. Its history is empty after each opening.
  public var admission: String?
  /// Limits on its content.
  public var limits: DiskLimits
  /// Which writes survive a crash.
  public var durability: DiskDurability
  /// Values of up to this many bytes are stored in the database, larger ones as `values` says.
  /// From 0 to `inlineBytesLargest`.
  public var inlineBytesMax: Int
  /// Where larger values are stored.
  public var values: DiskValues
  /// With durability `none`: sets and removals per commit, from 1 to 1,000,000. Pages that change
  /// are in memory until then; where they take twice `pageCacheBytes`, they are committed earlier.
  public var groupWrites: Int
  /// With durability `none`: bytes of values per commit, whatever their number. From 1 to 2^50.
  public var groupBytes: Int
  /// Memory for database pages, in bytes, up to 2^40; values below 64 KiB count as 64 KiB. Each of
  /// the connections that read, one per thread that reads at the same time and at most four, may
  /// use as much again.
  public var pageCacheBytes: Int
  /// Length of the write-ahead log, in pages of 4 KiB, at which SQLite checkpoints it into the
  /// database. Checkpoints take up to half of the time of small sets; a longer log combines more
  /// changes of a page and takes more space. From 1 to 2^31 - 1. With durability `none` there is no
  /// log.
  public var checkpointPages: Int
  /// Seed of random policies.
  public var seed: UInt64
  /// Encryption of keys and values, or nil for none.
  public var encryption: DiskEncryption?
  /// How a database that cannot be read is handled.
  public var damageHandling: DiskDamageHandling
  /// How a database of another format or with another key is handled, and a suite with values of
  /// another codec. By default nil: `startEmpty` for formats of this library and for codecs where
  /// no entry is permanent, and `fail` otherwise, for keys above all.
  public var mismatchHandling: DiskMismatchHandling?
  /// Reads of rows after which connections for reading are opened.
  package var readersAfter = 32
  /// False where entries count with the size of their value alone, as the objects of a simulation
  /// do.
  package var countsRows = true
  /// What stands for keys where a policy or a filter counts them in a sketch.
  package var fingerprints = KeyFingerprints.hashes

  /// A configuration; by default LRU, with values of up to 20 KiB in the database.
  public init(
    policy: CachePolicy = .lru, admission: String? = nil, limits: DiskLimits = DiskLimits(),
    durability: DiskDurability = .normal, inlineBytesMax: Int = 20 << 10,
    values: DiskValues = .files, groupWrites: Int = 1000, groupBytes: Int = 4 << 20,
    pageCacheBytes: Int = 8 << 20, checkpointPages: Int = 4000,
    seed: UInt64 = 0, encryption: DiskEncryption? = nil,
    damageHandling: DiskDamageHandling = .setAside,
    mismatchHandling: DiskMismatchHandling? = nil
  ) {
    self.policy = policy
    self.admission = admission
    self.limits = limits
    self.durability = durability
    self.inlineBytesMax = inlineBytesMax
    self.values = values
    self.groupWrites = groupWrites
    self.groupBytes = groupBytes
    self.pageCacheBytes = pageCacheBytes
    self.checkpointPages = checkpointPages
    self.seed = seed
    self.encryption = encryption
    self.damageHandling = damageHandling
    self.mismatchHandling = mismatchHandling
  }

  /// The same with the policy as a text that is not a literal; see `CachePolicy`.
  public init(
    policy: String, admission: String? = nil, limits: DiskLimits = DiskLimits(),
    durability: DiskDurability = .normal, inlineBytesMax: Int = 20 << 10,
    values: DiskValues = .files, groupWrites: Int = 1000, groupBytes: Int = 4 << 20,
    pageCacheBytes: Int = 8 << 20, checkpointPages: Int = 4000,
    seed: UInt64 = 0, encryption: DiskEncryption? = nil,
    damageHandling: DiskDamageHandling = .setAside,
    mismatchHandling: DiskMismatchHandling? = nil
  ) {
    self.init(
      policy: CachePolicy(policy), admission: admission, limits: limits,
      durability: durability, inlineBytesMax: inlineBytesMax, values: values,
      groupWrites: groupWrites,
      groupBytes: groupBytes, pageCacheBytes: pageCacheBytes,
      checkpointPages: checkpointPages, seed: seed, encryption: encryption,
      damageHandling: damageHandling, mismatchHandling: mismatchHandling)
  }

  /// Configuration of a cache whose entries count with the size of their value alone.
  package var countingValuesAlone: DiskConfiguration {
    var copy = self
    copy.countsRows = false
    return copy
  }

  /// The same for a cache that takes everything.
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
