import LarderSimulation

extension ReportDocument {
  /// The hits of designs side by side, one chart a trace.
  static func hits(_ designs: [Designs], _ styles: PolicyStyles) -> [Block] {
    charts(designs, styles).compactMap(\.hits).flatMap { figure -> [Block] in
      [.heading(3, [.text(figure.chart.title)]), .chart(figure)]
    }
  }

  /// What the presets and the caches of others are, and designs side by side; nothing where there
  /// are none.
  static func designs(
    _ results: RunResults, _ designs: [Designs], _ styles: PolicyStyles, withHits: Bool
  ) -> [Block] {
    var blocks: [Block] = withHits ? hits(designs, styles) : []
    for (one, charts) in zip(designs, charts(designs, styles)) {
      blocks += [.paragraph(one.sentence), .table(one.table)]
      if let access = charts.access {
        blocks += [.heading(3, ["Access time: modelled, not measured"]), .chart(access)]
      }
    }
    let facts = (results.caches ?? []).map { facts -> [Inline] in
      let what = facts.preset.map { "preset \($0)" } ?? "cache \(facts.cache)"
      let isNamed = facts.configuration == facts.preset ?? facts.cache
      return [.strong(facts.configuration), .text("\(isNamed ? "" : ", \(what)"): ")]
        + Inline.marked(facts.summary)
    }
    return blocks + (facts.isEmpty ? [] : [.heading(3, ["Descriptions"]), .list(facts)])
  }

  private static func charts(_ designs: [Designs], _ styles: PolicyStyles) -> [DesignCharts] {
    designs.map { one in
      let name = designs.count > 1 ? "designs, \(one.designs[0].cell.trace)" : "designs"
      return DesignCharts(designs: one, name: name, styles: styles)
    }
  }
}
