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

  /// The part of advice that comes first in every form.
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
    (costs.areExamples
      ? "These are example prices; set your own with --prices. "
      : "") + "The figures assume, in \(costs.prices.currency):"
  }

  private static func method(_ advice: Advice) -> String {
    let requests = NumberText.grouped(advice.replayedRequests)
    return "\(advice.candidates) designs (policies with all parameter values that they declare "
      + "as worth trying, with and without each admission filter) were simulated at each capacity; "
      + "\(requests) requests were replayed. Samples and random policies have the seed "
      + "\(advice.seed). Policies that know the future are not candidates."
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
  /// Designs advised at each capacity.
  static func capacities(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    var table = Table(
      titles: ["capacity", "advised", "\(sentences.ratioTitle), %", "lru, %"]
        + (advice.learnedBillionths == nil ? [] : ["of all, %"])
        + ["lru would need", "regret, points"])
    for (place, capacity) in advice.capacities.enumerated() {
      let name = sentences.size(capacity.capacity)
      var values = [capacity.advised.hitRatio, capacity.lru.hitRatio]
      if advice.learnedBillionths != nil { values.append(capacity.advised.wholeHitRatio) }
      let ratios = values.map { Inline.text(NumberText.fixed($0 * 100, decimals: 2) ?? "–") }
      table.rows.append(
        [place == advice.recommended ? .strong(name) : .text(name), .code(capacity.advised.name)]
          + ratios + [
            capacity.matters
              ? capacity.lruCapacity.map { .text(sentences.size($0)) } ?? Table.none
              : "does not matter",
            .text(AdviceNumbers.points(capacity.regretBoundPoints)),
          ])
    }
    return table
  }

  /// Designs that were simulated in full at the recommended capacity.
  static func designs(_ advice: Advice) -> Table {
    let ratio = AdviceSentences(advice: advice).ratioTitle
    let hasPart = advice.learnedBillionths != nil
    var titles = ["design", "\(ratio), %", "first half, %", "second half, %"]
    if hasPart {
      titles.insert("first part, %", at: 1)
      titles.append("of all, %")
    }
    let hasTokens = advice.best.advised.tokenShare != nil
    if hasTokens { titles.append("tokens not computed, %") }
    var table = Table(titles: titles)
    var listed: [DesignResult] = []
    for design in [advice.best.advised, advice.best.chosen] + advice.best.runnersUp
      + [advice.best.lru]
    where !listed.contains(where: { $0.isSameDesign(as: design) }) {
      listed.append(design)
      var values = [design.hitRatio] + design.halves
      if hasPart {
        values.insert(design.learnedHitRatio, at: 0)
        values.append(design.wholeHitRatio)
      }
      if hasTokens { values.append(design.tokenShare ?? 0) }
      table.rows.append(
        [.code(design.name)]
          + values.map { .text(NumberText.fixed($0 * 100, decimals: 2) ?? "–") })
    }
    return table
  }

  /// Splits of a budget between memory and disk.
  static func splits(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    let currency = advice.costs?.prices.currency ?? ""
    var table = Table(
      titles: [
        "memory", "disk", "in memory", "on disk", "inclusion", "memory hits, %", "disk hits, %",
        "\(currency) a month",
      ])
    for split in advice.splits {
      table.rows.append([
        split.memory > 0 ? .text(sentences.size(split.memory)) : Table.none,
        split.disk > 0 ? .text(sentences.size(split.disk)) : Table.none,
        split.memoryPolicy.map { .code($0) } ?? Table.none,
        split.diskPolicy.map { .code($0) } ?? Table.none,
        split.inclusion.map { .text($0.rawValue) } ?? Table.none,
        .text(NumberText.fixed(split.memoryHitRatio * 100, decimals: 2) ?? "–"),
        .text(NumberText.fixed(split.diskHitRatio * 100, decimals: 2) ?? "–"),
        .text(AdviceNumbers.amount(split.monthlyCost)),
      ])
    }
    return table
  }

  static func lifetimes(_ advice: Advice) -> Table {
    let hasStale = advice.lifetimes.contains { $0.staleRatio != nil }
    var table = Table(
      titles: ["TTL", "\(AdviceSentences(advice: advice).ratioTitle), %", "lost, points"]
        + (hasStale ? ["stale, %"] : []))
    for point in advice.lifetimes {
      table.rows.append(
        [
          .text(AdviceNumbers.time(Double(point.seconds))),
          .text(NumberText.fixed(point.hitRatio * 100, decimals: 2) ?? "–"),
          .text(AdviceNumbers.points(point.lostPoints)),
        ]
          + (hasStale
            ? [
              point.staleRatio.map {
                .text(NumberText.fixed($0 * 100, decimals: 2) ?? "–")
              } ?? Table.none
            ] : []))
    }
    return table
  }

  static func costs(_ advice: Advice, _ costs: Costs) -> Table {
    let sentences = AdviceSentences(advice: advice)
    let currency = costs.prices.currency
    var table = Table(
      titles: [
        "capacity", "\(sentences.storage), \(currency)", "misses, \(currency)",
        "total, \(currency)",
      ])
    for point in costs.points {
      table.rows.append(
        [.text(sentences.size(point.capacity))]
          + [point.storage, point.misses, point.total].map {
            .text(AdviceNumbers.amount($0))
          })
    }
    return table
  }
}

