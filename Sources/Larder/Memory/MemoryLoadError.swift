/// Why a memory cache did not call a loader.
public enum MemoryLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The loader of a key asked the cache for the same key, and would have waited for itself.
  case loadsItself(key: String)
  /// A reload of the key took longer than `MemoryCacheConfiguration.refreshTimeout`.
  case refreshTimedOut(key: String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .loadsItself(let key):
      "memory cache: the loader of '\(key)' asks the cache for the same key and would wait for "
        + "itself; call the origin instead"
    case .refreshTimedOut(let key):
      "memory cache: the reload of '\(key)' did not end within refreshTimeout and was cancelled"
    }
  }
}
