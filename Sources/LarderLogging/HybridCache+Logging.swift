#if Logging
  public import Larder
  public import Logging

  extension HybridCache {
    /// Logs what an operator should know of the cache, until the token is cancelled or destroyed:
    /// failures of a tier (error), values given up because they were damaged or could not be
    /// written and failed fetches (warning), and fetches at `debug` and single gets at `trace`, if
    /// the logger wants these.
    ///
    /// - Parameters:
    ///   - name: The metadata `cache`.
    ///   - logsKeys: Whether keys are logged; they may be private.
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
