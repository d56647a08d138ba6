import LarderExperiments
import LarderSupport

/// The report for a person, as blocks that every markup renders.
///
/// The recommendation comes first, with the one chart that it rests on. Everything else is folded:
/// the comparison of designs, each configuration, real caches, the speed of the simulation, and the
/// commands that repeat the run.
struct ReportDocument {
  let head: [Block]
  let answer: [Block]
  let front: [Block]
  let details: [Block]
  let styles: PolicyStyles

  var blocks: [Block] { head + answer + front + details }

  var narrowBlocks: [Block] { blocks.narrow }

  var figures: [ChartFigure] { blocks.figures }

  init(_ results: RunResults) {
    let comparisons = Comparison.all(in: results.records)
    let severalTraces = Set(comparisons.map(\.trace)).count > 1
    let styles = PolicyStyles(comparisons.flatMap { $0.policies.map(\.text) })
    self.styles = styles
    var head: [Block] = [.heading(1, [.text(results.workload)])]
    if !results.workloadDescription.isEmpty {
      head.append(.paragraph([.text(results.workloadDescription)]))
    }
    if let warning = Self.incomplete(results) { head.append(.paragraph(warning)) }
    self.head = head
    let rankings = ConfigurationRanking.all(comparisons)
    answer = [.heading(2, ["Recommendation"])] + Answer(results, rankings).blocks
    let tables = ConfigurationTables.all(rankings, styles: styles)
    let designs = Designs.all(in: results, comparisons)
    // If no configuration has policies to choose from, the designs are compared.
    let main = tables.first {
      $0.isMain && ($0.comparison.competitors.count > 1 || designs.isEmpty)
    }
    var front = main?.front ?? Self.hits(designs, styles)
    if !front.isEmpty { front.append(.paragraph([.text(Self.reading)])) }
    var details = Self.fold(
      "Comparison of designs", Self.designs(results, designs, styles, withHits: main != nil))
    for table in tables {
      let withFront = main == nil || !table.isMain
      details += Self.fold("Configuration \(table.name)", table.blocks(withFront: withFront))
    }
    if let time = TimeTable(results.records) {
      let chart = time.chart(styles).map { [Block.chart($0)] } ?? []
      details += Self.fold("Time: hits, delayed hits and waits", chart + time.blocks)
    }
    if let prefixes = PrefixTable(results) {
      details += Self.fold("Prefixes: tokens not computed", prefixes.blocks)
    }
    if let course = CourseSection(results) {
      details += Self.fold("Policies that choose: the one in charge", course.blocks)
    }
    if let flash = FlashTable(results) {
      details += Self.fold("Flash: bytes written", flash.blocks)
    }
    details += Self.fold(
      "Executed: real caches with real bytes",
      Self.executed(results, styles, severalTraces: severalTraces))
    details += Self.fold(
      "Speed and memory of the simulation",
      Self.speed(results, severalTraces: severalTraces))
    details += Self.fold("Setup and reproduction", Self.run(results))
    var taken: Set<String> = []
    self.front = front.withOwnNames(&taken)
    self.details = details.withOwnNames(&taken)
  }

  private static let reading =
    "Differences are in percentage points; those below \(Metric.noisePoints) points are not "
    + "significant. Policies that know the future are bounds or references: they are not "
    + "ranked, and no cache can use them. Policies that are worse on average than both LRU and "
    + "FIFO are not worth using."

  private static func fold(_ title: String, _ blocks: [Block]) -> [Block] {
    blocks.isEmpty ? [] : [.fold(title, blocks)]
  }

  static func name(of comparison: Comparison, severalTraces: Bool) -> String {
    severalTraces
      ? "\(comparison.configuration), \(comparison.trace)" : comparison.configuration
  }

  private static func incomplete(_ results: RunResults) -> [Inline]? {
    let missing = results.plannedCells - results.records.count
    guard results.interrupted || missing > 0 else { return nil }
    let reason = results.interrupted ? "The run was interrupted" : "The run is not complete"
    let executed = executedCells(results).map { ", \($0)" } ?? ""
    return [
      .strong(
        "\(reason): \(results.records.count) of \(results.plannedCells) cells are done"
          + "\(executed)."),
      .text(
        " The numbers below cover the finished cells only: means may be over fewer seeds than "
          + "planned, and the recommendation may change."),
    ]
  }
}

extension ReportDocument {
  static func run(_ results: RunResults) -> [Block] {
    var blocks: [Block] = [
      .code(results.command)
    ]
    var facts: [[Inline]] = [
      [.text("Started \(results.started), finished \(orUnknown(results.finished)).")],
      [
        .text(
          "Cells: \(results.records.count) of \(results.plannedCells) planned"
            + (executedCells(results).map { "; \($0)." } ?? "."))
      ],
      [.text("Warm-up: \(results.warmUp)")],
    ]
    if let model = results.latencyModel {
      facts.append([
        .text("Access times are computed from this latency model, not measured: \(model)")
      ])
    }
    facts += [
      [.text("Machine: \(results.machine.summary). Threads of the sweep: \(results.threads).")],
      [
        .text("larder \(results.machine.larder), Swift \(results.machine.swiftVersion), "),
        .text("\(results.machine.build) build."),
      ],
    ]
    blocks.append(.list(facts))
    if !results.traces.isEmpty { blocks.append(.table(traces(results.traces))) }
    if !results.notes.isEmpty {
      blocks += [.heading(3, ["Remarks"]), .list(results.notes.map { [.text($0)] })]
    }
    blocks.append(
      .paragraph([
        "Data of this report: ", .code("counts.csv"),
        " (identical in every run), ", .code("timings.csv"), " (measured) and ",
        .code("results.json"), " (everything).",
      ]))
    return blocks
  }

