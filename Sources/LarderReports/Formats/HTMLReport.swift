import LarderExperiments

/// The report for a person as one self-contained page; complete, but static, without JavaScript.
package struct HTMLReport: ReportFormat {
  package let name = "html"
  package let fileName = "report.html"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    let document = ReportDocument(results)
    let facts = [
      "\(results.started)", "\(results.records.count) of \(results.plannedCells) cells",
      results.machine.summary, "larder \(results.machine.larder)",
    ]
    return page(
      of: results, document, title: results.workload,
      lead: """
        <div class="lead">\(HTMLMarkup().html(Array(document.head.dropFirst())))</div>
        <ul class="facts">\(facts.map { "<li>\(XMLText.escaped($0))</li>" }.joined())</ul>

        """, answer: document.answer, details: document.details)
  }

  /// A page about results: the first paragraph and list of the blocks and the box are its answer,
  /// the first chart of the results follows with its controls.
  func page(
    of results: RunResults?, title: String, _ blocks: [Block]
  ) -> String {
    let rest = blocks.drop { if case .heading = $0 { true } else { false } }
    let end = rest.firstIndex { if case .paragraph = $0 { false } else { true } } ?? rest.endIndex
    let document = results.map { ReportDocument($0) }
    return page(
      of: results, document, title: title, answer: Array(rest[..<end]) + (document?.boxes ?? []),
      first: Array(rest[end...]))
  }

  private func page(
    of results: RunResults?, _ document: ReportDocument?, title: String, lead: String = "",
    answer: [Block], first: [Block] = [], details: [Block] = []
  ) -> String {
    let records = results?.records ?? []
    let names = records.map(\.cell.policy).distinct.map { PolicyName($0) }
    let policies = names.filter { !$0.isOffline } + names.filter(\.isOffline)
    let comparisons = Comparison.all(in: records)
    let styles = document?.styles ?? PolicyStyles([])
    let markup = HTMLMarkup(styles: styles, policies: Set(policies.map(\.text)))
    let front = document?.front ?? []
    let controls = explorer(front.figures.first, comparisons, styles)
    return HTMLPage(
      title: title, lead: lead, answer: HTMLMarkup().html(answer),
      aside: front.isEmpty ? "" : aside(policies, comparisons, markup, details),
      main: HTMLMarkup().html(first) + controls + markup.html(front) + HTMLMarkup().html(details)
    ).text
  }

  private func aside(
    _ policies: [PolicyName], _ comparisons: [Comparison], _ markup: HTMLMarkup, _ details: [Block]
  ) -> String {
    let buttons = policies.map { policy in
      let title = comparisons.first { $0.offline.contains(policy) }?.title(of: policy)
      return "<button type=\"button\" class=\"policy\" aria-pressed=\"true\""
        + XMLText.attribute("data-policy", policy.text)
        + ">\(markup.mark(policy.text))<span>\(XMLText.escaped(title ?? policy.text))</span>"
        + "</button>"
    }
    let sections = details.compactMap { block in
      if case .fold(let title, _) = block { title } else { nil }
    }
    let links = sections.enumerated().map { number, title in
      "<li><a href=\"#section-\(number + 1)\">\(XMLText.escaped(title))</a></li>"
    }
    let navigation =
      links.isEmpty
      ? ""
      : """
      <nav aria-label="Sections"><h2>On this page</h2><ul>\(links.joined())</ul></nav>

      """
    return """
      <aside>
      <section class="legend" aria-label="Policies"><h2>Policies</h2>
      <p class="hint" hidden>Click to hide or show in all charts.</p>
      <div class="policies">\(buttons.joined(separator: "\n"))</div>
      <p class="all" hidden><button type="button" data-all="true">Show all</button>
      <button type="button" data-all="false">Hide all</button></p></section>
      \(navigation)</aside>

      """
  }

  /// Controls for the main chart, which the script shows and fills from the chart's table, and from
  /// what its rows lack: class of the colour, hit ratios over the trace at the capacity that the
  /// box names, and further measures at all capacities.
  private func explorer(
    _ figure: ChartFigure?, _ comparisons: [Comparison], _ styles: PolicyStyles
  ) -> String {
    guard let figure, figure.name.hasSuffix("hit-ratio"),
      let main = ConfigurationRanking.all(comparisons).first?.first?.ranking
    else { return "" }
    let comparison = main.comparison
    let measures = [("Bytes", Metric.byteHitRatio), ("Cost", .costSaved)].filter {
      comparison.has($0.1.value)
    }
    let policies = comparison.competitors.sorted(byKey: main.meanDeficit) + comparison.offline
    let rows = policies.map { policy -> [String] in
      let course = main.knee.flatMap { comparison.records(policy, $0).first?.hitRatios } ?? ""
      let values = measures.map { _, metric in
        comparison.columns.indices.map { column -> String in
          let share = comparison.spread(policy, column, of: metric.value)?.mean
          return Self.packed(share.map { ($0 * 10_000).rounded() }, of: 10_000)
        }.joined()
      }
      let time = policy.isOffline ? "" : Self.halved(course)
      return [styles[policy.text].colour.className, time] + values
    }
    var (data, views) = ("", [("curve", "Curve", ""), ("heat", "Heat map", "")])
    if let column = main.knee, rows.contains(where: { !$0[1].isEmpty }) {
      data = XMLText.attribute("data-at", main.title(column))
      views.append(("time", "Time", ""))
    }
    if views.count > 2 || !measures.isEmpty {
      data += XMLText.attribute(
        "data-rows", rows.map { $0.joined(separator: ",") }.joined(separator: " "))
    }
    let shown = [("0", "Hits", "")] + measures.enumerated().map { ("\($0 + 1)", $1.0, $1.1.title) }
    return """
      <div class="explore"\(XMLText.attribute("data-figure", figure.name))\(data) hidden>
      \(Self.choice("view", views))\(Self.choice("measure", shown))
      <label>Capacity <input type="range" min="0" max="0" step="1" value="0"/> <output></output>
      </label><label>Compared with <select></select></label><ol></ol>
      <p><button type="button" data-copy="true">Copy as Markdown</button>
      <button type="button" data-png="true">Save as PNG</button> <span class="told"></span></p>
      </div>

      """
  }

  private static func choice(_ name: String, _ choices: [(String, String, String)]) -> String {
    if choices.count < 2 { return "" }
    let buttons = choices.map { value, text, title in
      "<button type=\"button\" data-\(name)=\"\(value)\" aria-pressed=\"false\""
        + (title.isEmpty ? "" : XMLText.attribute("title", title)) + ">\(text)</button>"
    }
    return "<div class=\"views\" role=\"group\" aria-label=\"\(name.capitalisedFirst)\">"
      + buttons.joined() + "</div>"
  }

  /// Means of two parts each.
  private static func halved(_ parts: String) -> String {
    let values = parts.split(separator: " ").compactMap { Double($0) }
    return stride(from: 0, to: values.count, by: 2).map { place in
      let pair = values[place..<min(place + 2, values.count)]
      return packed(pair.reduce(0, +) / Double(pair.count), of: 1000)
    }.joined()
  }

  /// A number up to `limit` in the digits of base 36 that `limit` has; dashes for a missing one.
  private static func packed(_ value: Double?, of limit: Int) -> String {
    let digits = String(limit, radix: 36).count
    guard let value else { return String(repeating: "-", count: digits) }
    let text = String(Int(max(0, min(Double(limit), value))), radix: 36)
    return String(repeating: "0", count: digits - text.count) + text
  }
}

/// The report for a person in GitHub's Markdown, with its charts in a folder next to it.
package struct MarkdownReport: ReportFormat {
  package let name = "markdown"
  package let fileName = "report.md"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    MarkdownMarkup().text(of: ReportDocument(results).blocks.narrow)
  }

  package func files(of results: RunResults) throws(ReportError) -> [ReportFile] {
    [ReportFile(name: fileName, text: try text(of: results))]
      + ReportDocument(results).figures.map(\.file)
  }
}
