import LarderExperiments
import LarderSupport

/// The report for a person, as blocks that every markup renders.
///
/// The recommendation comes first, with the one chart that it rests on. Everything else is folded:
/// the comparison of designs, each configuration, real caches, the speed of the simulation, and the
/// commands that repeat the run.
struct ReportDocument {
  let head: [Block]
  let boxes: [Block]
  let answer: [Block]
  let front: [Block]
  let details: [Block]
  let styles: PolicyStyles

  var blocks: [Block] { head + answer + front + details }

  var figures: [ChartFigure] { blocks.figures }

  init(_ results: RunResults) {
    let comparisons = Comparison.all(in: results.records)
    let styles = PolicyStyles(comparisons.flatMap { $0.policies.map(\.text) })
    self.styles = styles
    let texts = [Line(text: results.workloadDescription), Self.incomplete(results)]
    head =
      [.heading(1, Line(text: results.workload))]
      + texts.filter { !$0.plain.isEmpty }.map { .paragraph($0) }
    let rankings = ConfigurationRanking.all(comparisons)
    let severalTraces = rankings.count > 1
    boxes = Decision.all(of: results, rankings).flatMap { DecisionBox(decision: $0).blocks }
    answer =
      boxes + Self.requirements(results) + [.heading(2, "Recommendation")]
      + Answer(results, rankings).blocks
    let tables = ConfigurationTables.all(rankings, styles: styles)
    let designs = Designs.all(in: results, comparisons)
    // If no configuration has policies to choose from, the designs are compared.
    let main = tables.first {
      $0.isMain && ($0.comparison.competitors.count > 1 || designs.isEmpty)
    }
    var front = main?.front ?? Self.hits(designs, styles)
    if !front.isEmpty { front.append(.paragraph(Self.reading)) }
    let sections =
      [
        (
          "Comparison of designs",
          (main == nil ? [] : Self.hits(designs, styles)) + Self.designs(results, designs)
        )
      ]
      + tables.map { table in
        ("Configuration \(table.name)", table.blocks(withFront: main == nil || !table.isMain))
      } + [
        ("Time: hits, delayed hits and waits", TimeTable(results)?.blocks(styles) ?? []),
        ("Prefixes: tokens not computed", PrefixTable(results)?.blocks ?? []),
        ("Policies that choose: the one in charge", CourseSection(results)?.blocks ?? []),
        ("Flash: bytes written", FlashTable(results)?.blocks ?? []),
        ("Real and simulated", ServerComparison(results.records).blocks),
        (
          "Executed: real caches with real bytes",
          Self.executed(results, styles, severalTraces: severalTraces)
        ),
        ("History of runs", HistorySection.blocks(results.history ?? [])),
        ("Speed and memory of the simulation", Self.speed(results, severalTraces: severalTraces)),
        ("Setup and reproduction", Self.run(results)),
      ]
    let details = sections.filter { !$0.1.isEmpty }.map { Block.fold($0.0, $0.1) }
    var taken: Set<String> = []
    self.front = front.withOwnNames(&taken)
    self.details = details.withOwnNames(&taken)
  }

  private static let reading: Line = """
    Differences are in percentage points; those below \
    \(AdviceNumbers.plain(Choice.indifferentPoints)) points are not significant. \
    Policies that know the future are bounds or references: they are not ranked, and \
    no cache can use them. Policies that are worse on average than both LRU and FIFO are not worth \
    using.
    """

  /// The limits of the workload: those that are missed, or their number.
  private static func requirements(_ results: RunResults) -> [Block] {
    guard let all = results.requirements else { return [] }
    let missed = all.filter { !$0.isMet }
    guard !missed.isEmpty else {
      return [.paragraph("\(strong: "Requirements:") all \(all.count) are met.")]
    }
    let title = "\(missed.count) of \(NumberText.counted(all.count, "requirement")) missed:"
    let rest = missed.count > 6 ? ["\(missed.count - 5) more are in results.json"] : []
    let shown = missed.prefix(rest.isEmpty ? 6 : 5).map(\.text) + rest
    return [.paragraph("\(strong: title)"), .list(shown.map { Line(text: $0) })]
  }

