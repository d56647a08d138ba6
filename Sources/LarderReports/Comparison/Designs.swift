import LarderSimulation

/// Presets, caches of others, and configurations with one policy each are designs: those of one
/// trace are compared with each other.
struct Designs {
  /// The lines: a design at a capacity.
  let designs: [Design]
  /// Configurations that have a single policy and are told here instead of one by one.
  let single: [String]

  /// The most lines where configurations with several policies are among them.
  private static let linesMax = 24

  /// The designs of each trace that has two or more; where some are no configurations of Larder's
  /// own, all others stand beside them unless they are many.
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

  /// True where prefixes of prompts are counted in all designs.
  var hasPrefixes: Bool {
    designs.allSatisfy { $0.records.allSatisfy { $0.prefix != nil } }
  }

  /// The quantities that are more than nothing somewhere.
  private var columns: [Design.Column] {
    Design.columns(ofPrefixes: hasPrefixes).filter { column in
      designs.contains { (column.value($0) ?? 0) > 0 }
    }
  }

  /// The best value of a column; nil where none is, or most have it.
  private func best(_ column: Design.Column) -> Double? {
    let values = designs.compactMap { column.value($0) }
    guard column.better != .none else { return nil }
    let best = column.better == .higher ? values.max() : values.min()
    // What most designs share is nobody's merit.
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

  /// Who is best in what, as one sentence.
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
    return parts.isEmpty ? ["No design leads."] : parts + ["."]
  }

  /// What tells a design from the others: its configuration and what else differs.
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
