import LarderSimulation
import LarderSystem
import LarderWorkloads

extension ReportDocument {
  /// What real caches did; nothing when none was driven.
  static func executed(
    _ results: RunResults, _ styles: PolicyStyles, severalTraces: Bool
  ) -> [Block] {
    let rows = ExecutedRow.all(in: results.records)
    guard let conditions = results.execution else { return [] }
    let conditionBlocks: [Block] = [
      .heading(3, ["Conditions"]), .list(Self.conditions(conditions).map { [.text($0)] }),
    ]
    guard !rows.isEmpty else {
      return [.paragraph(["No executed run is complete."])] + conditionBlocks
    }
    var blocks: [Block] = [
      .heading(3, ["Findings"]), .list(ExecutedFindings(results.records).sentences),
    ]
    for kind in ConfigurationKind.allCases {
      for group in groups(rows.filter { $0.cell.kind == kind }) {
        let place = severalTraces ? "\(kind.rawValue), \(group[0].cell.trace)" : kind.rawValue
        let charts = ExecutedCharts(rows: group, place: place, styles: styles)
        blocks += tables(ExecutedTables(rows: group), charts, kind: kind)
      }
    }
    return blocks + conditionBlocks
  }

  /// The rows of each trace.
  private static func groups(_ rows: [ExecutedRow]) -> [[ExecutedRow]] {
    var order: [String] = []
    for row in rows where !order.contains(row.cell.trace) { order.append(row.cell.trace) }
    return order.map { trace in rows.filter { $0.cell.trace == trace } }
  }

  private static func tables(
    _ tables: ExecutedTables, _ charts: ExecutedCharts, kind: ConfigurationKind
  ) -> [Block] {
    let place = charts.place
    func part(_ title: String, _ figure: ChartFigure?, _ table: Table) -> [Block] {
      [.heading(3, [.text("\(title): \(place)")])]
        + (figure.map { [.chart($0)] } ?? []) + [.table(table)]
    }
    var blocks = part("Throughput and memory", charts.throughput, tables.throughput)
    if let gets = tables.gets { blocks += part("Latency of gets", charts.gets, gets) }
    if let kinds = tables.kinds {
      blocks += part("Latency by outcome", charts.kinds, kinds)
    }
    if kind != .memory {
      blocks += [.heading(3, [.text("Disk: \(place)")]), .table(tables.disk)]
    }
    return blocks
  }

  private static func conditions(_ conditions: ExecutionConditions) -> [String] {
    let threads = conditions.threads.map { "\($0)" }.joined(separator: ", ")
    var lines = [
      "Threads: \(threads), in separate runs, one cell at a time with nothing else running; "
        + "\(NumberText.counted(conditions.repetitions, "run")) each.",
      "Load: \(conditions.load).",
      "Origin: \(conditions.origin).",
      "Checked: \(conditions.verification).",
      "Throughput covers the whole run, including generating and verifying values; latency covers "
        + "the cache's calls only.",
    ]
    if let memory = conditions.memory { lines.append("Memory: \(memory).") }
    if let durability = conditions.durability {
      lines += ["Durability of the disk: \(durability).", "Page cache: \(conditions.pageCache)."]
    }
    if let pressure = conditions.pressure { lines.append("Memory pressure: \(pressure).") }
    return lines
  }
}
