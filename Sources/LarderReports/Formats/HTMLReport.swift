import LarderExperiments

/// The report for a person as one self-contained page; complete, but static, without JavaScript.
package struct HTMLReport: ReportFormat {
  package let name = "html"
  package let fileName = "report.html"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    let document = ReportDocument(results)
    let names = results.records.map(\.cell.policy).distinct.map { PolicyName($0) }
    let policies = names.filter { !$0.isOffline } + names.filter(\.isOffline)
    let comparisons = Comparison.all(in: results.records)
    let markup = HTMLMarkup(styles: document.styles, policies: Set(policies.map(\.text)))
    let buttons = policies.map { policy in
      let title = comparisons.first { $0.offline.contains(policy) }?.title(of: policy)
      return "<button type=\"button\" class=\"policy\" aria-pressed=\"true\""
        + XMLText.attribute("data-policy", policy.text)
        + ">\(markup.mark(policy.text))<span>\(XMLText.escaped(title ?? policy.text))</span>"
        + "</button>"
    }
    let sections = document.details.compactMap { block in
      if case .fold(let title, _) = block { title } else { nil }
    }
    let links = sections.enumerated().map { number, title in
      "<li><a href=\"#section-\(number + 1)\">\(XMLText.escaped(title))</a></li>"
    }
    let facts = [
      "\(results.started)", "\(results.records.count) of \(results.plannedCells) cells",
      results.machine.summary, "larder \(results.machine.larder)",
    ]
    return HTMLPage(
      title: results.workload,
      lead: """
        <div class="lead">\(markup.html(Array(document.head.dropFirst())))</div>
        <ul class="facts">\(facts.map { "<li>\(XMLText.escaped($0))</li>" }.joined())</ul>

        """,
      answer: markup.html(document.answer),
      aside: """
        <aside>
        <section class="legend" aria-label="Policies"><h2>Policies</h2>
        <p class="hint" hidden>Click to hide or show in all charts.</p>
        <div class="policies">\(buttons.joined(separator: "\n"))</div>
        <p class="all" hidden><button type="button" data-all="true">Show all</button>
        <button type="button" data-all="false">Hide all</button></p></section>
        <nav aria-label="Sections"><h2>On this page</h2><ul>\(links.joined())</ul></nav>
        </aside>

        """,
      main: explorer(document.front.figures.first, try time(comparisons, document.styles))
        + markup.html(document.front) + HTMLMarkup().html(document.details)
    ).text
  }

  /// Hit ratios over the trace, by policy, at the capacity that the box names.
  private struct TimeLine: Encodable {
    var name: String
    var style: String
    var parts: String
  }

  private func time(
    _ comparisons: [Comparison], _ styles: PolicyStyles
  ) throws(ReportError) -> String? {
    guard let main = ConfigurationRanking.all(comparisons).first?.first?.ranking,
      let column = main.knee
    else { return nil }
    let lines = main.comparison.competitors.sorted(byKey: main.meanDeficit).compactMap { policy in
      main.comparison.records(policy, column).first?.hitRatios.map {
        TimeLine(
          name: policy.text, style: styles[policy.text].colour.className, parts: Self.halved($0))
      }
    }
    return lines.isEmpty ? nil : try ResultsJSON.text(of: lines, format: name, isPretty: false)
  }

  /// Means of two parts each.
  private static func halved(_ parts: String) -> String {
    let values = parts.split(separator: " ").compactMap { Int($0) }
    return stride(from: 0, to: values.count, by: 2).map { place in
      let pair = values[place..<min(place + 2, values.count)]
      return "\(pair.reduce(0, +) / pair.count)"
    }.joined(separator: " ")
  }

  /// Controls for the main chart, which the script shows and fills from the chart's table.
  private func explorer(_ figure: ChartFigure?, _ time: String?) -> String {
    guard let figure else { return "" }
    let views =
      [("curve", "Curve"), ("heat", "Heat map")] + (time == nil ? [] : [("time", "Time")])
    let data = time.map { XMLText.attribute("data-time", $0) } ?? ""
    let buttons = views.map { name, title in
      "<button type=\"button\" data-view=\"\(name)\" aria-pressed=\"false\">\(title)</button>"
    }
    return """
      <div class="explore"\(XMLText.attribute("data-figure", figure.name))\(data) hidden>
      <div class="views" role="group" aria-label="View">\(buttons.joined())</div>
      <label>Capacity <input type="range" min="0" max="0" step="1" value="0"/> <output></output>
      </label><ol></ol>
      <p><button type="button" data-copy="true">Copy as Markdown</button>
      <button type="button" data-png="true">Save as PNG</button> <span class="told"></span></p>
      </div>

      """
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
