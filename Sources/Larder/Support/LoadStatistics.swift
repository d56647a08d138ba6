/// Counts of loads since a cache was created or its statistics were reset.
public struct LoadStatistics: Sendable, Hashable, Codable {
  /// Loads started. A call of a loader for several keys is one in a memory cache, and one for each
  /// key in a hybrid cache.
  public var started: UInt64 = 0
  /// Requests for a key that waited for a load that another request had started.
  public var joined: UInt64 = 0
  /// Loads that failed.
  public var failed: UInt64 = 0
  /// Loads that were cancelled, which do not count as failures.
  public var cancelled: UInt64 = 0
  /// Loads started to refresh a value in the background.
  public var refreshes: UInt64 = 0
  /// Failed loads that were such refreshes.
  public var failedRefreshes: UInt64 = 0
  /// Keys for which a load found no value.
  public var absent: UInt64 = 0
  /// Requests that were answered by a remembered missing value.
  public var negativeHits: UInt64 = 0
  /// Loads to which the origin responded "not modified".
  public var notModified: UInt64 = 0
  /// Loads that were not stored, because their key was set or removed meanwhile.
  public var overtaken: UInt64 = 0
  /// Requests that got an expired value while it was reloaded.
  public var staleWhileRevalidate: UInt64 = 0
  /// Requests that got a cached value because the origin failed.
  public var staleIfError: UInt64 = 0

  /// Creates statistics that are all zero.
  public init() {}

  mutating func count(_ error: any Error, isBackground: Bool) {
    if error is CancellationError {
      cancelled += 1
    } else {
      failed += 1
      if isBackground { failedRefreshes += 1 }
    }
  }

  static func += (sum: inout LoadStatistics, other: LoadStatistics) {
    sum.started += other.started
    sum.joined += other.joined
    sum.failed += other.failed
    sum.cancelled += other.cancelled
    sum.refreshes += other.refreshes
    sum.failedRefreshes += other.failedRefreshes
    sum.absent += other.absent
    sum.negativeHits += other.negativeHits
    sum.notModified += other.notModified
    sum.overtaken += other.overtaken
    sum.staleWhileRevalidate += other.staleWhileRevalidate
    sum.staleIfError += other.staleIfError
  }
}

/// Error of a load that the cache did not start or has cancelled, or that found no value.
public enum LoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The loader of a key requested the same key from the cache, and would have waited for itself.
  case loadsItself(key: String)
  /// A load of the key took longer than `loadTimeout`, or a reload in the background longer than a
  /// minute.
  case timedOut(key: String)
  /// A load of the key waited because of `loadsMax` for longer than its time limit; its loader was
  /// not called.
  case waitTimedOut(key: String)
  /// The cache has no value for the key, and the origin was not asked or does not have it either.
  case absent(key: String)

  static func timeOut(_ key: String, hasBegun: Bool) -> LoadError {
    hasBegun ? .timedOut(key: key) : .waitTimedOut(key: key)
  }

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .loadsItself(let key):
      "\(key.debugDescription): its loader requests this key from the cache and would wait for "
        + "itself; call the origin instead"
    case .timedOut(let key):
      "\(key.debugDescription): its load did not end within loadTimeout and was cancelled"
    case .waitTimedOut(let key):
      "\(key.debugDescription): its load did not begin within its time limit, because loadsMax "
        + "other loads were running"
    case .absent(let key):
      "\(key.debugDescription): not found in the cache or at its origin"
    }
  }
}