  private static func incomplete(_ results: RunResults) -> Line {
    let missing = results.plannedCells - results.records.count
    guard results.interrupted || missing > 0 else { return "" }
    let reason = results.interrupted ? "The run was interrupted" : "The run is not complete"
    let executed = executedCells(results).map { ", \($0)" } ?? ""
    let done =
      "\(reason): \(results.records.count) of \(results.plannedCells) cells are done\(executed)."
    return """
      \(strong: done) The numbers below cover the finished cells only: means may be over fewer \
      seeds than planned, and the recommendation may change.
      """
  }
}

extension ReportDocument {
  private static func run(_ results: RunResults) -> [Block] {
    let cells = "\(results.records.count) of \(results.plannedCells) planned"
    let executed = executedCells(results).map { "; \($0)" } ?? ""
    let machine = results.machine
    var facts: [Line] = [
      """
      Started \(results.started), finished \
      \(results.finished.isEmpty ? "not yet" : results.finished).
      """,
      "Cells: \(cells)\(executed).", "Warm-up: \(results.warmUp)",
    ]
    if let model = results.latencyModel {
      facts.append("Access times are computed from this latency model, not measured: \(model)")
    }
    facts += [
      "Machine: \(machine.summary). Threads of the sweep: \(results.threads).",
      "larder \(machine.larder), Swift \(machine.swiftVersion), \(machine.build) build.",
    ]
    let traces = Table(
      results.traces,
      [
        .init("trace") { .text($0.name) },
        .init("seed") { Table.text($0.seed.map { "\($0)" }) },
        .init("requests") { Table.count($0.requests) },
        .init("objects") { Table.count($0.objects) },
        .init("footprint") { Table.bytes($0.footprintBytes.map { Double($0) }) },
      ])
    return [.code(results.command), .list(facts)]
      + (results.traces.isEmpty ? [] : [.table(traces)])
      + (results.notes.isEmpty
        ? [] : Block.section("Remarks", [.list(results.notes.map { Line(text: $0) })]))
      + [
        .paragraph(
          """
          Data of this report: \(code: "counts.csv") (identical in every run), \
          \(code: "timings.csv") (measured) and \(code: "results.json") (everything).
          """)
      ]
  }

  /// The number of executed cells; nil if none was planned.
  private static func executedCells(_ results: RunResults) -> String? {
    results.execution.map { execution in
      let done = results.records.count { !($0.executions ?? []).isEmpty }
      return "\(done) of \(execution.cells) executed"
    }
  }

  private static func hits(_ designs: [Designs], _ styles: PolicyStyles) -> [Block] {
    designs.flatMap { one -> [Block] in
      let name = designs.count > 1 ? "designs, \(one.designs[0].cell.trace)" : "designs"
      return one.chart(name, styles).map { Block.section($0.chart.title, [.chart($0)]) } ?? []
    }
  }

  /// The comparison of designs, and descriptions of presets and caches of other libraries.
  private static func designs(_ results: RunResults, _ designs: [Designs]) -> [Block] {
    let facts = (results.caches ?? []).map { facts -> Line in
      let what = facts.preset.map { "preset \($0)" } ?? "cache \(facts.cache)"
      let isNamed = facts.configuration == facts.preset ?? facts.cache
      let title = isNamed ? "" : ", \(what)"
      return "\(strong: facts.configuration)\(title): \(Line.marked(facts.summary))"
    }
    return designs.flatMap { [.paragraph($0.sentence), .table($0.table)] }
      + Block.section("Descriptions", facts.isEmpty ? [] : [.list(facts)])
  }

