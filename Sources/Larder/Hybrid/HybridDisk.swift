import LarderEngine
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One suite of a disk cache, used exclusively by one hybrid cache, with one codec, until it is
/// closed.
final class HybridDisk: Sendable {
  let cache: BlockingDiskCache
  let suite: String
  private let codec: String
  // True if the disk cache is closed together with this object.
  private let ownsCache: Bool
  private let hasEnded = Atomic<Bool>(false)

  init(
    _ cache: BlockingDiskCache, suite: String, codec: String, ownsCache: Bool
  ) throws(HybridCacheError) {
    self.cache = cache
    self.suite = suite
    self.codec = codec
    self.ownsCache = ownsCache
    guard cache.claimedSuites.withLock({ $0.insert(ExactName(suite)).inserted }) else {
      // The claim is another object's and must not be released.
      hasEnded.store(true, ordering: .relaxed)
      throw .suiteInUse(suite: suite)
    }
    try HybridCacheError.disk { () throws(DiskCacheError) in
      try cache.checkCodec(codec, suite: suite)
    }
  }

  deinit { try? close() }

  var isClosed: Bool { hasEnded.load(ordering: .acquiring) }

  func close() throws(HybridCacheError) {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    _ = cache.claimedSuites.withLock { $0.remove(ExactName(suite)) }
    if ownsCache { try HybridCacheError.disk { () throws(DiskCacheError) in try cache.close() } }
  }

  /// Releases the suite and removes it, or the whole disk cache if it is owned, closed or not.
  /// Throws `suiteInUse` if the suite was released before, and is another cache's by now.
  func destroy() throws(HybridCacheError) {
    if hasEnded.exchange(true, ordering: .acquiringAndReleasing), !ownsCache {
      guard cache.claimedSuites.withLock({ $0.insert(ExactName(suite)).inserted }) else {
        throw .suiteInUse(suite: suite)
      }
    }
    defer { _ = cache.claimedSuites.withLock { $0.remove(ExactName(suite)) } }
    try HybridCacheError.disk { () throws(DiskCacheError) in
      if ownsCache {
        try cache.destroy()
      } else {
        try cache.removeAll(suite: suite, includingPermanent: true)
      }
    }
  }

  /// Makes a call, possibly with a stripe locked, so that listeners of the disk cache must wait
  /// until the hybrid cache's `finish`.
  private func call<Result>(
    _ body: (BlockingDiskCache) throws(DiskCacheError) -> Result
  ) throws(HybridCacheError) -> Result {
    if isClosed { throw closedError }
    return try HybridCacheError.disk { () throws(DiskCacheError) in
      try cache.holdingEvents { () throws(DiskCacheError) in try body(cache) }
    }
  }

  var closedError: HybridCacheError { .disk(.closed(path: cache.core.path)) }

  // MARK: One entry

  func entry(_ key: String, expired: DiskExpired) throws(HybridCacheError) -> DiskEntry? {
    try call { (cache) throws(DiskCacheError) in
      try cache.lookUp(key, suite, expired: expired, codec: codec)
    }
  }

  func contains(_ key: String) throws(HybridCacheError) -> Bool {
    try call { (cache) throws(DiskCacheError) in try cache.contains(key, suite: suite) }
  }

  func toggleHitBefore(_ key: String) throws(HybridCacheError) -> Bool {
    try call { (cache) throws(DiskCacheError) in try cache.toggleHitBefore(key, suite: suite) }
  }

  func set(
    _ data: Data, for key: String, _ options: DiskStoreOptions, _ life: DiskLife
  ) throws(HybridCacheError) -> Bool {
    try call { (cache) throws(DiskCacheError) in
      try cache.store(data, key, suite, options, life: life, codec: codec)
    }
  }

  func renew(
    _ key: String, expiry: Expiry, version: String?
  ) throws(HybridCacheError) -> Bool {
    try call { (cache) throws(DiskCacheError) in
      try cache.renew(key, suite: suite, expiry: expiry, version: version)
    }
  }

  func remove(_ key: String) throws(HybridCacheError) -> Bool {
    try call { (cache) throws(DiskCacheError) in try cache.remove(key, suite: suite) }
  }

  func removeUndecodable(_ key: String, created: UInt64) throws(HybridCacheError) {
    try call { (cache) throws(DiskCacheError) in
      try cache.removeUndecodable(key, suite: suite, created: created)
    }
  }

  func removeExpired(_ key: String) throws(HybridCacheError) {
    // An ordinary get would remove the expired entry and count it; this one was counted already.
    try call { (cache) throws(DiskCacheError) in try cache.removeExpired(key, suite: suite) }
  }

  // MARK: Many entries

  func beginRemoval(includingPermanent: Bool) throws(HybridCacheError) -> DiskRemoval {
    try call { (cache) throws(DiskCacheError) in
      try cache.beginRemoval(
        suite: suite, includingPermanent: includingPermanent, removesCopy: ownsCache)
    }
  }

  func finish(_ removal: DiskRemoval) throws(HybridCacheError) -> Freed {
    try call { (cache) throws(DiskCacheError) in try cache.finish(removal) }
  }

  func chosen(
    where matches: (DiskEntryInfo) -> Bool
  ) throws(HybridCacheError) -> [ObjectID: UInt64] {
    if isClosed { throw closedError }
    // With no lock held: `matches` is the app's.
    return try HybridCacheError.disk { () throws(DiskCacheError) in
      try cache.chosen(suite: suite, where: matches)
    }
  }

  func beginRemoval(of chosen: [ObjectID: UInt64]) throws(HybridCacheError) -> DiskRemoval {
    try call { (cache) throws(DiskCacheError) in try cache.beginRemoval(of: chosen) }
  }

  func removeExpired(keeping grace: Grace) throws(HybridCacheError) -> Freed {
    try call { (cache) throws(DiskCacheError) in
      try cache.removeExpired(suite: suite, keeping: grace)
    }
  }

  func beginTrim(toAge age: Duration) throws(HybridCacheError) -> DiskRemoval {
    try call { (cache) throws(DiskCacheError) in try cache.beginTrim(toAge: age, suite: suite) }
  }

  func trim(toCount count: Int, bytes: UInt64) throws(HybridCacheError) -> Freed {
    try call { (cache) throws(DiskCacheError) in try cache.trim(toCount: count, bytes: bytes) }
  }

  func flush() throws(HybridCacheError) {
    try call { (cache) throws(DiskCacheError) in try cache.flush() }
  }
}

extension Freed {
  static func += (sum: inout Freed, more: Freed) {
    sum.memoryCount += more.memoryCount
    sum.count += more.count
    sum.valueBytes += more.valueBytes
    sum.diskBytes += more.diskBytes
  }
}