  static func executedCells(_ results: RunResults) -> String? {
    results.execution.map { execution in
      let done = results.records.count { !($0.executions ?? []).isEmpty }
      return "\(done) of \(execution.cells) executed"
    }
  }

  private static func orUnknown(_ text: String) -> String { text.isEmpty ? "not yet" : text }

  private static func traces(_ traces: [TraceFacts]) -> Table {
    Table(
      traces,
      [
        .init("trace") { .text($0.name) },
        .init("seed") { $0.seed.map { .text(String($0)) } ?? Table.none },
        .init("requests") { .text(NumberText.grouped($0.requests)) },
        .init("objects") { .text(NumberText.grouped($0.objects)) },
        .init("footprint") { $0.footprintBytes.map { .text(NumberText.bytes($0)) } ?? Table.none },
      ])
  }
}

extension ReportDocument {
  static func hits(_ designs: [Designs], _ styles: PolicyStyles) -> [Block] {
    designs.flatMap { one -> [Block] in
      let name = designs.count > 1 ? "designs, \(one.designs[0].cell.trace)" : "designs"
      guard let figure = one.chart(name, styles) else { return [] }
      return [.heading(3, [.text(figure.chart.title)]), .chart(figure)]
    }
  }

  static func designs(
    _ results: RunResults, _ designs: [Designs], _ styles: PolicyStyles, withHits: Bool
  ) -> [Block] {
    var blocks: [Block] = withHits ? hits(designs, styles) : []
    for one in designs { blocks += [.paragraph(one.sentence), .table(one.table)] }
    let facts = (results.caches ?? []).map { facts -> [Inline] in
      let what = facts.preset.map { "preset \($0)" } ?? "cache \(facts.cache)"
      let isNamed = facts.configuration == facts.preset ?? facts.cache
      return [.strong(facts.configuration), .text("\(isNamed ? "" : ", \(what)"): ")]
        + Inline.marked(facts.summary)
    }
    return blocks + (facts.isEmpty ? [] : [.heading(3, ["Descriptions"]), .list(facts)])
  }
}

extension ReportDocument {
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
      blocks += part("Latency by outcome", nil, kinds)
    }
    if kind != .memory {
      blocks += [.heading(3, [.text("Disk: \(place)")]), .table(tables.disk)]
    }
    return blocks
  }

  private static func conditions(_ conditions: ExecutionConditions) -> [String] {
    let threads = conditions.threads.map { "\($0)" }.joined(separator: ", ")
    var lines = [
      "Threads: \(threads), in separate runs, one cell at a time; "
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

extension ReportDocument {
  static func speed(_ results: RunResults, severalTraces: Bool) -> [Block] {
    let sharing =
      results.threads > 1
      ? "\(results.threads) cells ran in parallel and shared memory bandwidth and CPU caches; a "
        + "single cell is faster."
      : "One cell ran at a time."
    return results.timedMachines.flatMap { machine -> [Block] in
      let own = results.records.map { $0.timed(on: machine, of: results) }
        .filter { !$0.timings.isEmpty }
      return [
        .paragraph([
          .text(
            "Measured on \(machine), over all capacities, seeds and repetitions. \(sharing)")
        ])
      ]
        + Comparison.all(in: own).flatMap { comparison -> [Block] in
          [
            .heading(3, [.text(name(of: comparison, severalTraces: severalTraces))]),
            .table(table(comparison)),
          ]
        }
    }
  }

  private static func table(_ comparison: Comparison) -> Table {
    func timings(_ policy: PolicyName) -> [Timing] {
      comparison.records(policy).flatMap(\.timings)
    }
    func speed(_ title: String, _ value: KeyPath<Spread, Double>) -> Column<PolicyName> {
      .init(title) { policy in
        let speed = Spread(timings(policy).compactMap(\.requestsPerSecond))
        return Table.number(speed.map { $0[keyPath: value] / 1e6 }, 2)
      }
    }
    return Table(
      comparison.policies.filter { !timings($0).isEmpty },
      [
        .init("policy") { ValueTable.title($0, in: comparison) },
        speed("million requests/s, median", \.median), speed("slowest", \.smallest),
        speed("fastest", \.largest), .init("runs") { .text("\(timings($0).count)") },
        // The peak memory of a cell: the maximum over its repetitions and capacities.
        .init("memory, bytes per object") {
          Table.number(timings($0).compactMap(\.memoryBytesPerObject).max(), 2)
        },
      ])
  }
}
