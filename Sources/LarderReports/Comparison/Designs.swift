import LarderEngine
import LarderExperiments
import LarderSupport

/// A comparison of the designs of one trace: presets, caches of other libraries, and configurations
/// with one policy each.
struct Designs {
  /// The lines: a design at a capacity.
  let designs: [Design]
  /// Configurations with a single policy that are shown here instead of one by one.
  let single: [String]

  /// The most lines if configurations with several policies are included.
  private static let linesMax = 24

  /// The designs of each trace that has two or more. If some are presets or caches of other
  /// libraries, all others are listed with them unless they are many.
  static func all(in results: RunResults, _ comparisons: [Comparison]) -> [Designs] {
    var order: [String] = []
    for comparison in comparisons where !order.contains(comparison.trace) {
      order.append(comparison.trace)
    }
    return order.compactMap { trace in
      Designs(comparisons.filter { $0.trace == trace }, results.caches ?? [])
    }
  }

  private init?(_ comparisons: [Comparison], _ facts: [CacheFacts]) {
    let single = comparisons.filter { $0.policies.count == 1 && !$0.competitors.isEmpty }
    let lines = comparisons.reduce(0) { $0 + $1.competitors.count * $1.columns.count }
    let shown = !facts.isEmpty && lines <= Self.linesMax ? comparisons : single
    guard shown.count > 1 else { return nil }
    var designs: [Design] = []
    for comparison in shown {
      let limits = facts.first { $0.configuration == comparison.configuration }?.limits
      for policy in comparison.competitors {
        for column in comparison.columns.indices {
          let records = comparison.records(policy, column)
          if !records.isEmpty { designs.append(Design(records: records, limits: limits)) }
        }
      }
    }
    guard designs.count > 1 else { return nil }
    self.designs = designs
    self.single = single.map(\.configuration)
  }

  /// True if all designs count prefixes of prompts.
  var hasPrefixes: Bool {
    designs.allSatisfy { $0.records.allSatisfy { $0.prefix != nil } }
  }

  /// The quantities that are not 0 everywhere.
  private var columns: [Design.Column] {
    Design.columns(ofPrefixes: hasPrefixes).filter { column in
      designs.contains { (column.value($0) ?? 0) > 0 }
    }
  }

  /// The best value of a column; nil if there is none or most designs share it.
  private func best(_ column: Design.Column) -> Double? {
    let values = designs.compactMap { column.value($0) }
    guard column.better != .none else { return nil }
    let best = column.better == .higher ? values.max() : values.min()
    // A value that most designs share is not marked.
    return values.count { $0 == best } * 2 > values.count ? nil : best
  }

  /// The table, with the best of each column marked.
  var table: Table {
    let columns = columns
    let best = columns.map { self.best($0) }
    var table = Table(titles: ["design", "policy", "capacity"] + columns.map(\.title))
    for design in designs {
      let numbers = zip(columns, best).map { column, best -> Inline in
        guard let value = column.value(design),
          let text = column.cell(value)
        else { return Table.none }
        return value == best ? .strong(text) : .text(text)
      }
      table.rows.append(
        [.text(design.cell.configuration), .code(design.cell.policy), .text(design.capacity)]
          + numbers)
    }
    return table
  }

  /// The best design by each quantity, as one sentence.
  var sentence: [Inline] {
    var parts: [Inline] = []
    for column in columns {
      guard let best = self.best(column) else { continue }
      if !parts.isEmpty { parts.append("; ") }
      var seen: Set<String> = []
      let winners = designs.filter { column.value($0) == best }.map { title($0) }
        .filter { seen.insert($0).inserted }
      parts += Inline.names(winners.map { .strong($0) })
      let verb = winners.count > 1 ? "have" : "has"
      parts.append(.text(" \(verb) \(column.superlative) (\(column.text(best)))"))
    }
    return parts.isEmpty ? ["No design is best in any column."] : parts + ["."]
  }

  /// The distinguishing name of a design: its configuration and what else differs.
  func title(_ design: Design) -> String {
    let same = designs.filter { $0.cell.configuration == design.cell.configuration }
    var title = design.cell.configuration
    if Set(same.map(\.cell.policy)).count > 1 { title = design.cell.cacheName }
    if Set(same.map(\.cell.capacityLabel)).count > 1 {
      title += " at \(design.cell.capacityLabel)"
    }
    return title
  }
}

/// A configuration at one capacity, over all seeds.
struct Design {
  /// The records, one for each seed.
  let records: [Record]
  /// A preset's limits in words.
  let limits: String?
  /// One of the cells, for properties that all share.
  var cell: Cell { records[0].cell }

  struct Column: Sendable {
    let title: String
    /// The best value in words.
    let superlative: String
    /// The end that is marked.
    let better: Better
    /// A value with its unit.
    var text: @Sendable (Double) -> String = { ChartUnit.percent.value($0 / 100) }
    /// A value in a table, whose title has the unit.
    var cell: @Sendable (Double) -> String? = { NumberText.fixed($0, decimals: 2) }
    /// The metric; nil if it does not exist.
    let value: @Sendable (Design) -> Double?
  }

