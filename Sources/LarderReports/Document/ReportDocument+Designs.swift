import LarderExperiments

extension ReportDocument {
  /// Presets, caches of others and configurations with one policy each are designs: they are
  /// compared with each other, and what they are is told. Nothing where there are none.
  static func designs(_ results: RunResults, _ comparisons: [Comparison]) -> [Block] {
    let facts = (results.caches ?? []).map { facts -> [Inline] in
      let what = facts.preset.map { "preset \($0)" } ?? "cache \(facts.cache)"
      let isNamed = facts.configuration == facts.preset ?? facts.cache
      return [
        .strong(facts.configuration), .text("\(isNamed ? "" : ", \(what)"): \(facts.summary)"),
      ]
    }
    let tables = traces(of: comparisons).compactMap { comparisons in
      table(of: beside(comparisons, hasForeign: !facts.isEmpty))
    }
    guard !facts.isEmpty || !tables.isEmpty else { return [] }
    var blocks: [Block] = [.heading(2, ["Designs side by side"])]
    if !facts.isEmpty { blocks.append(.list(facts)) }
    return blocks + tables.map { .table($0) }
  }

  /// The most lines of a table of designs that also has configurations with several policies.
  private static let designsMax = 24

  /// The comparisons of each trace.
  private static func traces(of comparisons: [Comparison]) -> [[Comparison]] {
    var order: [String] = []
    for comparison in comparisons where !order.contains(comparison.trace) {
      order.append(comparison.trace)
    }
    return order.map { trace in comparisons.filter { $0.trace == trace } }
  }

  /// Those that stand side by side: all, if there are designs among them and few lines; else those
  /// in which a single policy competes.
  private static func beside(_ comparisons: [Comparison], hasForeign: Bool) -> [Comparison] {
    let lines = comparisons.reduce(0) { $0 + $1.competitors.count * $1.columns.count }
    if hasForeign, lines <= designsMax { return comparisons }
    return comparisons.filter { $0.competitors.count == 1 }
  }

  /// A line a configuration and capacity; nil where there is nothing to compare.
  private static func table(of comparisons: [Comparison]) -> Table? {
    guard comparisons.count > 1 else { return nil }
    var designs: [Design] = []
    for comparison in comparisons {
      for policy in comparison.competitors {
        for column in comparison.columns.indices {
          let records = comparison.records(policy, column)
          if !records.isEmpty { designs.append(Design(records: records)) }
        }
      }
    }
    // A quantity that is nowhere more than nothing tells nothing apart.
    let columns = Design.columns.filter { column in
      designs.contains { (column.value($0) ?? 0) > 0 }
    }
    let best = columns.map { column -> Double? in
      guard let sign = column.better else { return nil }
      let values = designs.compactMap { column.value($0) }
      guard Set(values).count > 1 else { return nil }
      return sign == .higher ? values.max() : values.min()
    }
    var table = Table(titles: ["design", "policy", "capacity"] + columns.map(\.title))
    for design in designs {
      let numbers = zip(columns, best).map { column, best -> Inline in
        guard let value = column.value(design),
          let text = NumberText.fixed(value, decimals: column.decimals)
        else { return Table.none }
        return value == best ? .strong(text) : .text(text)
      }
      table.rows.append(
        [.text(design.cell.configuration), .code(design.cell.policy), .text(design.capacity)]
          + numbers)
    }
    return table
  }
}
