/// Why a hybrid cache could not do what it was asked.
public enum HybridCacheError: Error, Sendable, CustomStringConvertible {
  /// Memory cannot be as configured.
  case memory(MemoryCacheError)
  /// Disk could not do its part. What memory could do it has done.
  case disk(DiskCacheError)
  /// A value could not be encoded; the message is the codec's. Nothing has changed.
  case codec(message: String)
  /// The configuration contradicts itself.
  case configuration(message: String)
  /// The cache has no such value and the origin was not to be asked, or does not have it either.
  case absent(key: String)
  /// The origin answered "not modified" though it was asked without a version.
  case notModifiedUnasked(key: String)
  /// The loader of a key asked the cache for the same key, and would have waited for itself.
  case loadsItself(key: String)
  /// Another hybrid cache uses the suite of this disk cache. They would not see each other's
  /// changes in memory.
  case suiteInUse(suite: String)
  /// The cache, which has no disk tier, was closed.
  case closed
  /// A codec called the cache that it works for.
  case calledByCodec
  /// A refresh of the key took longer than `HybridCacheConfiguration.refreshTimeout`.
  case refreshTimedOut(key: String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .memory(let error): error.description
    case .disk(let error): error.description
    case .codec(let message): message
    case .configuration(let message): message
    case .absent(let key): "\(key.debugDescription): not found in the cache or at its origin"
    case .notModifiedUnasked(let key):
      "\(key.debugDescription): the origin returned 'not modified', but the cache has no value"
    case .loadsItself(let key):
      "\(key.debugDescription): its loader requests this key and would wait for itself; "
        + "request another key, or use 'entry(for:)'"
    case .suiteInUse(let suite):
      "suite '\(suite)': in use by another hybrid cache; "
        + "share that cache, close it, or use another suite"
    case .closed: "the cache is closed"
    case .calledByCodec:
      "the codec calls the cache that it works for; encode and decode without it"
    case .refreshTimedOut(let key):
      "\(key.debugDescription): its refresh did not end within refreshTimeout and was cancelled"
    }
  }
}