  /// The quantities that distinguish designs; prefix hits first if all count them.
  static func columns(ofPrefixes: Bool) -> [Column] {
    (ofPrefixes ? prefixColumns : [hitRatio]) + otherColumns
  }

  private static let hitRatio = Column(
    title: "hit ratio, %", superlative: "the highest hit ratio", better: .higher
  ) { design in
    design.mean { $0.counts.freshHitRatio.map { $0 * 100 } }
  }

  private static let prefixColumns = [
    Column(
      title: "prefix hit ratio, %", superlative: "the highest prefix hit ratio", better: .higher
    ) { design in
      design.mean { $0.prefixHitRatio.map { $0 * 100 } }
    },
    Column(
      title: "tokens not computed, %", superlative: "the most tokens not computed", better: .higher
    ) { design in
      design.mean { $0.prefix?.tokenShare.map { $0 * 100 } }
    },
    Column(title: "block hit ratio, %", superlative: "", better: .none) { design in
      design.mean { $0.counts.hitRatio.map { $0 * 100 } }
    },
  ]

  private static let otherColumns = [
    Column(title: "in memory, %", superlative: "", better: .none) { design in
      design.cell.kind == .hybrid ? design.share { $0.memoryHits } : nil
    },
    Column(title: "on disk, %", superlative: "", better: .none) { design in
      design.cell.kind == .hybrid ? design.share { $0.diskHits } : nil
    },
    Column(
      title: "byte hit ratio, %", superlative: "the highest byte hit ratio", better: .higher
    ) { design in
      design.cell.unit == .bytes ? design.mean { $0.counts.byteHitRatio.map { $0 * 100 } } : nil
    },
    Column(
      title: "stale, %", superlative: "the smallest share of stale hits", better: .lower
    ) { design in
      design.share { $0.staleHits }
    },
    Column(
      title: "mean access, modelled",
      superlative: "the shortest modelled (not measured) mean access", better: .lower,
      text: { ChartUnit.nanoseconds.value($0) }, cell: { ChartUnit.nanoseconds.value($0) },
      value: { $0.mean(Metric.accessTime.value) }),
  ]

  /// The capacity; that of each tier for two tiers.
  var capacity: String {
    if let limits { return limits }
    let bytes = cell.unit == .bytes
    let own = NumberText.capacity(cell.capacity, bytes: bytes)
    return cell.memoryCapacity.map { "\(NumberText.capacity($0, bytes: bytes)) before \(own)" }
      ?? own
  }

  /// The mean of a metric over the seeds; nil if one does not have it.
  func mean(_ value: (Record) -> Double?) -> Double? {
    let values = records.compactMap(value)
    return values.count == records.count ? Spread(values)?.mean : nil
  }

  /// A share of the requests in per cent.
  func share(_ value: (Counts) -> UInt64) -> Double? {
    mean { record in
      record.counts.requests == 0
        ? nil : Double(value(record.counts)) / Double(record.counts.requests) * 100
    }
  }
}

extension Designs {
  /// The hits of each design by tier, the most first; nil if there are too many designs.
  func chart(_ name: String, _ styles: PolicyStyles) -> ChartFigure? {
    let metric: Metric = hasPrefixes ? .prefixHitRatio : .hitRatio
    // Prefix hits are not counted by tier.
    let hasDisk = !hasPrefixes && designs.contains { ($0.share { $0.diskHits } ?? 0) > 0 }
    let rows = designs.compactMap { design -> (key: Double, row: RowChart.Row)? in
      guard let ratio = design.mean(metric.value) else { return nil }
      let disk = hasDisk ? (design.share { $0.diskHits } ?? 0) / 100 : 0
      let parts: [RowChart.Mark] =
        hasDisk
        ? [
          .init(ratio - disk, label: "\(ChartUnit.percent.value(ratio - disk)) in memory"),
          .init(disk, label: "\(ChartUnit.percent.value(disk)) on disk"),
        ] : [.init(ratio, label: ChartUnit.percent.value(ratio))]
      let row = RowChart.Row(
        name: title(design), series: design.cell.policy, style: styles[design.cell.policy],
        content: .bar(parts), value: ChartUnit.percent.value(ratio))
      return (-ratio, row)
    }
    return RowChart.ranked(
      [name, "hits"], title: "\(hasDisk ? "Hits by tier" : "Hits"): \(name)",
      axis: ChartAxis(title: metric.title, unit: .percent),
      parts: hasDisk ? ["in memory", "on disk"] : [], rows
    ) { first, last in
      "\(first.name) has the highest \(metric.name) (\(first.value)), \(last.name) the lowest "
        + "(\(last.value))."
    }
  }
}
