import LarderSimulation

extension ReportDocument {
  /// What the presets and the caches of others are, and designs side by side; nothing where there
  /// are none.
  static func designs(_ results: RunResults, _ designs: [Designs], _ styles: PolicyStyles)
    -> [Block]
  {
    let facts = (results.caches ?? []).map { facts -> [Inline] in
      let what = facts.preset.map { "preset \($0)" } ?? "cache \(facts.cache)"
      let isNamed = facts.configuration == facts.preset ?? facts.cache
      return [
        .strong(facts.configuration), .text("\(isNamed ? "" : ", \(what)"): \(facts.summary)"),
      ]
    }
    guard !facts.isEmpty || !designs.isEmpty else { return [] }
    var blocks: [Block] = [.heading(2, ["Comparison of designs"])]
    for one in designs {
      let name = designs.count > 1 ? "designs, \(one.designs[0].cell.trace)" : "designs"
      let charts = DesignCharts(designs: one, name: name, styles: styles)
      if let access = charts.access {
        blocks += [
          .heading(3, ["Access time: modelled, not measured"]), .chart(access),
        ]
      }
      if let hits = charts.hits { blocks += [.heading(3, ["Hits"]), .chart(hits)] }
      blocks.append(.table(one.table))
    }
    if !facts.isEmpty { blocks += [.heading(3, ["Descriptions"]), .list(facts)] }
    return blocks
  }
}
