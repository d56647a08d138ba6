import Foundation
import LarderExperiments
import LarderSupport

/// Advice as files: `advice.json`, `advice.md` with its charts, and `advice.html`.
package enum AdviceReport {
  /// The files. Linear in the size of the advice.
  ///
  /// - Throws: `ReportError.notExpressible` for a number that is infinite or not a number.
  package static func files(of advice: Advice) throws(ReportError) -> [ReportFile] {
    let blocks = blocks(advice)
    return [
      ReportFile(name: "advice.json", text: try json(advice)),
      ReportFile(name: "advice.md", text: MarkdownMarkup().text(of: blocks)),
      ReportFile(name: "advice.html", text: html(advice, blocks)),
    ]
      + blocks.figures.map { figure in
        ReportFile(name: figure.fileName, text: figure.chart.svg(ChartOptions(id: figure.name)))
      }
  }

  /// `advice.json`: see `docs/advice.schema.json`.
  ///
  /// - Throws: `ReportError.notExpressible` for a number that is infinite or not a number.
  package static func json(_ advice: Advice) throws(ReportError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    do {
      let text = String(decoding: try encoder.encode(advice), as: UTF8.self)
      return JSONLine.printable(text) + "\n"
    } catch {
      throw .notExpressible(format: "advice", reason: "\(error)")
    }
  }

  /// The recommendation and its reasons as one HTML element for a page of others, such as a
  /// notebook: style attributes in place of a style sheet, no scripts, no identifiers.
  package static func card(_ advice: Advice) -> String {
    var blocks = answer(advice, level: 4)
    if advice.capacities.count > 1, advice.obstacle == nil {
      blocks.append(.table(AdviceTables.capacities(advice)))
    }
    if !advice.notes.isEmpty { blocks.append(.list(advice.notes.map { [.text($0)] })) }
    let body = blocks.map { HTMLMarkup().text(of: $0) }.joined(separator: "\n")
    let style =
      "max-width:60em;padding:0.2em 1.4em;border:1px solid rgba(128,128,128,0.4);"
      + "border-radius:12px"
    return "<div class=\"larder-advice\" style=\"\(style)\">\n\(body)\n</div>\n"
  }

  private static func answer(_ advice: Advice, level: Int) -> [Block] {
    let sentences = AdviceSentences(advice: advice)
    return [
      .heading(level, [.text("Advice for \(advice.trace.name)")]),
      .paragraph([.strong(sentences.recommendation)]),
      .list(
        sentences.items.dropFirst().map { [.strong("\($0.title):"), .text(" " + $0.text)] }),
    ]
  }

  static func blocks(_ advice: Advice) -> [Block] {
    let sentences = AdviceSentences(advice: advice)
    var blocks = answer(advice, level: 1)
    if advice.obstacle != nil { return blocks + ending(advice) }
    if advice.capacities.count > 1 {
      blocks += [.heading(2, ["Capacities"]), .table(AdviceTables.capacities(advice))]
    }
    blocks += [.heading(2, [advice.prefix == nil ? "Hit ratio" : "Prefix hit ratio"])]
    if !advice.curve.isEmpty {
      blocks.append(.chart(ChartFigure(["hit-ratio"], AdviceCharts.curve(advice))))
    }
    if let runnerUp = sentences.runnerUp {
      blocks.append(.paragraph([.strong("Why not the runner-up:"), .text(" " + runnerUp)]))
    }
    blocks.append(.table(AdviceTables.designs(advice)))
    if !advice.splits.isEmpty {
      blocks += [.heading(2, ["Memory and disk"]), .table(AdviceTables.splits(advice))]
    }
    if !advice.lifetimes.isEmpty {
      blocks += [.heading(2, ["TTLs"]), .table(AdviceTables.lifetimes(advice))]
    }
    if let costs = advice.costs {
      blocks += [
        .heading(2, ["Cost"]),
        .chart(ChartFigure(["cost"], AdviceCharts.costs(advice, costs))),
        .table(AdviceTables.costs(advice, costs)),
        .paragraph([.text(assumed(costs))]),
        .list(costs.assumptions.map { [.text($0)] }),
      ]
    }
    return blocks + ending(advice)
  }

  private static func ending(_ advice: Advice) -> [Block] {
    let notes: [Block] =
      advice.notes.isEmpty
      ? [] : [.heading(2, ["Notes"]), .list(advice.notes.map { [.text($0)] })]
    return notes + [.heading(2, ["Method"]), .paragraph([.text(method(advice))])]
  }

  private static func assumed(_ costs: Costs) -> String {
    (costs.areExamples ? "These are example prices; set your own with --prices. " : "")
      + "The figures assume, in \(costs.prices.currency):"
  }

  private static func method(_ advice: Advice) -> String {
    "\(advice.candidates) designs (policies with all parameter values that they declare as worth "
      + "trying, with and without each admission filter) were simulated at each capacity; "
      + "\(NumberText.grouped(advice.replayedRequests)) requests were replayed, with the seed "
      + "\(advice.seed)."
  }

  private static func html(_ advice: Advice, _ blocks: [Block]) -> String {
    let names = [advice.best.advised.policy, "lru"]
    let markup = HTMLMarkup(styles: PolicyStyles(names), policies: Set(names))
    let end = blocks.firstIndex { if case .heading(2, _) = $0 { true } else { false } }
    let split = end ?? blocks.endIndex
    let answer = blocks[..<split].dropFirst().map { markup.text(of: $0) }
      .joined(separator: "\n")
    var body = HTMLBody(markup: markup)
    let sections = body.html(Array(blocks[split...]))
    return HTMLPage(
      title: "Advice for \(advice.trace.name) · larder",
      body: """
        <header>
        <div class="bar"><span class="brand">larder</span>\(HTMLPage.themeSwitch)</div>
        <h1>Advice for \(XMLText.escaped(advice.trace.name))</h1>
        </header>
        <div class="answer"><section id="answer">\(answer)</section></div>
        <div class="columns">
        <main>
        \(sections)</main>
        </div>
        <p class="status" role="status" aria-live="polite"></p>
        """
    ).text
  }
}

