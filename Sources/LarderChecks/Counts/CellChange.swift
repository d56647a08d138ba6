import LarderEngine
import LarderWorkloads

/// What changed in one cell.
package struct CellChange: Sendable, Hashable {
  /// The cell as it was.
  package var before: CheckedCell
  /// The cell as it is.
  package var after: CheckedCell
  /// The counts that changed, in the order of `CheckMetric`.
  package var metrics: [MetricChange]

  /// How a change is judged.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Something that has a better end went away from it.
    case worse
    /// Something went towards its better end, and nothing away.
    case better
    /// Changed, and neither.
    case different
    /// Changed by no more than the workload file allows.
    case tolerated
  }

  /// One count that changed.
  package struct MetricChange: Sendable, Hashable {
    /// Which.
    package var metric: CheckMetric
    /// What it was; nil where the cell had none.
    package var before: UInt64?
    /// What it is; nil where the cell has none.
    package var after: UInt64?
    /// How it is judged.
    package var kind: Kind

    /// A change; see the properties for the meaning of each part.
    package init(metric: CheckMetric, before: UInt64?, after: UInt64?, kind: Kind) {
      self.metric = metric
      self.before = before
      self.after = after
      self.kind = kind
    }
  }

  /// Compares a cell with itself as it was; nil where nothing changed.
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

  /// Worse where any count is, for a loss is not made good by a gain elsewhere; else better where
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
    // Baselines of earlier versions do not have these counts.
    let isAdded = old == nil && [.prefixHits, .prefixTokens].contains(metric)
    guard old != new, !isAdded else { return nil }
    var change = MetricChange(metric: metric, before: old, after: new, kind: .different)
    guard let old, let new else { return change }
    if let tolerance = metric.tolerance.flatMap({ tolerances[$0] }) {
      let isTolerated =
        if let whole = metric.whole {
          Self.isWithin(
            tolerance, old, of: before.counts[whole] ?? 0, new, of: after.counts[whole] ?? 0)
        } else {
          Self.product(max(old, new) - min(old, new), 1_000_000_000)
            <= Self.product(old, tolerance.billionths)
        }
      if isTolerated { change.kind = .tolerated }
    }
    guard change.kind == .different else { return change }
    // Another trace: more hits of more requests are not better.
    if let whole = metric.whole, before.counts[whole] != after.counts[whole] { return change }
    // Where prefixes are counted, only their hits spare work.
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

  /// Whether two ratios differ by no more than the tolerance: exact, unless a product exceeds 128
  /// bits, which needs a trace of exabytes.
  private static func isWithin(
    _ tolerance: Share, _ part: UInt64, of whole: UInt64, _ newPart: UInt64, of newWhole: UInt64
  ) -> Bool {
    guard whole > 0, newWhole > 0 else { return false }
    if whole == newWhole {
      return product(max(part, newPart) - min(part, newPart), 1_000_000_000)
        <= product(whole, tolerance.billionths)
    }
    let (left, right) = (product(part, newWhole), product(newPart, whole))
    let (scaled, overflowed) = (max(left, right) - min(left, right))
      .multipliedReportingOverflow(by: 1_000_000_000)
    let (allowed, overflows) = product(whole, newWhole)
      .multipliedReportingOverflow(by: UInt128(tolerance.billionths))
    guard !overflowed, !overflows else {
      let difference = Double(part) / Double(whole) - Double(newPart) / Double(newWhole)
      return difference.magnitude <= Double(tolerance.billionths) / 1e9
    }
    return scaled <= allowed
  }

  private static func product(_ left: UInt64, _ right: UInt64) -> UInt128 {
    UInt128(left) * UInt128(right)
  }
}
