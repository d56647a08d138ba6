/// What a workload file may allow to change without anybody being told.
///
/// The two ratios are differences of the ratio itself, of the others a share of the baseline's
/// number: `hit_ratio: 0.001` lets 0.400 become 0.399, `evictions: 1%` lets 1000 become 990.
package enum CheckTolerance: String, Sendable, Hashable, CaseIterable {
  /// Of hits, also by tier.
  case hitRatio = "hit_ratio"
  /// Of bytes hit.
  case byteHitRatio = "byte_hit_ratio"
  /// Of stale hits.
  case staleHits = "stale_hits"
  /// Of objects stored.
  case admissions
  /// Of objects refused.
  case rejections
  /// Of objects given up.
  case evictions
  /// Of entries found expired.
  case expirations
  /// Of copies made from disk to memory.
  case promotions
  /// Of objects moved from memory to disk.
  case demotions
  /// Of objects that memory gave up.
  case memoryEvictions = "memory_evictions"
  /// Of objects that disk gave up.
  case diskEvictions = "disk_evictions"
  /// Of objects stored on disk.
  case diskWrites = "disk_writes"
  /// Of bytes stored on disk.
  case diskBytesWritten = "disk_bytes_written"
}
