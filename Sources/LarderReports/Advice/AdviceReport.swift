import LarderExperiments
import LarderSupport

/// `advice.json` (docs/advice.schema.json), `advice.md` with its charts, and `advice.html`.
package enum AdviceReport {
  package static func files(of advice: Advice) throws(ReportError) -> [ReportFile] {
    let blocks = answer(advice, level: 1) + details(advice)
    let names = [advice.best.advised.policy, "lru"]
    let markup = HTMLMarkup(styles: PolicyStyles(names), policies: Set(names))
    let page = HTMLPage(
      title: title(advice),
      answer: answer(advice, level: 1).dropFirst().map { markup.text(of: $0) }
        .joined(separator: "\n"),
      main: markup.html(details(advice)))
    return [
      ReportFile(name: "advice.json", text: try json(advice)),
      ReportFile(name: "advice.md", text: MarkdownMarkup().text(of: blocks)),
      ReportFile(name: "advice.html", text: page.text),
    ] + blocks.figures.map(\.file)
  }

  package static func json(_ advice: Advice) throws(ReportError) -> String {
    try ResultsJSON.text(of: advice, format: "advice")
  }

  /// The recommendation and its reasons as one HTML element for a page of others, such as a
  /// notebook: style attributes in place of a style sheet, no scripts, no identifiers.
  package static func card(_ advice: Advice) -> String {
    var blocks = answer(advice, level: 4)
    if advice.capacities.count > 1, advice.obstacle == nil {
      blocks.append(.table(AdviceTables.capacities(advice)))
    }
    if !advice.notes.isEmpty { blocks.append(.list(advice.notes.map { Line(text: $0) })) }
    let body = blocks.map { HTMLMarkup().text(of: $0) }.joined(separator: "\n")
    let style =
      "max-width:60em;padding:0.2em 1.4em;border:1px solid rgba(128,128,128,0.4);"
      + "border-radius:12px"
    return "<div class=\"larder-advice\" style=\"\(style)\">\n\(body)\n</div>\n"
  }

  private static func title(_ advice: Advice) -> String { "Advice for \(advice.trace.name)" }

  private static func answer(_ advice: Advice, level: Int) -> [Block] {
    let sentences = AdviceSentences(advice: advice)
    let box = advice.decision.map { DecisionBox(decision: $0).blocks } ?? []
    return [.heading(level, Line(text: title(advice)))] + box + [
      .paragraph("\(strong: sentences.recommendation)"),
      .list(sentences.items.dropFirst().map { "\(strong: "\($0.title):") \($0.text)" }),
    ]
  }

  private static func details(_ advice: Advice) -> [Block] {
    let assumed = advice.costs.map { costs -> Line in
      let note = "These are example prices; set your own with --prices. "
      return "\(costs.areExamples ? note : "")The figures assume, in \(costs.prices.currency):"
    }
    let runnerUp = AdviceSentences(advice: advice).runnerUp.map { text -> Block in
      .paragraph("\(strong: "Why not the runner-up:") \(text)")
    }
    let curve =
      advice.curve.isEmpty ? nil : ChartFigure(["hit-ratio"], AdviceCharts.curve(advice))
    let results: [(Line, [Block])] =
      advice.obstacle != nil
      ? []
      : [
        (
          "Capacities",
          advice.capacities.count > 1 ? [.table(AdviceTables.capacities(advice))] : []
        ),
        (
          advice.prefix == nil ? "Hit ratio" : "Prefix hit ratio",
          Block.figure(curve) + [runnerUp, .table(AdviceTables.designs(advice))].compactMap { $0 }
        ),
        ("Memory and disk", advice.splits.isEmpty ? [] : [.table(AdviceTables.splits(advice))]),
        ("TTLs", advice.lifetimes.isEmpty ? [] : [.table(AdviceTables.lifetimes(advice))]),
        (
          "Cost",
          advice.costs.map { costs in
            [
              .chart(ChartFigure(["cost"], AdviceCharts.costs(advice, costs))),
              .table(AdviceTables.costs(advice, costs)), .paragraph(assumed ?? ""),
              .list(costs.assumptions.map { Line(text: $0) }),
            ]
          } ?? []
        ),
      ]
    let method: Line = """
      \(advice.candidates) designs (policies with all parameter values that they declare as worth \
      trying, with and without each admission filter) were simulated at each capacity; \
      \(NumberText.grouped(advice.replayedRequests)) requests were replayed, with the seed \
      \(advice.seed).
      """
    let sections =
      results + [
        ("Notes", advice.notes.isEmpty ? [] : [.list(advice.notes.map { Line(text: $0) })]),
        ("Method", [.paragraph(method)]),
      ]
    return sections.filter { !$0.1.isEmpty }.flatMap { [.heading(2, $0.0)] + $0.1 }
  }
}

