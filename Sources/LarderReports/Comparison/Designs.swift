import LarderEngine
import LarderExperiments
import LarderSupport

/// A comparison of the designs of one trace: presets, caches of other libraries, and configurations
/// with one policy each.
struct Designs {
  let designs: [Design]
  /// Configurations with a single policy that are shown here instead of one by one.
  let single: [String]

  private static let linesMax = 24

  /// The designs of each trace that has two or more. If some are presets or caches of other
  /// libraries, all others are listed with them unless they are many.
  static func all(in results: RunResults, _ comparisons: [Comparison]) -> [Designs] {
    comparisons.grouped(by: \.trace).compactMap { Designs($0.elements, results.caches ?? []) }
  }

  private init?(_ comparisons: [Comparison], _ facts: [CacheFacts]) {
    let single = comparisons.filter { $0.policies.count == 1 && !$0.competitors.isEmpty }
    let lines = comparisons.reduce(0) { $0 + $1.competitors.count * $1.columns.count }
    let shown = !facts.isEmpty && lines <= Self.linesMax ? comparisons : single
    guard shown.count > 1 else { return nil }
    designs = shown.flatMap { comparison in
      let limits = facts.first { $0.configuration == comparison.configuration }?.limits
      return comparison.competitors.flatMap { policy in
        comparison.columns.indices.map { comparison.records(policy, $0) }
      }.filter { !$0.isEmpty }.map { Design(records: $0, limits: limits) }
    }
    self.single = single.map(\.configuration)
    if designs.count < 2 { return nil }
  }

  private var hasPrefixes: Bool {
    designs.allSatisfy { $0.records.allSatisfy { $0.prefix != nil } }
  }

  /// The quantities that are not 0 everywhere.
  private var metrics: [Metric] {
    func tier(_ name: String, _ part: @escaping @Sendable (Counts) -> UInt64) -> Metric {
      Metric(name, better: .none) { $0.cell.kind == .hybrid ? $0.share(part) : nil }
    }
    let hits: [Metric] =
      hasPrefixes ? [.prefixHitRatio, .prefixTokens, .blockHitRatio] : [.hitRatio]
    let others: [Metric] = [
      tier("in memory") { $0.memoryHits }, tier("on disk") { $0.diskHits }, .byteHitRatio,
      .share("stale hits", .lower) { $0.staleHits }, .accessTime,
    ]
    return (hits + others).filter { metric in designs.contains { ($0.mean(metric) ?? 0) > 0 } }
  }

  /// The best value of a metric; nil if there is none or most designs share it.
  private func best(_ metric: Metric) -> Double? {
    let values = designs.compactMap { $0.mean(metric) }
    guard metric.better != .none, let best = values.sorted(byKey: metric.key).first else {
      return nil
    }
    return values.count { $0 == best } * 2 > values.count ? nil : best
  }

  var table: Table {
    let columns = metrics.map { metric in
      let best = best(metric)
      let title = metric.unit == .percent ? "\(metric.title), %" : "mean access, modelled"
      return Column<Design>(title) { design in
        guard let value = design.mean(metric), let text = metric.cell(value) else {
          return Table.none
        }
        return value == best ? .strong(text) : .text(text)
      }
    }
    return Table(
      designs,
      [
        .init("design") { .text($0.cell.configuration) }, .init("policy") { .code($0.cell.policy) },
        .init("capacity") { .text($0.capacity) },
      ] + columns)
  }

  var sentence: Line {
    let parts = metrics.compactMap { metric -> Line? in
      guard let best = best(metric) else { return nil }
      let winners = designs.filter { $0.mean(metric) == best }.map(title).distinct
      let end = metric.better == .higher ? "highest" : "lowest"
      return """
        \(Line.names(winners.map { .strong($0) })) \(winners.count > 1 ? "have" : "has") the \
        \(end) \(metric.name) (\(metric.unit.value(best)))
        """
    }
    return parts.isEmpty ? "No design is best in any column." : parts.joined("; ") + "."
  }

  /// The distinguishing name of a design: its configuration and what else differs.
  func title(_ design: Design) -> String {
    let same = designs.filter { $0.cell.configuration == design.cell.configuration }
    let hasPolicies = Set(same.map(\.cell.policy)).count > 1
    let title = hasPolicies ? design.cell.cacheName : design.cell.configuration
    return Set(same.map(\.cell.capacityLabel)).count > 1
      ? "\(title) at \(design.cell.capacityLabel)" : title
  }

  /// The hits of each design by tier, the most first; nil if there are too many designs.
  func chart(_ name: String, _ styles: PolicyStyles) -> ChartFigure? {
    let metric: Metric = hasPrefixes ? .prefixHitRatio : .hitRatio
    let onDisk = Metric.share("on disk") { $0.diskHits }
    // Prefix hits are not counted by tier.
    let hasDisk = !hasPrefixes && designs.contains { ($0.mean(onDisk) ?? 0) > 0 }
    let rows = designs.compactMap { design -> (key: Double, row: RowChart.Row)? in
      guard let ratio = design.mean(metric) else { return nil }
      let disk = hasDisk ? design.mean(onDisk) ?? 0 : 0
      let row = RowChart.Row.bar(
        title(design), design.cell.policy, styles,
        hasDisk ? [(ratio - disk, "in memory"), (disk, "on disk")] : [(ratio, metric.name)],
        value: ChartUnit.percent.value(ratio))
      return (-ratio, row)
    }
    let sorted = rows.sorted(byKey: \.key).map(\.row)
    guard sorted.count > 1, sorted.count <= RowChart.rowsMax else { return nil }
    let (first, last) = (sorted[0], sorted[sorted.count - 1])
    return ChartFigure(
      [name, "hits"],
      RowChart(
        title: "\(hasDisk ? "Hits by tier" : "Hits"): \(name)",
        caption: "\(first.name) has the highest \(metric.name) (\(first.value)), \(last.name) the "
          + "lowest (\(last.value)).",
        axis: ChartAxis(title: metric.title, unit: .percent),
        groups: [RowChart.Group(rows: sorted)], parts: hasDisk ? ["in memory", "on disk"] : []))
  }
}

/// A configuration at one capacity, over all seeds.
struct Design {
  let records: [Record]
  let limits: String?
  var cell: Cell { records[0].cell }

  var capacity: String {
    if let limits { return limits }
    let capacities = [cell.memoryCapacity, cell.capacity].compactMap { $0 }
    return capacities.map { NumberText.capacity($0, bytes: cell.unit == .bytes) }
      .joined(separator: " before ")
  }

  func mean(_ metric: Metric) -> Double? { Spread(records, of: metric.value)?.mean }
}
