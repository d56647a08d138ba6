import LarderEngine

/// A comparison of the counts of two runs.
package struct CountsComparison: Sendable, Hashable {
  /// Cells of both runs that changed, in order.
  package var changes: [CellChange]
  /// Cells that only the later run has, in order.
  package var new: [CheckedCell]
  /// Cells that only the earlier run has, in order.
  package var missing: [CheckedCell]
  /// The number of cells that both have.
  package var compared: Int
  /// True if every change fails a check, and not only a loss.
  package var isExact: Bool

  /// Compares two runs by the names of their cells; of duplicates the first counts. O(n log n).
  package init(
    from before: [CheckedCell], to after: [CheckedCell],
    tolerances: [CheckTolerance: Share] = [:], exact: Bool = false
  ) {
    isExact = exact
    let old = Dictionary(before.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let new = Dictionary(after.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.new = new.values.filter { old[$0.name] == nil }.sorted()
    missing = old.values.filter { new[$0.name] == nil }.sorted()
    let pairs = new.values.sorted().compactMap { cell in old[cell.name].map { ($0, cell) } }
    compared = pairs.count
    changes = pairs.compactMap { CellChange(from: $0, to: $1, tolerances: tolerances) }
  }

  /// The changes of one kind.
  package func changes(_ kind: CellChange.Kind) -> [CellChange] {
    changes.filter { $0.kind == kind }
  }

  /// The changes that fail a check.
  package var failing: [CellChange] { changes.filter(fails) }

  /// True if a change fails a check.
  package func fails(_ change: CellChange) -> Bool {
    change.kind == .worse || isExact && change.kind != .tolerated
  }

  /// True if the runs are equal.
  package var isEmpty: Bool { changes.isEmpty && new.isEmpty && missing.isEmpty }
}

/// The changes in one cell.
package struct CellChange: Sendable, Hashable {
  package var before: CheckedCell
  package var after: CheckedCell
  /// The counts that changed, in the order of `CheckMetric`.
  package var metrics: [MetricChange]

  /// The rating of a change.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// At least one count got worse.
    case worse
    /// At least one count got better, and none worse.
    case better
    /// A change that is neither better nor worse.
    case different
    /// A change within the tolerance of the workload file.
    case tolerated
  }

  /// One count that changed.
  package struct MetricChange: Sendable, Hashable {
    package var metric: CheckMetric
    /// The earlier value; nil if the cell did not have it.
    package var before: UInt64?
    /// The later value; nil if the cell does not have it.
    package var after: UInt64?
    package var kind: Kind
  }

  /// Compares a cell with its earlier counts; nil if nothing changed.
  package init?(
    from before: CheckedCell, to after: CheckedCell,
    tolerances: [CheckTolerance: Share] = [:]
  ) {
    self.before = before
    self.after = after
    metrics = CheckMetric.allCases.compactMap { metric in
      Self.change(of: metric, from: before, to: after, tolerances)
    }
    if metrics.isEmpty, before.size == after.size, before.unit == after.unit { return nil }
  }

  /// Worse if any count is, because a gain elsewhere does not make up for a loss; else better if
  /// any is.
  package var kind: Kind {
    let kinds = Set(metrics.map(\.kind))
    if kinds.contains(.worse) { return .worse }
    if kinds.contains(.better) { return .better }
    let isTolerated = before.size == after.size && before.unit == after.unit
    return kinds == [.tolerated] && isTolerated ? .tolerated : .different
  }

  private static func change(
    of metric: CheckMetric, from before: CheckedCell, to after: CheckedCell,
    _ tolerances: [CheckTolerance: Share]
  ) -> MetricChange? {
    let (old, new) = (before.counts[metric], after.counts[metric])
    guard old != new else { return nil }
    var change = MetricChange(metric: metric, before: old, after: new, kind: .different)
    guard let old, let new else { return change }
    if let tolerance = metric.tolerance.flatMap({ tolerances[$0] }) {
      let isTolerated =
        if let whole = metric.whole {
          Self.isWithin(
            tolerance, old, of: before.counts[whole] ?? 0, new, of: after.counts[whole] ?? 0)
        } else {
          Self.product(max(old, new) - min(old, new), tolerance.whole)
            <= Self.product(old, tolerance.parts)
        }
      if isTolerated { change.kind = .tolerated }
    }
    guard change.kind == .different else { return change }
    // The trace changed: more hits of more requests are not better.
    if let whole = metric.whole, before.counts[whole] != after.counts[whole] { return change }
    // If prefixes are counted, only their hits save work.
    if metric == .hits, before.counts[.prefixHits] != nil, after.counts[.prefixHits] != nil {
      return change
    }
    switch metric.direction {
    case .higher: change.kind = new > old ? .better : .worse
    case .lower: change.kind = new < old ? .better : .worse
    case .neither: break
    }
    return change
  }

  /// True if two ratios differ by no more than the tolerance. Exact unless a product exceeds 128
  /// bits, which needs a trace of exabytes.
  private static func isWithin(
    _ tolerance: Share, _ part: UInt64, of whole: UInt64, _ newPart: UInt64, of newWhole: UInt64
  ) -> Bool {
    guard whole > 0, newWhole > 0 else { return false }
    if whole == newWhole {
      return product(max(part, newPart) - min(part, newPart), tolerance.whole)
        <= product(whole, tolerance.parts)
    }
    let (left, right) = (product(part, newWhole), product(newPart, whole))
    let (scaled, overflowed) = (max(left, right) - min(left, right))
      .multipliedReportingOverflow(by: UInt128(tolerance.whole))
    let (allowed, overflows) = product(whole, newWhole)
      .multipliedReportingOverflow(by: UInt128(tolerance.parts))
    guard !overflowed, !overflows else {
      let difference = Double(part) / Double(whole) - Double(newPart) / Double(newWhole)
      return difference.magnitude <= tolerance.ratio
    }
    return scaled <= allowed
  }

  private static func product(_ left: UInt64, _ right: UInt64) -> UInt128 {
    UInt128(left) * UInt128(right)
  }
}

/// The counts of one cell in a check.
package struct CheckedCell: Sendable, Hashable {
  package var name: CellName
  /// The capacity in `unit`.
  package var size: UInt64
  package var unit: CapacityUnit
  /// The counts, without those that the cell does not have.
  package var counts: [CheckMetric: UInt64]
}

extension CheckedCell {
  /// The counts of a record. A cell that was executed and not simulated has the counts of its run
  /// in one thread, which are a function of the cell like those of a simulation.
  package init(_ record: Record, amongTraces: Bool) {
    var counts: [CheckMetric: UInt64] = [:]
    for metric in CheckMetric.allCases { counts[metric] = metric.value(in: record) }
    self.init(
      name: CellName(record.cell, amongTraces: amongTraces), size: record.cell.capacity,
      unit: record.cell.unit, counts: counts)
  }
}

extension CheckedCell: Comparable {
  /// Orders by trace, configuration, policy, capacity and seed: equal in every run and on every
  /// machine.
  package static func < (left: CheckedCell, right: CheckedCell) -> Bool {
    let (a, b) = (left.name, right.name)
    let (one, other) = (
      (a.trace ?? "", a.configuration, a.policy), (b.trace ?? "", b.configuration, b.policy)
    )
    return one == other
      ? (left.size, a.capacity, a.seed) < (right.size, b.capacity, b.seed) : one < other
  }
}

/// The name of a cell in comparisons of runs, as written in the workload file: it stays the same if
/// the trace, and with it the number of objects of `1%`, changes.
package struct CellName: Sendable, Hashable, Codable {
  /// The trace; nil if the workload has only one.
  package var trace: String?
  /// The name of the configuration.
  package var configuration: String
  /// The policy; both policies for a hybrid.
  package var policy: String
  /// The capacity as written.
  package var capacity: String
  package var seed: UInt64
}

extension CellName {
  /// The name of a cell; includes the trace if `amongTraces` is true, that is, the workload has
  /// several.
  package init(_ cell: Cell, amongTraces: Bool) {
    self.init(
      trace: amongTraces ? cell.trace : nil, configuration: cell.configuration, policy: cell.policy,
      capacity: cell.capacityLabel, seed: cell.seed)
  }
}

extension CellName: CustomStringConvertible {
  /// `memory/lru/1%`, `memory/lru/1%@7` for a seed other than 1, and `web: memory/lru/1%` for one
  /// of several traces.
  package var description: String {
    (trace.map { "\($0): " } ?? "") + "\(configuration)/\(policy)/\(capacity)"
      + (seed == 1 ? "" : "@\(seed)")
  }
}

/// A count that a check compares, named after its column in `counts.csv`, without units of time.
package enum CheckMetric: String, Sendable, Hashable, CaseIterable {
  case requests, hits
  case memoryHits = "memory_hits"
  case diskHits = "disk_hits"
  case bytesRequested = "bytes_requested"
  case bytesHit = "bytes_hit"
  case staleHits = "stale_hits"
  case admissions, rejections, evictions, expirations, sets, deletes, promotions, demotions
  case memoryEvictions = "memory_evictions"
  case diskEvictions = "disk_evictions"
  case diskWrites = "disk_writes"
  case diskBytesWritten = "disk_bytes_written"
  case delayedHits = "delayed_hits"
  case originFetches = "origin_fetches"
  case totalLatency = "total_latency"
  case maxInFlight = "max_in_flight"
  case p50Latency = "p50_latency"
  case p90Latency = "p90_latency"
  case p99Latency = "p99_latency"
  case prefixHits = "prefix_hits"
  case prefixTokens = "prefix_tokens"

  /// The better end of a count.
  enum Direction {
    case higher, lower, neither
  }

  var direction: Direction {
    switch self {
    case .hits, .bytesHit, .prefixHits, .prefixTokens: .higher
    case .staleHits, .diskWrites, .diskBytesWritten, .originFetches, .totalLatency: .lower
    default: .neither
    }
  }

  /// The tolerance that applies; nil for counts that depend on the trace and not on the cache.
  var tolerance: CheckTolerance? {
    switch self {
    case .requests, .bytesRequested, .sets, .deletes: nil
    case .hits, .memoryHits, .diskHits, .prefixHits, .prefixTokens: .hitRatio
    case .bytesHit: .byteHitRatio
    default: CheckTolerance(rawValue: rawValue)
    }
  }

  /// The count that this one is a part of, if its tolerance is a difference of ratios.
  package var whole: CheckMetric? {
    switch self {
    case .hits, .memoryHits, .diskHits, .prefixHits: .requests
    case .bytesHit: .bytesRequested
    default: nil
    }
  }

  /// The count in a record; nil if the cell does not have it.
  func value(in record: Record) -> UInt64? {
    let counts = record.counts
    let hasMemory = record.cell.kind != .disk
    let hasDisk = record.cell.kind != .memory
    let isHybrid = hasMemory && hasDisk
    switch self {
    case .requests: return counts.requests
    case .hits: return counts.hits
    case .memoryHits: return isHybrid ? counts.memoryHits : nil
    case .diskHits: return isHybrid ? counts.diskHits : nil
    case .bytesRequested: return record.cell.unit == .bytes ? counts.bytesRequested : nil
    case .bytesHit: return record.cell.unit == .bytes ? counts.bytesHit : nil
    case .staleHits: return counts.staleHits
    case .sets: return counts.sets
    case .deletes: return counts.deletes
    case .admissions: return record.tierCounts(\.admissions)
    case .rejections: return record.tierCounts(\.rejections)
    case .evictions: return record.tierCounts(\.evictions)
    case .expirations: return record.tierCounts(\.expirations)
    case .promotions: return isHybrid ? record.tierCounts(\.promotions) : nil
    case .demotions: return isHybrid ? record.tierCounts(\.demotions) : nil
    case .memoryEvictions: return isHybrid ? record.tierCounts(\.memory.evictions) : nil
    case .diskEvictions: return isHybrid ? record.tierCounts(\.disk.evictions) : nil
    case .diskWrites: return hasDisk ? record.tierCounts(\.disk.admissions) : nil
    case .diskBytesWritten: return hasDisk ? record.tierCounts(\.disk.bytesWritten) : nil
    case .delayedHits: return counts.time?.delayedHits
    case .originFetches: return counts.time?.originFetches
    case .totalLatency: return counts.time?.totalLatency
    case .maxInFlight: return counts.time?.maxInFlight
    case .p50Latency: return counts.time?.p50Latency
    case .p90Latency: return counts.time?.p90Latency
    case .p99Latency: return counts.time?.p99Latency
    case .prefixHits: return record.prefix?.hits
    case .prefixTokens: return record.prefix?.tokens
    }
  }
}