enum AdviceTables {
  static func capacities(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    let best = advice.best.capacity
    return Table(
      advice.capacities,
      [
        .init("capacity") { one in
          let name = sentences.size(one.capacity)
          return one.capacity == best ? .strong(name) : .text(name)
        },
        .init("advised") { .code($0.advised.name) },
        .init("\(sentences.ratioTitle), %") { Table.percent($0.advised.hitRatio) },
        .init("lru, %") { Table.percent($0.lru.hitRatio) },
      ]
        + sentences.whole { .init("of all, %") { Table.percent($0.advised.wholeHitRatio) } }
        + [
          .init("lru would need") { one in
            one.matters ? Table.text(one.lruCapacity.map(sentences.size)) : "does not matter"
          },
          .init("regret, points") { .text(AdviceNumbers.points($0.regretBoundPoints)) },
        ])
  }

  static func designs(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    let best = advice.best
    var listed: [DesignResult] = []
    for design in [best.advised, best.chosen] + best.runnersUp + [best.lru]
    where !listed.contains(where: { $0.isSameDesign(as: design) }) {
      listed.append(design)
    }
    func percent(_ title: String, _ ratio: @escaping (DesignResult) -> Double?)
      -> Column<DesignResult>
    {
      .init(title) { Table.percent(ratio($0)) }
    }
    return Table(
      listed,
      [.init("design") { .code($0.name) }]
        + sentences.whole { percent("first part, %") { $0.learnedHitRatio } }
        + [
          percent("\(sentences.ratioTitle), %") { $0.hitRatio },
          percent("first half, %") { $0.halves.first },
          percent("second half, %") { $0.halves.last },
        ] + sentences.whole { percent("of all, %") { $0.wholeHitRatio } }
        + (best.advised.tokenShare == nil
          ? [] : [percent("tokens not computed, %") { $0.tokenShare }]))
  }

  static func splits(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    func size(_ capacity: UInt64) -> Inline {
      Table.text(capacity > 0 ? sentences.size(capacity) : nil)
    }
    return Table(
      advice.splits,
      [
        .init("memory") { size($0.memory) }, .init("disk") { size($0.disk) },
        .init("in memory") { $0.memoryPolicy.map { .code($0) } ?? Table.none },
        .init("on disk") { $0.diskPolicy.map { .code($0) } ?? Table.none },
        .init("inclusion") { Table.text($0.inclusion?.rawValue) },
        .init("memory hits, %") { Table.percent($0.memoryHitRatio) },
        .init("disk hits, %") { Table.percent($0.diskHitRatio) },
        .init("\(advice.costs?.prices.currency ?? "") a month") {
          .text(AdviceNumbers.amount($0.monthlyCost))
        },
      ])
  }

  static func lifetimes(_ advice: Advice) -> Table {
    Table(
      advice.lifetimes,
      [
        .init("TTL") { .text(NumberText.time(Double($0.seconds))) },
        .init("\(AdviceSentences(advice: advice).ratioTitle), %") { Table.percent($0.hitRatio) },
        .init("lost, points") { .text(AdviceNumbers.points($0.lostPoints)) },
      ]
        + (advice.lifetimes.contains { $0.staleRatio != nil }
          ? [.init("stale, %") { Table.percent($0.staleRatio) }] : []))
  }

