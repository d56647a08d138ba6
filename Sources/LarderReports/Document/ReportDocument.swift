import LarderSimulation

/// What the report for a person says, as blocks: every markup writes down the same document.
///
/// The answer comes first, then the tables it rests on, then what real caches did, then the speed
/// of the simulation, then how to run it again.
struct ReportDocument {
  /// The report, from title to last remark.
  let blocks: [Block]
  /// How each policy looks in its charts.
  let styles: PolicyStyles

  /// The report with tables of at most so many columns that a page without scrolling shows them.
  var narrowBlocks: [Block] { blocks.flatMap(Self.narrow) }

  /// The charts of the report, each with a name of its own.
  var figures: [ChartFigure] { blocks.figures }

  /// Below this many percentage points between the best and the worst policy, the report says that
  /// the choice hardly matters.
  static let indifferencePoints = 0.5

  /// The report on `results`. Linear in the number of records.
  init(_ results: RunResults) {
    let comparisons = Comparison.all(in: results.records)
    let severalTraces = Set(comparisons.map(\.trace)).count > 1
    let styles = PolicyStyles(
      comparisons.flatMap { $0.policies.map(\.text) })
    self.styles = styles
    var blocks: [Block] = [.heading(1, [.text(results.workload)])]
    if !results.workloadDescription.isEmpty {
      blocks.append(.paragraph([.text(results.workloadDescription)]))
    }
    if let warning = Self.incomplete(results) { blocks.append(.paragraph(warning)) }
    blocks.append(.heading(2, ["Recommendation"]))
    let designs = Designs.all(in: results, comparisons)
    blocks += Self.answer(comparisons, designs, severalTraces: severalTraces)
    blocks += Self.designs(results, designs, styles)
    for comparison in comparisons {
      let name = Self.name(of: comparison, severalTraces: severalTraces)
      blocks += Self.tables(comparison, name: name, styles: styles)
    }
    blocks += Self.executed(results, styles, severalTraces: severalTraces)
    blocks += Self.speed(results, comparisons, styles, severalTraces: severalTraces)
    blocks += Self.run(results)
    self.blocks = blocks.withOwnNames
  }

  /// A table that is too wide to be read as several, each with the names of the lines.
  private static func narrow(_ block: Block) -> [Block] {
    guard case .table(let table) = block else { return [block] }
    return table.parts.map { .table($0) }
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

  private static func answer(
    _ comparisons: [Comparison], _ designs: [Designs], severalTraces: Bool
  ) -> [Block] {
    guard !comparisons.isEmpty else { return [.paragraph(["No cell finished."])] }
    // What has one policy has nobody to win against but the other designs.
    let told = Set(designs.flatMap(\.single))
    let items =
      designs.map { designs -> [Inline] in
        let trace = severalTraces ? ", \(designs.designs[0].cell.trace)" : ""
        return [.text("Of the designs\(trace), ")] + designs.sentence
      }
      + comparisons.filter { !told.contains($0.configuration) }.map { comparison -> [Inline] in
        let name = name(of: comparison, severalTraces: severalTraces)
        return [.strong(name), ": "] + Verdict(comparison).sentences
      }
    return [
      .list(items),
      .paragraph([
        .text(
          "Differences are in percentage points of the hit ratio. Policies that know the future "
            + "are a reference for the others and cannot be deployed.")
      ]),
    ]
  }
}
