#if Logging
  public import Larder
  public import Logging

  extension DiskCache {
    /// Logs entries that were given up because their value was damaged or could not be written
    /// (warning), and those that had to go for want of free space on the disk (notice), until the
    /// token is cancelled or destroyed. See `HybridCache.log(to:name:logsKeys:)`.
    ///
    /// **Cost.** While there is a token the cache makes an event of everything that happens, hits
    /// included, whatever the logger's level. It reads the key of every entry that leaves from the
    /// database, with or without `logsKeys`, and gets of small values are no longer concurrent.
    /// `CacheMetrics` costs requests nothing.
    ///
    /// No event is lost: the thread that uses the cache calls the logger, with no lock held, and
    /// waits for it.
    ///
    /// - Parameters:
    ///   - name: The metadata `cache`.
    ///   - logsKeys: Whether keys are logged; they may be private.
    /// - Returns: What ends the logging when it is cancelled or destroyed: keep it.
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