  static func costs(_ advice: Advice, _ costs: Costs) -> Table {
    let sentences = AdviceSentences(advice: advice)
    func amount(_ title: String, _ value: @escaping (CostPoint) -> Double) -> Column<CostPoint> {
      .init("\(title), \(costs.prices.currency)") { .text(AdviceNumbers.amount(value($0))) }
    }
    return Table(
      costs.points,
      [
        .init("capacity") { .text(sentences.size($0.capacity)) },
        amount(sentences.storage) { $0.storage }, amount("misses") { $0.misses },
        amount("total") { $0.total },
      ])
  }
}

enum AdviceCharts {
  private static func chart(
    _ advice: Advice, title: String, caption: String, y: ChartAxis, _ series: [ChartSeries],
    mark: LineChart.Annotation
  ) -> LineChart {
    LineChart(
      title: title, caption: caption,
      x: ChartAxis(title: "capacity", unit: ChartUnit(advice.unit), isLogarithmic: true), y: y,
      series: series, annotations: [mark])
  }

  static func curve(_ advice: Advice) -> LineChart {
    let best = advice.best
    let sentences = AdviceSentences(advice: advice)
    let styles = PolicyStyles([best.advised.policy, "lru"])
    func series(_ name: String, _ policy: String, _ curve: [CurvePoint]) -> ChartSeries {
      let points = curve.map { point in
        ChartSeries.Point(
          x: Double(point.capacity), y: point.hitRatio,
          label: "\(sentences.size(point.capacity)): \(NumberText.percent(point.hitRatio))"
            + (point.isEstimate ? ", estimated" : ""))
      }
      return ChartSeries(
        name: name, style: styles[policy], points: points, hasMarkers: name == best.advised.name)
    }
    return chart(
      advice, title: "\(sentences.ratioTitle.capitalisedFirst): \(advice.trace.name)",
      caption: "Higher is better; the capacity axis is logarithmic. Recommended: "
        + "\(sentences.size(best.capacity)).",
      y: ChartAxis(title: sentences.ratioTitle, unit: .percent),
      [series(best.advised.name, best.advised.policy, advice.curve)]
        + (best.advised.name == "lru" ? [] : [series("lru", "lru", advice.lruCurve)]),
      mark: .init(x: Double(best.capacity), y: best.advised.hitRatio, text: "recommended"))
  }

  static func costs(_ advice: Advice, _ costs: Costs) -> LineChart {
    let sentences = AdviceSentences(advice: advice)
    let currency = TextSafety.singleLine(costs.prices.currency)
    func money(_ amount: Double) -> String { AdviceNumbers.money(amount, costs.prices.currency) }
    func series(
      _ name: String, _ style: SeriesStyle, _ value: (CostPoint) -> Double
    ) -> ChartSeries {
      let points = costs.points.map { point in
        ChartSeries.Point(
          x: Double(point.capacity), y: value(point),
          label: "\(sentences.size(point.capacity)): \(money(value(point)))")
      }
      return ChartSeries(name: name, style: style, points: points)
    }
    return chart(
      advice, title: "Cost a month, \(costs.basis), \(currency)",
      caption: "Lower is better. Cheapest: \(sentences.size(costs.cheapest.capacity)) for "
        + "\(money(costs.cheapest.total)).",
      y: ChartAxis(title: "\(currency) a month", unit: .number),
      [
        series("total", SeriesStyle(colour: .blue, marker: .circle)) { $0.total },
        series("misses", SeriesStyle(colour: .orange, marker: .square, dash: .long)) { $0.misses },
        series(sentences.storage, SeriesStyle(colour: .green, marker: .triangle, dash: .short)) {
          $0.storage
        },
      ],
      mark: .init(
        x: Double(costs.cheapest.capacity), y: costs.cheapest.total, text: "cheapest"))
  }
}
