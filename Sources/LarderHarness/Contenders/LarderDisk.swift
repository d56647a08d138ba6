import Larder
import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Larder's disk cache under test. A key is the text of its number.
final class LarderDisk: CacheUnderTest {
  private let cache: DiskCache
  private let countsBytes: Bool
  // What had been counted when the counts were last set to zero.
  private let before = Locked(TierCounts())
  private let wroteBefore = Locked(UInt64(0))

  /// A cache of one tier.
  init(_ tier: TierSetup, _ setup: CacheSetup) throws(DiskCacheError) {
    countsBytes = setup.simulation.unit == .bytes
    cache = try DiskCache(
      path: setup.folder, configuration: try DiskConfiguration(tier, setup), clock: setup.clock)
  }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    try cache.value(for: String(key)).map { CacheAnswer($0, from: .disk) }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try cache.set(value, for: String(key), options: DiskStoreOptions(options))
  }

  func remove(_ key: UInt64) throws { try cache.remove(String(key)) }

  func expire(_ key: UInt64, _ options: CacheWriteOptions) throws {
    let key = String(key)
    if try cache.contains(key) { try cache.renew(key, timeToLive: options.timeToLive) }
  }

  func usage() -> CacheUsage {
    var usage = CacheUsage()
    let entries = cache.count
    usage.diskEntries = entries
    usage.diskWeight = countsBytes ? cache.valueBytes : UInt64(entries)
    usage.diskBytes = cache.diskBytes
    usage.bytesHandedOver = cache.writes.total.growth(since: wroteBefore.withLock { $0 })
    return usage
  }

  func tierCounts() -> CacheTierCounts? {
    var counts = CacheTierCounts()
    counts.disk = cache.tierCounts.since(before.withLock { $0 })
    return counts
  }

  func resetCounts() {
    before.withLock { $0 = cache.tierCounts }
    wroteBefore.withLock { $0 = cache.writes.total }
  }

  func flush() throws { try cache.flush() }

  func close() throws { try cache.close() }
}

extension UInt64 {
  /// How much a count has grown; nil where it began anew.
  func growth(since earlier: UInt64) -> UInt64? { self < earlier ? nil : self - earlier }
}

extension TierCounts {
  /// What has been counted since an earlier moment.
  fileprivate func since(_ earlier: TierCounts) -> TierCounts {
    var counts = TierCounts()
    counts.admissions = admissions - earlier.admissions
    counts.rejections = rejections - earlier.rejections
    counts.evictions = evictions - earlier.evictions
    counts.expirations = expirations - earlier.expirations
    counts.bytesWritten = bytesWritten - earlier.bytesWritten
    counts.bytesMoved = bytesMoved.map { $0 - (earlier.bytesMoved ?? 0) }
    return counts
  }
}
