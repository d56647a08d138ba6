import LarderExperiments

/// The report for a person as one self-contained page; complete, but static, without JavaScript.
package struct HTMLReport: ReportFormat {
  package let name = "html"
  package let fileName = "report.html"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    let document = ReportDocument(results)
    let policies = Self.policies(results)
    let comparisons = Comparison.all(in: results.records)
    let titles = policies.map { text in
      let policy = PolicyName(text)
      return comparisons.first { $0.offline.contains(policy) }?.title(of: policy) ?? text
    }
    let markup = HTMLMarkup(styles: document.styles, policies: Set(policies))
    var body = HTMLBody(markup: markup)
    let answer = body.html(document.answer)
    let main = body.html(document.front) + body.html(document.details)
    return HTMLPage(
      title: "\(results.workload) · larder",
      body: """
        \(Self.head(results, body.html(Array(document.head.dropFirst()))))
        <div class="answer"><section id="answer">\(answer)</section></div>
        <div class="columns">
        \(Self.aside(zip(policies, titles).map { ($0, $1) }, body.contents, markup))
        <main>
        \(main)</main>
        </div>
        <p class="status" role="status" aria-live="polite"></p>
        """
    ).text
  }

  private static func policies(_ results: RunResults) -> [String] {
    var seen: Set<String> = []
    let names = results.records.map(\.cell.policy).filter { seen.insert($0).inserted }
    return names.filter { !PolicyName($0).isOffline } + names.filter { PolicyName($0).isOffline }
  }

  private static func head(_ results: RunResults, _ introduction: String) -> String {
    let facts = [
      "\(results.started)", "\(results.records.count) of \(results.plannedCells) cells",
      results.machine.summary, "larder \(results.machine.larder)",
    ]
    return """
      <header>
      <div class="bar"><span class="brand">larder</span>\(HTMLPage.themeSwitch)</div>
      <h1>\(XMLText.escaped(results.workload))</h1>
      <div class="lead">\(introduction)</div>
      <ul class="facts">\(facts.map { "<li>\(XMLText.escaped($0))</li>" }.joined())</ul>
      </header>
      """
  }

  private static func aside(
    _ policies: [(name: String, title: String)], _ contents: [(id: String, title: String)],
    _ markup: HTMLMarkup
  ) -> String {
    let buttons = policies.map { policy, title in
      "<button type=\"button\" class=\"policy\" aria-pressed=\"true\""
        + XMLText.attribute("data-policy", policy)
        + ">\(markup.mark(policy))<span>\(XMLText.escaped(title))</span></button>"
    }
    let links = contents.map { entry in
      "<li><a href=\"#\(entry.id)\">\(XMLText.escaped(entry.title))</a></li>"
    }
    return """
      <aside>
      <section class="legend" aria-label="Policies"><h2>Policies</h2>
      <p class="hint" hidden>Click to hide or show in all charts.</p>
      <div class="policies">\(buttons.joined(separator: "\n"))</div>
      <p class="all" hidden><button type="button" data-all="true">Show all</button>
      <button type="button" data-all="false">Hide all</button></p></section>
      <nav aria-label="Sections"><h2>On this page</h2><ul>\(links.joined())</ul></nav>
      </aside>
      """
  }
}