enum AdviceTables {
  static func capacities(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    let hasPart = advice.learnedBillionths != nil
    var table = Table(
      titles: ["capacity", "advised", "\(sentences.ratioTitle), %", "lru, %"]
        + (hasPart ? ["of all, %"] : []) + ["lru would need", "regret, points"])
    for (place, capacity) in advice.capacities.enumerated() {
      let (name, advised) = (sentences.size(capacity.capacity), capacity.advised)
      table.rows.append(
        [place == advice.recommended ? .strong(name) : .text(name), .code(advised.name)]
          + [advised.hitRatio, capacity.lru.hitRatio].map(percent)
          + (hasPart ? [percent(advised.wholeHitRatio)] : [])
          + [
            capacity.matters ? text(capacity.lruCapacity.map(sentences.size)) : "does not matter",
            .text(AdviceNumbers.points(capacity.regretBoundPoints)),
          ])
    }
    return table
  }

  static func designs(_ advice: Advice) -> Table {
    let hasPart = advice.learnedBillionths != nil
    let hasTokens = advice.best.advised.tokenShare != nil
    var table = Table(
      titles: ["design"] + (hasPart ? ["first part, %"] : [])
        + ["\(AdviceSentences(advice: advice).ratioTitle), %", "first half, %", "second half, %"]
        + (hasPart ? ["of all, %"] : []) + (hasTokens ? ["tokens not computed, %"] : []))
    var listed: [DesignResult] = []
    for design in [advice.best.advised, advice.best.chosen] + advice.best.runnersUp
      + [advice.best.lru]
    where !listed.contains(where: { $0.isSameDesign(as: design) }) {
      listed.append(design)
      let ratios =
        (hasPart ? [design.learnedHitRatio] : []) + [design.hitRatio] + design.halves
        + (hasPart ? [design.wholeHitRatio] : [])
      table.rows.append(
        [.code(design.name)] + ratios.map(percent)
          + (hasTokens ? [percent(design.tokenShare)] : []))
    }
    return table
  }

  static func splits(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    var table = Table(
      titles: [
        "memory", "disk", "in memory", "on disk", "inclusion", "memory hits, %", "disk hits, %",
        "\(advice.costs?.prices.currency ?? "") a month",
      ])
    table.rows = advice.splits.map { split in
      [split.memory, split.disk].map { text($0 > 0 ? sentences.size($0) : nil) }
        + [split.memoryPolicy, split.diskPolicy].map { $0.map { .code($0) } ?? Table.none }
        + [
          text(split.inclusion?.rawValue), percent(split.memoryHitRatio),
          percent(split.diskHitRatio), text(AdviceNumbers.amount(split.monthlyCost)),
        ]
    }
    return table
  }