enum AdviceCharts {
  /// Hit ratio by capacity: the recommended design and LRU, with the recommended point.
  static func curve(_ advice: Advice) -> LineChart {
    let best = advice.best
    let sentences = AdviceSentences(advice: advice)
    let name = best.advised.name
    let styles = PolicyStyles([best.advised.policy, "lru"])
    var series = [
      ChartSeries(
        name: name, style: styles[best.advised.policy],
        points: advice.curve.map { point($0, sentences) })
    ]
    if name != "lru" {
      series.append(
        ChartSeries(
          name: "lru", style: styles["lru"],
          points: advice.lruCurve.map { point($0, sentences) }, hasMarkers: false))
    }
    return LineChart(
      title: "\(sentences.ratioTitle.prefix(1).uppercased())\(sentences.ratioTitle.dropFirst()): "
        + advice.trace.name,
      caption: "Higher is better; the capacity axis is logarithmic. Recommended: "
        + "\(sentences.size(best.capacity)).",
      x: ChartAxis(title: "capacity", unit: ChartUnit(advice.unit), isLogarithmic: true),
      y: ChartAxis(title: sentences.ratioTitle, unit: .percent), series: series,
      annotations: [
        LineChart.Annotation(
          x: Double(best.capacity), y: best.advised.hitRatio, text: "recommended")
      ])
  }

  private static func point(_ point: CurvePoint, _ sentences: AdviceSentences) -> ChartSeries.Point
  {
    ChartSeries.Point(
      x: Double(point.capacity), y: point.hitRatio,
      label: "\(sentences.size(point.capacity)): \(AdviceNumbers.percent(point.hitRatio))"
        + (point.isEstimate ? ", estimated" : ""))
  }

  /// Cost by capacity: memory, misses and their sum.
  static func costs(_ advice: Advice, _ costs: Costs) -> LineChart {
    let sentences = AdviceSentences(advice: advice)
    let currency = costs.prices.currency
    func series(
      _ name: String, _ style: SeriesStyle, _ value: @escaping (CostPoint) -> Double
    ) -> ChartSeries {
      ChartSeries(
        name: name, style: style,
        points: costs.points.map { point in
          ChartSeries.Point(
            x: Double(point.capacity), y: value(point),
            label: "\(sentences.size(point.capacity)): "
              + AdviceNumbers.money(value(point), currency))
        })
    }
    return LineChart(
      title: "Cost a month, \(costs.basis), \(TextSafety.singleLine(currency))",
      caption: "Lower is better. Cheapest: \(sentences.size(costs.cheapest.capacity)) for "
        + "\(AdviceNumbers.money(costs.cheapest.total, currency)).",
      x: ChartAxis(title: "capacity", unit: ChartUnit(advice.unit), isLogarithmic: true),
      y: ChartAxis(title: "\(TextSafety.singleLine(currency)) a month", unit: .number),
      series: [
        series("total", SeriesStyle(colour: .blue, marker: .circle)) { $0.total },
        series("misses", SeriesStyle(colour: .orange, marker: .square, dash: .long)) {
          $0.misses
        },
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
