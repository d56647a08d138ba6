import LarderSimulation

/// What the report for a person says, as blocks: every markup writes down the same document.
///
/// The decision comes first, with the one chart that it rests on. Everything else is folded: the
/// comparison of designs, each configuration, what real caches did, the speed of the simulation,
/// and how to run it again.
struct ReportDocument {
  /// Title, description, and what is missing.
  let head: [Block]
  /// The decision.
  let answer: [Block]
  /// What it rests on, in sight.
  let front: [Block]
  /// Everything else, folded.
  let details: [Block]
  /// How each policy looks in its charts.
  let styles: PolicyStyles

  /// The report, from title to last remark.
  var blocks: [Block] { head + answer + front + details }

  /// The report with tables of at most so many columns that a page without scrolling shows them.
  var narrowBlocks: [Block] { blocks.narrow }

  /// The charts of the report, each with a name of its own.
  var figures: [ChartFigure] { blocks.figures }

  /// The report on `results`. Linear in the number of records.
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
    // Where no configuration has policies to choose from, the designs are what is compared.
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
      let charts = TimeCharts(results.records, styles)?.blocks ?? []
      details += Self.fold("Time: hits, delayed hits and waits", charts + time.blocks)
    }
    if let prefixes = PrefixTable(results) {
      details += Self.fold("Prefixes: tokens that were not computed", prefixes.blocks)
    }
    if let flash = FlashTable(results) {
      details += Self.fold("Flash: bytes written", flash.blocks)
    }
    details += Self.fold(
      "Executed: real caches, real bytes",
      Self.executed(results, styles, severalTraces: severalTraces))
    details += Self.fold(
      "Speed and memory of the simulation",
      Self.speed(results, comparisons, styles, severalTraces: severalTraces))
    details += Self.fold("What was run, and how to run it again", Self.run(results))
    var taken: Set<String> = []
    self.front = front.withOwnNames(&taken)
    self.details = details.withOwnNames(&taken)
  }

  /// How the answer is to be read.
  private static let reading =
    "Differences are in percentage points; below \(Metric.noisePoints) points there is no real "
    + "difference. Policies that know the future are bounds or references: they never lead, and no "
    + "cache can use them. Not worth using is what is worse, on average, than both LRU and FIFO."

  /// A section that a reader opens; nothing where it has nothing.
  private static func fold(_ title: String, _ blocks: [Block]) -> [Block] {
    blocks.isEmpty ? [] : [.fold(title, blocks)]
  }

  /// The configuration's name, with the trace where there are several.
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
        " All numbers below are of finished cells, but means may be over fewer seeds than "
          + "planned, and the recommendation may change with the rest."),
    ]
  }
}
