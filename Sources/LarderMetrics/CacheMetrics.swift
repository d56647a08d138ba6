#if Metrics
  public import CoreMetrics
  import Dispatch
  public import Larder
  import LarderEngine
  import Synchronization

  /// Reports a cache's statistics to swift-metrics.
  ///
  /// Statistics are read at each `update`, so requests cost nothing more. Counters grow by the
  /// events since the previous update; gauges hold the latest value. Every metric has the dimension
  /// `cache`, the name, and those of a tier have `tier`: `memory` or `disk`.
  ///
  /// Counters of tiers: `larder_requests` by `result` (`hit`, `miss`), `larder_stores` by `result`
  /// (`stored`, `rejected`), `larder_admissions`, `larder_evictions` by `reason` (`capacity`,
  /// `expired`, `pressure`, `trim`), `larder_removals` and `larder_dropped_events`, and of disks
  /// `larder_damages`, `larder_undecodables`, `larder_rebuilds`, `larder_renewals`, and
  /// `larder_io_bytes` by `operation` (`read`, `write`, `move`).
  /// Of a policy that chooses among others (`auto`): counter `larder_policy_switches`, and by
  /// `policy` gauges `larder_policy_leading` and `larder_policy_hit_ratio`.
  /// Counters of loads: `larder_loads` by `result` (`started`, `joined`, `failed`, `cancelled`,
  /// `absent`, `not_modified`, `overtaken`), `larder_refreshes` by `result` (`started`, `failed`),
  /// `larder_stale_answers` by `reason` (`refreshing`, `origin_failed`), `larder_negative_hits`,
  /// and of hybrids `larder_moves` by `to` (`memory`, `disk`). Gauges: `larder_entries`, and
  /// `larder_weight`, the sum of the weights of entries or of the bytes of values on disk.
  /// `docs/adapters.md` defines each.
  ///
  /// The cache is referenced weakly, so that a task that is never cancelled does not keep it alive
  /// and, with a disk, its folder in use.
  ///
  /// ```swift
  /// let metrics = CacheMetrics(cache, name: "articles")
  /// Task { try await metrics.run(every: .seconds(10)) }
  /// ```
  public final class CacheMetrics: Sendable {
    private struct Key: Hashable {
      var label: String
      var dimensions: [String]
    }

    private struct State {
      var counters: [Key: (counter: Counter, total: UInt64)] = [:]
      var gauges: [Key: Meter] = [:]
    }

    private let name: String
    private let factory: any MetricsFactory
    /// True if statistics may be reset.
    private let restarts: Bool
    /// Retains the cache, and returns a function that reads its statistics; nil once the cache is
    /// gone.
    private let hold: @Sendable () -> (() -> [CacheReading])?
    private let state = Mutex(State())
    // A disk cache holds its lock while it waits for the disk.
    private let queue = DispatchQueue(label: "larder.metrics")

    init(
      _ name: String, _ factory: (any MetricsFactory)?, restarts: Bool = false,
      _ hold: @escaping @Sendable () -> (() -> [CacheReading])?
    ) {
      self.name = name
      self.factory = factory ?? MetricsSystem.factory
      self.restarts = restarts
      self.hold = hold
    }

    /// Creates metrics of a memory cache.
    ///
    /// - Parameters:
    ///   - name: The value of the dimension `cache`.
    ///   - factory: Destination of the metrics; nil for the factory that `MetricsSystem` was
    ///     bootstrapped with.
    public convenience init<Key, Value>(
      _ cache: MemoryCache<Key, Value>, name: String, factory: (any MetricsFactory)? = nil
    ) {
      self.init(name, factory, restarts: true) { [weak cache] in
        cache.map { cache in
          {
            CacheReading.all(cache.statistics, tier: "memory")
              + CacheReading.all(cache.loadStatistics)
          }
        }
      }
    }

    /// Creates metrics of a disk cache. Reading its statistics takes its lock, which calls hold
    /// while they wait for the disk.
    public convenience init(
      _ cache: DiskCache, name: String, factory: (any MetricsFactory)? = nil
    ) {
      self.init(name, factory) { [weak cache = cache.blocking] in
        cache.map { cache in { CacheReading.all(cache.statistics, tier: "disk") } }
      }
    }

    /// Creates metrics of both tiers of a hybrid cache and of its fetches.
    public convenience init<Key, Value>(
      _ cache: HybridCache<Key, Value>, name: String, factory: (any MetricsFactory)? = nil
    ) {
      self.init(name, factory) { [weak cache] in
        cache.map { cache in { CacheReading.all(cache.readStatistics()) } }
      }
    }

    /// Reads the statistics once and reports them; does nothing once the cache is gone. O(metrics),
    /// and O(shards) for memory.
    ///
    /// It blocks the calling thread for as long as the cache's locks are held, with a disk possibly
    /// as long as a disk access, and while another thread reports. Tasks use `run(every:)`.
    public func update() { _ = report() }

    /// Calls `update`; returns false once the cache is gone.
    private func report() -> Bool {
      // Retained for longer than `state` is locked: a cache that is destroyed may call its
      // listeners, and they may call `update`.
      guard let read = hold() else { return false }
      defer { withExtendedLifetime(read) {} }
      state.withLock { state in
        // One after the other: totals reported out of order would look like a reset.
        for reading in read() {
          let dimensions = [("cache", name)] + reading.dimensions
          let key = Key(label: reading.label, dimensions: dimensions.map { "\($0)=\($1)" })
          switch reading.value {
          case .total(let total):
            var known =
              state.counters[key]
              ?? (Counter(label: reading.label, dimensions: dimensions, factory: factory), 0)
            // Statistics that were reset start at zero. A disk reverts hits on rows that it could
            // not read, which counters cannot: they wait until the total has caught up.
            let isNew = restarts && total < known.total
            let grown = isNew ? total : total - min(known.total, total)
            known.counter.increment(by: Int64(clamping: grown))
            known.total = isNew ? total : max(known.total, total)
            state.counters[key] = known
          case .level(let level):
            let meter =
              state.gauges[key]
              ?? Meter(label: reading.label, dimensions: dimensions, factory: factory)
            meter.set(level)
            state.gauges[key] = meter
          }
        }
      }
      return true
    }

    /// Reports now and after each `interval`, until the task is cancelled, and then once more; or
    /// until the cache is gone, which the next report detects. Statistics are read on a thread
    /// outside the pool that tasks share.
    ///
    /// - Parameter interval: Time between two reports, at least a millisecond.
    /// - Throws: `CancellationError`, or immediately `CacheMetricsError.interval` if `interval` is
    ///   out of range.
    public func run(every interval: Duration) async throws {
      guard interval >= .milliseconds(1) else {
        throw CacheMetricsError.interval(interval)
      }
      do {
        while await reportInQueue() { try await Task.sleep(bounded: interval) }
      } catch {
        _ = await reportInQueue()
        throw error
      }
    }

    private func reportInQueue() async -> Bool {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: self.report()) }
      }
    }
  }

  /// One number of a cache's statistics, as a metric.
  struct CacheReading {
    enum Value {
      /// A counter that grows until statistics are reset.
      case total(UInt64)
      case level(Double)
    }

    var label: String
    var dimensions: [(String, String)]
    var value: Value

    private static func total(
      _ label: String, _ value: UInt64, _ dimensions: [(String, String)]
    ) -> CacheReading {
      CacheReading(label: label, dimensions: dimensions, value: .total(value))
    }

    private static func level(
      _ label: String, _ value: Double, _ dimensions: [(String, String)]
    ) -> CacheReading {
      CacheReading(label: label, dimensions: dimensions, value: .level(value))
    }

    /// Readings of a tier, `memory` or `disk`. A label with the dimension `tier` has it for every
    /// cache: Prometheus requires the same dimensions for the same label.
    static func all(_ said: TierStatistics, tier name: String) -> [CacheReading] {
      let tier = [("tier", name)]
      var readings = [
        total("larder_requests", said.hits, tier + [("result", "hit")]),
        total("larder_requests", said.misses, tier + [("result", "miss")]),
        total(
          "larder_stores", said.sets - min(said.rejections, said.sets),
          tier + [("result", "stored")]),
        total("larder_stores", said.rejections, tier + [("result", "rejected")]),
        total("larder_admissions", said.admissions, tier),
        total("larder_evictions", said.evictions, tier + [("reason", "capacity")]),
        total("larder_evictions", said.expirations, tier + [("reason", "expired")]),
        total("larder_evictions", said.pressure, tier + [("reason", "pressure")]),
        total("larder_evictions", said.trims, tier + [("reason", "trim")]),
        total("larder_removals", said.removals, tier),
        total("larder_dropped_events", said.droppedEvents, tier),
        level("larder_entries", Double(said.count), tier),
        level("larder_weight", Double(said.weight), tier),
      ]
      readings += all(said.policyChoice, tier: name)
      if name == "memory" { return readings }
      return readings + [
        total("larder_renewals", said.renewals, tier),
        total("larder_damages", said.damages, tier),
        total("larder_undecodables", said.undecodables, tier),
        total("larder_rebuilds", said.rebuilds, tier),
        total("larder_io_bytes", said.bytesRead, tier + [("operation", "read")]),
        total("larder_io_bytes", said.bytesWritten, tier + [("operation", "write")]),
        total("larder_io_bytes", said.bytesMoved, tier + [("operation", "move")]),
      ]
    }

    static func all(_ loads: LoadStatistics) -> [CacheReading] {
      [
        total("larder_loads", loads.started, [("result", "started")]),
        total("larder_loads", loads.joined, [("result", "joined")]),
        total("larder_loads", loads.failed, [("result", "failed")]),
        total("larder_loads", loads.cancelled, [("result", "cancelled")]),
        total("larder_loads", loads.absent, [("result", "absent")]),
        total("larder_loads", loads.notModified, [("result", "not_modified")]),
        total("larder_loads", loads.overtaken, [("result", "overtaken")]),
        total("larder_refreshes", loads.refreshes, [("result", "started")]),
        total("larder_refreshes", loads.failedRefreshes, [("result", "failed")]),
        total("larder_stale_answers", loads.staleWhileRevalidate, [("reason", "refreshing")]),
        total("larder_stale_answers", loads.staleIfError, [("reason", "origin_failed")]),
        total("larder_negative_hits", loads.negativeHits, []),
      ]
    }

    /// Readings of a tier whose policy chooses among others; none for other policies. Every policy
    /// has a gauge, 0 unless it leads: a gauge of the leader alone would stay at 1 after a change.
    static func all(_ choice: PolicyChoice?, tier: String) -> [CacheReading] {
      guard let choice else { return [] }
      let tier = [("tier", tier)]
      let labels = choice.policies.map { tier + [("policy", $0)] }
      return [total("larder_policy_switches", UInt64(choice.switches), tier)]
        + labels.enumerated().map { index, labels in
          level("larder_policy_leading", index == choice.leading ? 1 : 0, labels)
        }
        + zip(choice.hitRatios, labels).map { level("larder_policy_hit_ratio", $0, $1) }
    }

    static func all(_ said: HybridStatistics) -> [CacheReading] {
      all(said.loads) + [
        total("larder_moves", said.promotions, [("to", "memory")]),
        total("larder_moves", said.demotions, [("to", "disk")]),
        total("larder_dropped_events", said.droppedEvents, [("tier", "both")]),
      ] + (said.memory.map { all($0, tier: "memory") } ?? [])
        + (said.disk.map { all($0, tier: "disk") } ?? [])
    }
  }

  /// Error of reporting metrics.
  public enum CacheMetricsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The interval between two reports is out of range.
    case interval(Duration)

    /// The error in one line of text.
    public var description: String {
      switch self {
      case .interval(let interval):
        "cache metrics: interval \(interval) is out of range: expected at least a millisecond"
      }
    }
  }
#endif
