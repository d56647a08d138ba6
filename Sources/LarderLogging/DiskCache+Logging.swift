#if Logging
  public import Larder
  public import Logging

  extension DiskCache {
    /// Logs entries that were given up because their value was damaged or could not be written
    /// (warning), and those that had to go for want of free space on the disk (notice), until the
    /// token is cancelled or destroyed. See `HybridCache.log(to:name:logsKeys:)`.
    public func log(
      to logger: Logger, name: String, logsKeys: Bool = false
    ) -> CacheEventToken {
      onEvent { event in
        let level: Logger.Level
        let message: String
        switch event.kind {
        case .evict(.failure):
          (level, message) = (
            .warning, "an entry was given up: its value was damaged or not written"
          )
        case .evict(.freeSpace):
          (level, message) = (.notice, "an entry was given up: the disk is nearly full")
        default: return
        }
        var metadata: Logger.Metadata = ["cache": "\(name)"]
        if logsKeys { metadata["key"] = "\(event.key.key)" }
        logger.log(level: level, "\(message)", metadata: metadata)
      }
    }
  }
#endif
