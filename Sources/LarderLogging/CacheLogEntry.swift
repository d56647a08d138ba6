#if Logging
  public import Larder
  public import Logging

  /// Log entries for events.
  enum CacheLogEntry {
    /// Level and message of a change of the policy in charge, among `policies`.
    static func describe(
      from old: UInt8, to new: UInt8, _ policies: [String]
    ) -> (Logger.Level, String) {
      func name(_ index: UInt8) -> String {
        index < policies.count ? policies[Int(index)] : "\(index)"
      }
      return (.notice, "the policy changed from \(name(old)) to \(name(new))")
    }

    /// Returns level and message; nil for an event that is not logged.
    ///
    /// - Parameter policies: The policies among which the tier's policy chooses.
    static func describe(
      _ kind: HybridEvent.Kind, _ policies: [String]
    ) -> (Logger.Level, String)? {
      switch kind {
      case .switchPolicy(let old, let new): describe(from: old, to: new, policies)
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

  extension HybridCache {
    /// Logs operational events of the cache, until the token is cancelled or destroyed: failures of
    /// a tier (error), values discarded because they were damaged or could not be written and
    /// failed fetches (warning), changes of the policy in charge by `auto` (notice), and fetches at
    /// `debug` and single gets at `trace`, if the logger's level includes these.
    ///
    /// **Cost.** While there is a token the cache creates an event for every operation, hits
    /// included, whatever the logger's level. A hit in memory then takes the lock of a shard and
    /// one of the whole cache, where with many policies it takes none otherwise. The disk reads
    /// small values under its lock, and the keys of entries that leave from the database.
    /// `CacheMetrics` costs requests nothing.
    ///
    /// **Losses.** Up to 4,096 events wait while a thread logs those before them. When another one
    /// arrives the oldest is lost, whatever its kind, so many hits can displace a failure. A
    /// warning reports the number of lost events; `HybridStatistics.droppedEvents` counts them. A
    /// logger that does not wait for its output keeps losses rare.
    ///
    /// - Parameters:
    ///   - logger: Called by threads that use the cache, one at a time, with no lock held.
    ///   - name: The metadata `cache`.
    ///   - logsKeys: True to log keys, which may be private. It does not change the cost.
    /// - Returns: A token that ends the logging when it is cancelled or destroyed: keep it.
    public func log(
      to logger: Logger, name: String, logsKeys: Bool = false
    ) -> CacheEventToken {
      let tiers = readStatistics()
      let policies: [HybridTier: [String]] = [
        .memory: tiers.memory?.policyChoice?.policies ?? [],
        .disk: tiers.disk?.policyChoice?.policies ?? [],
      ]
      return onEvent { event in
        let choices = event.tier.flatMap { policies[$0] } ?? []
        guard let (level, message) = CacheLogEntry.describe(event.kind, choices),
          logger.logLevel <= level
        else { return }
        var metadata: Logger.Metadata = ["cache": "\(name)"]
        if let tier = event.tier { metadata["tier"] = "\(tier)" }
        if logsKeys, let key = event.key { metadata["key"] = "\(key)" }
        logger.log(level: level, "\(message)", metadata: metadata)
      }
    }
  }

  extension DiskCache {
    /// Logs entries that were discarded because their value was damaged or could not be written
    /// (warning), those evicted because the disk was nearly full, and changes of the policy in
    /// charge by `auto` (notice), until the token is cancelled or destroyed. See
    /// `HybridCache.log(to:name:logsKeys:)`.
    ///
    /// **Cost.** While there is a token the cache creates an event for every operation, hits
    /// included, whatever the logger's level. It reads the key of every entry that leaves from the
    /// database, with or without `logsKeys`, and gets of small values are no longer concurrent.
    /// `CacheMetrics` costs requests nothing.
    ///
    /// No event is lost: the thread that uses the cache calls the logger, with no lock held, and
    /// waits for it.
    ///
    /// - Parameters:
    ///   - name: The metadata `cache`.
    ///   - logsKeys: True to log keys, which may be private.
    /// - Returns: A token that ends the logging when it is cancelled or destroyed: keep it.
    public func log(
      to logger: Logger, name: String, logsKeys: Bool = false
    ) -> CacheEventToken {
      let policies = blocking.policyChoice?.policies ?? []
      return blocking.onEvent { event in
        let level: Logger.Level
        let message: String
        switch event.kind {
        case .evict(.failure):
          (level, message) = (
            .warning, "an entry was given up: its value was damaged or not written"
          )
        case .evict(.freeSpace):
          (level, message) = (.notice, "an entry was given up: the disk is nearly full")
        case .switchPolicy(let old, let new):
          (level, message) = CacheLogEntry.describe(from: old, to: new, policies)
        default: return
        }
        var metadata: Logger.Metadata = ["cache": "\(name)"]
        if logsKeys { metadata["key"] = "\(event.key.key)" }
        logger.log(level: level, "\(message)", metadata: metadata)
      }
    }
  }
#endif
