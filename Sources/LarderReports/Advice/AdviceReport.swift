import Foundation
import LarderAdvice
import LarderSystem

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

  /// The content of the Markdown and the HTML report.
  static func blocks(_ advice: Advice) -> [Block] {
    let sentences = AdviceSentences(advice: advice)
    var blocks: [Block] = [
      .heading(1, [.text("Advice for \(advice.trace.name)")]),
      .paragraph([.strong(sentences.recommendation)]),
      .list(
        sentences.items.dropFirst().map { [.strong("\($0.title):"), .text(" " + $0.text)] }),
    ]
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
      blocks += [.heading(2, ["Times to live"]), .table(AdviceTables.lifetimes(advice))]
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
    if !advice.notes.isEmpty {
      blocks += [.heading(2, ["Notes"]), .list(advice.notes.map { [.text($0)] })]
    }
    return blocks + [.heading(2, ["How it came about"]), .paragraph([.text(method(advice))])]
  }

  private static func assumed(_ costs: Costs) -> String {
    (costs.areExamples
      ? "These are example prices, which are not yours: give your own with --prices. "
      : "") + "The figures assume, in \(costs.prices.currency):"
  }

  private static func method(_ advice: Advice) -> String {
    let requests = NumberText.grouped(advice.replayedRequests)
    return "\(advice.candidates) designs (policies with the parameter values that they declare as "
      + "worth trying, alone and behind every admission filter) were simulated at each capacity; "
      + "\(requests) requests were replayed. Samples and random policies have the seed "
      + "\(advice.seed). Policies that know the future are no candidates."
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