  /// Results of real caches; empty if none was driven.
  private static func executed(
    _ results: RunResults, _ styles: PolicyStyles, severalTraces: Bool
  ) -> [Block] {
    let rows = ExecutedRow.all(in: results.records)
    guard let conditions = results.execution else { return [] }
    let end = Block.section("Conditions", [.list(self.conditions(conditions))])
    guard !rows.isEmpty else { return [.paragraph("No executed run is complete.")] + end }
    var blocks = Block.section("Findings", [.list(ExecutedFindings(results.records).sentences)])
    for kind in ConfigurationKind.allCases {
      for (trace, rows) in rows.filter({ $0.cell.kind == kind }).grouped(by: \.cell.trace) {
        let place = severalTraces ? "\(kind.rawValue), \(trace)" : kind.rawValue
        let charts = ExecutedCharts(rows: rows, place: place, styles: styles)
        let tables = ExecutedTables(rows: rows)
        let parts: [(String, ChartFigure?, Table?)] = [
          ("Throughput and memory", charts.throughput, tables.throughput),
          ("Latency of gets", charts.gets, tables.gets),
          ("Latency by outcome", nil, tables.kinds), ("Disk", nil, tables.disk),
        ]
        for (title, figure, table) in parts {
          guard let table else { continue }
          blocks += Block.section("\(title): \(place)", Block.figure(figure) + [.table(table)])
        }
      }
    }
    return blocks + end
  }

  private static func conditions(_ conditions: ExecutionConditions) -> [Line] {
    let threads = conditions.threads.map { "\($0)" }.joined(separator: ", ")
    let runs = NumberText.counted(conditions.repetitions, "run")
    let optional: [(String, String?)] = [
      ("Memory", conditions.memory), ("Durability of the disk", conditions.durability),
      ("Page cache", conditions.durability.map { _ in conditions.pageCache }),
      ("Memory pressure", conditions.pressure),
    ]
    return [
      "Threads: \(threads), in separate runs, one cell at a time; \(runs) each.",
      "Load: \(conditions.load).", "Origin: \(conditions.origin).",
      "Checked: \(conditions.verification).",
      """
      Throughput covers the whole run, including generating and verifying values; latency covers \
      the cache's calls only.
      """,
    ] + optional.compactMap { title, text in text.map { "\(title): \($0)." } }
  }

  /// Speed and memory of the simulation; empty if no cell was simulated. Timings of different
  /// machines are kept apart.
  private static func speed(_ results: RunResults, severalTraces: Bool) -> [Block] {
    let sharing =
      results.threads > 1
      ? "\(results.threads) cells ran in parallel and shared memory bandwidth and CPU caches; a "
        + "single cell is faster."
      : "One cell ran at a time."
    return results.timedMachines.flatMap { machine -> [Block] in
      let own = results.records.map { $0.timed(on: machine, of: results) }
        .filter { !$0.timings.isEmpty }
      return [
        .paragraph(
          "Measured on \(machine), over all capacities, seeds and repetitions. \(sharing)")
      ]
        + Comparison.all(in: own).flatMap { one in
          Block.section(
            one.configuration + (severalTraces ? ", \(one.trace)" : ""), [.table(speed(one))])
        }
    }
  }

  private static func speed(_ comparison: Comparison) -> Table {
    func timings(_ policy: PolicyName) -> [Timing] { comparison.records(policy).flatMap(\.timings) }
    func speed(_ title: String, _ value: KeyPath<Spread, Double>) -> Column<PolicyName> {
      .init(title) { policy in
        let speed = Spread(timings(policy).compactMap(\.requestsPerSecond))
        return Table.number(speed.map { $0[keyPath: value] / 1e6 }, 2)
      }
    }
    return Table(
      comparison.policies.filter { !timings($0).isEmpty },
      [
        .init("policy") { comparison.name(of: $0) },
        speed("million requests/s, median", \.median), speed("slowest", \.smallest),
        speed("fastest", \.largest), .init("runs") { .text("\(timings($0).count)") },
        // The peak memory of a cell: the maximum over its repetitions and capacities.
        .init("memory, bytes per object") {
          Table.number(timings($0).compactMap(\.memoryBytesPerObject).max(), 2)
        },
      ])
  }
}