  static func lifetimes(_ advice: Advice) -> Table {
    let hasStale = advice.lifetimes.contains { $0.staleRatio != nil }
    var table = Table(
      titles: ["TTL", "\(AdviceSentences(advice: advice).ratioTitle), %", "lost, points"]
        + (hasStale ? ["stale, %"] : []))
    table.rows = advice.lifetimes.map { point in
      [
        text(NumberText.time(Double(point.seconds))), percent(point.hitRatio),
        text(AdviceNumbers.points(point.lostPoints)),
      ] + (hasStale ? [percent(point.staleRatio)] : [])
    }
    return table
  }

  static func costs(_ advice: Advice, _ costs: Costs) -> Table {
    let sentences = AdviceSentences(advice: advice)
    var table = Table(
      titles: ["capacity"]
        + [sentences.storage, "misses", "total"].map { "\($0), \(costs.prices.currency)" })
    table.rows = costs.points.map { point in
      [.text(sentences.size(point.capacity))]
        + [point.storage, point.misses, point.total].map { .text(AdviceNumbers.amount($0)) }
    }
    return table
  }

  private static func text(_ text: String?) -> Inline { text.map { .text($0) } ?? Table.none }

  private static func percent(_ ratio: Double?) -> Inline {
    text(ratio.map { NumberText.fixed($0 * 100, decimals: 2) ?? "–" })
  }
}

enum AdviceCharts {
  static func curve(_ advice: Advice) -> LineChart {
    let best = advice.best
    let sentences = AdviceSentences(advice: advice)
    let title = sentences.ratioTitle
    let styles = PolicyStyles([best.advised.policy, "lru"])
    func series(_ name: String, _ policy: String, _ curve: [CurvePoint]) -> ChartSeries {
      ChartSeries(
        name: name, style: styles[policy],
        points: curve.map { point in
          ChartSeries.Point(
            x: Double(point.capacity), y: point.hitRatio,
            label: "\(sentences.size(point.capacity)): \(NumberText.percent(point.hitRatio))"
              + (point.isEstimate ? ", estimated" : ""))
        }, hasMarkers: name == best.advised.name)
    }
    return LineChart(
      title: "\(title.prefix(1).uppercased())\(title.dropFirst()): \(advice.trace.name)",
      caption: "Higher is better; the capacity axis is logarithmic. Recommended: "
        + "\(sentences.size(best.capacity)).",
      x: ChartAxis(title: "capacity", unit: ChartUnit(advice.unit), isLogarithmic: true),
      y: ChartAxis(title: title, unit: .percent),
      series: [series(best.advised.name, best.advised.policy, advice.curve)]
        + (best.advised.name == "lru" ? [] : [series("lru", "lru", advice.lruCurve)]),
      annotations: [
        LineChart.Annotation(
          x: Double(best.capacity), y: best.advised.hitRatio, text: "recommended")
      ])
  }

  static func costs(_ advice: Advice, _ costs: Costs) -> LineChart {
    let sentences = AdviceSentences(advice: advice)
    let currency = TextSafety.singleLine(costs.prices.currency)
    func series(
      _ name: String, _ style: SeriesStyle, _ value: (CostPoint) -> Double
    ) -> ChartSeries {
      ChartSeries(
        name: name, style: style,
        points: costs.points.map { point in
          ChartSeries.Point(
            x: Double(point.capacity), y: value(point),
            label: "\(sentences.size(point.capacity)): "
              + AdviceNumbers.money(value(point), costs.prices.currency))
        })
    }
    return LineChart(
      title: "Cost a month, \(costs.basis), \(currency)",
      caption: "Lower is better. Cheapest: \(sentences.size(costs.cheapest.capacity)) for "
        + "\(AdviceNumbers.money(costs.cheapest.total, costs.prices.currency)).",
      x: ChartAxis(title: "capacity", unit: ChartUnit(advice.unit), isLogarithmic: true),
      y: ChartAxis(title: "\(currency) a month", unit: .number),
      series: [
        series("total", SeriesStyle(colour: .blue, marker: .circle)) { $0.total },
        series("misses", SeriesStyle(colour: .orange, marker: .square, dash: .long)) { $0.misses },
        series(sentences.storage, SeriesStyle(colour: .green, marker: .triangle, dash: .short)) {
          $0.storage
        },
      ],
      annotations: [
        LineChart.Annotation(
          x: Double(costs.cheapest.capacity), y: costs.cheapest.total, text: "cheapest")
      ])
  }
}
