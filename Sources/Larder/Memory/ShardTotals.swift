/// What has happened in one shard beside what its tier counts.
@usableFromInline
struct ShardTotals {
  /// Gets answered.
  @usableFromInline var hits: UInt64 = 0
  /// Gets not answered.
  @usableFromInline var misses: UInt64 = 0
  /// Sets.
  @usableFromInline var sets: UInt64 = 0
  /// Entries removed by key, or by `removeAll`.
  @usableFromInline var removals: UInt64 = 0
  /// Expired entries removed by a sweep.
  @usableFromInline var swept: UInt64 = 0
  /// Entries that a get found not accessed for too long.
  @usableFromInline var idled: UInt64 = 0
  /// Entries given up to a trim.
  @usableFromInline var trimmed: UInt64 = 0
  /// Entries given up to memory pressure.
  @usableFromInline var pressed: UInt64 = 0

  @inlinable
  init() {}
}
