#if Logging
  import Larder
  import Logging

  /// What is logged of an event.
  enum CacheLogEntry {
    /// Level and message; nil for an event that nobody logs.
    static func describe(_ kind: HybridEvent.Kind) -> (Logger.Level, String)? {
      switch kind {
      case .failure(let error): (.error, "the cache failed: \(error)")
      case .evict(.failure):
        (.warning, "an entry was given up: its value was damaged or not written")
      case .fetchFailure(let error, let isBackground):
        (.warning, "a fetch\(isBackground ? " in the background" : "") failed: \(error)")
      case .dropped(let count): (.warning, "\(count) events were lost: listeners are too slow")
      case .evict(.freeSpace): (.notice, "an entry was given up: the disk is nearly full")
      case .evict(.pressure): (.info, "an entry was given up: memory is short")
      case .staleAnswer: (.info, "an old value was returned because the origin failed")
      case .fetch(let isBackground):
        (.debug, "fetched\(isBackground ? " in the background" : "")")
      case .notModified: (.debug, "not modified")
      case .absent: (.debug, "the origin has no value")
      case .hit: (.trace, "hit")
      case .miss: (.trace, "miss")
      default: nil
      }
    }
  }
#endif
