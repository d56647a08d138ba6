#if Logging
  public import Larder
  public import Logging

  extension HybridCache {
    /// Logs what an operator should know of the cache, until the token is cancelled or destroyed:
    /// failures of a tier (error), values given up because they were damaged or could not be
    /// written and failed fetches (warning), and fetches at `debug` and single gets at `trace`, if
    /// the logger wants these.
    ///
    /// **Cost.** While there is a token the cache makes an event of everything that happens, hits
    /// included, whatever the logger's level. A hit in memory then takes the lock of a shard and
    /// one of the whole cache, where with many policies it takes none otherwise. The disk reads
    /// small values under its lock, and the keys of entries that leave from the database.
    /// `CacheMetrics` costs requests nothing.
    ///
    /// **Losses.** Up to 4,096 events wait while a thread logs those before them. When one more
    /// comes the oldest is lost, whatever it tells, so many hits can push out a failure. A warning
    /// says how many were lost; `HybridStatistics.droppedEvents` counts them. A logger that does
    /// not wait for its output keeps losses rare.
    ///
    /// - Parameters:
    ///   - logger: Called by threads that use the cache, one at a time, with no lock held.
    ///   - name: The metadata `cache`.
    ///   - logsKeys: Whether keys are logged; they may be private. It does not change the cost.
    /// - Returns: What ends the logging when it is cancelled or destroyed: keep it.
    public func log(
      to logger: Logger, name: String, logsKeys: Bool = false
    ) -> CacheEventToken {
      onEvent { event in
        guard let (level, message) = CacheLogEntry.describe(event.kind), logger.logLevel <= level
        else { return }
        var metadata: Logger.Metadata = ["cache": "\(name)"]
        if let tier = event.tier { metadata["tier"] = "\(tier)" }
        if logsKeys, let key = event.key { metadata["key"] = "\(key)" }
        logger.log(level: level, "\(message)", metadata: metadata)
      }
    }
  }
#endif
