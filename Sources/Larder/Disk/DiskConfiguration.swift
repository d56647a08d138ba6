import LarderEngine

/// How a disk cache works.
///
/// A cache that is opened with a number outside the stated range throws `DiskCacheError.limit`, and
/// touches nothing on disk.
public struct DiskConfiguration: Sendable, Hashable {
  /// The largest `inlineBytesMax`: SQLite takes rows of up to 10^9 bytes.
  public static var inlineBytesLargest: Int { DiskKey.inlineBytesMax }

  /// The policy with its parameters, as in `lru` or `s3-fifo:small=0.1`: any that does not need
  /// the future.
  public var policy: String
  /// The admission filter, as in `second-hit` or `adaptsize`: what it refuses is not written; nil
  /// to store everything that the policy takes. Its memory begins anew with each opening.
  public var admission: String?
  /// How much the cache may hold.
  public var limits: DiskLimits
  /// What outlives a crash.
  public var durability: DiskDurability
  /// Values of up to this many bytes stand in the database, larger ones in files of their own. From
  /// 0 to `inlineBytesLargest`.
  public var inlineBytesMax: Int
  /// With durability `none`: sets and removes that are committed together, from 1 to 1,000,000.
  public var groupWrites: Int
  /// With durability `none`: bytes of values that are committed together, whatever their number.
  /// From 1 to 2^50.
  public var groupBytes: Int
  /// Memory for database pages, in bytes, up to 2^40; less than 64 KiB counts as that.
  public var pageCacheBytes: Int
  /// Pages of 4 KiB in the write-ahead log at which SQLite moves them into the database. This takes
  /// up to half of the time of small sets; a longer log gathers more changes of one page, and takes
  /// more room. From 1 to 2^31 - 1.
  public var checkpointPages: Int
  /// Seed of random policies.
  public var seed: UInt64
  /// What keys and values are encrypted with, or nil for nothing.
  public var encryption: DiskEncryption?
  /// What is done with a database that cannot be read.
  public var damageHandling: DiskDamageHandling
  /// What stands for keys where a policy or a filter counts them in a sketch.
  package var fingerprints = KeyFingerprints.hashes

  /// A configuration; by default LRU, and 20 KiB as the largest value in the database.
  public init(
    policy: String = "lru", admission: String? = nil, limits: DiskLimits = DiskLimits(),
    durability: DiskDurability = .normal, inlineBytesMax: Int = 20 << 10, groupWrites: Int = 1000,
    groupBytes: Int = 4 << 20, pageCacheBytes: Int = 8 << 20, checkpointPages: Int = 4000,
    seed: UInt64 = 0, encryption: DiskEncryption? = nil,
    damageHandling: DiskDamageHandling = .setAside
  ) {
    self.policy = policy
    self.admission = admission
    self.limits = limits
    self.durability = durability
    self.inlineBytesMax = inlineBytesMax
    self.groupWrites = groupWrites
    self.groupBytes = groupBytes
    self.pageCacheBytes = pageCacheBytes
    self.checkpointPages = checkpointPages
    self.seed = seed
    self.encryption = encryption
    self.damageHandling = damageHandling
  }

  /// The same for a cache that takes everything.
  var withoutLimits: DiskConfiguration {
    var copy = self
    copy.admission = nil
    if limits.bytesMax == nil {
      copy.limits.entriesMax = 1 << 31
    } else {
      copy.limits.bytesMax = PolicySetup.capacityMax
      copy.limits.entriesMax = nil
    }
    return copy
  }
}
