import LarderExperiments

extension ReportDocument {
  /// Configurations that have one policy each are designs: they are compared with each other, and
  /// what they are is told. Nothing where there are no two of them and nothing to tell.
  static func designs(_ results: RunResults, _ comparisons: [Comparison]) -> [Block] {
    let facts = (results.caches ?? []).map { facts -> [Inline] in
      let what = facts.preset.map { "preset \($0)" } ?? "cache \(facts.cache)"
      let isNamed = facts.configuration == facts.preset ?? facts.cache
      return [
        .strong(facts.configuration), .text("\(isNamed ? "" : ", \(what)"): \(facts.summary)"),
      ]
    }
    let tables = traces(of: comparisons).compactMap { table(of: $0) }
    guard !facts.isEmpty || !tables.isEmpty else { return [] }
    var blocks: [Block] = [.heading(2, ["Designs side by side"])]
    if !facts.isEmpty { blocks.append(.list(facts)) }
    return blocks + tables.map { .table($0) }
  }

  /// The comparisons of each trace in which a single policy competes.
  private static func traces(of comparisons: [Comparison]) -> [[Comparison]] {
    let single = comparisons.filter { $0.competitors.count == 1 }
    var order: [String] = []
    for comparison in single where !order.contains(comparison.trace) {
      order.append(comparison.trace)
    }
    return order.map { trace in single.filter { $0.trace == trace } }
  }

  /// A line a configuration and capacity; nil where there is nothing to compare.
  private static func table(of comparisons: [Comparison]) -> Table? {
    guard comparisons.count > 1 else { return nil }
    var designs: [Design] = []
    for comparison in comparisons {
      for column in comparison.columns.indices {
        for policy in comparison.competitors {
          let records = comparison.records(policy, column)
          if !records.isEmpty { designs.append(Design(records: records)) }
        }
      }
    }
    let columns = Design.columns.filter { column in designs.contains { column.value($0) != nil } }
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
