import LarderSimulation

/// The report for a person who must choose, as one page that needs nothing beside it: the answer,
/// charts that show their values and let policies be switched off, and tables that can be sorted.
///
/// Without JavaScript it is the same page, standing still. What it says is decided in
/// `ReportDocument`; here it only becomes HTML.
package struct HTMLReport: ReportFormat {
  /// The name users type.
  package let name = "html"
  /// The file that a run writes.
  package let fileName = "report.html"

  /// With more cards than this the words would be a wall: they are there on demand.
  private static let cardsBesideWords = 2

  /// The format has no options.
  package init() {}

  /// The page. Linear in the number of records.
  package func text(of results: RunResults) throws(ReportError) -> String {
    let document = ReportDocument(results)
    let comparisons = Comparison.all(in: results.records)
    let policies = Self.policies(results)
    let markup = HTMLMarkup(styles: document.styles, policies: Set(policies))
    // The title is told by the head of the page; what stands before the first section goes below
    // it.
    let blocks = Array(document.blocks.dropFirst())
    let start = blocks.firstIndex { if case .heading(2, _) = $0 { true } else { false } } ?? 0
    let answer = blocks[..<start].map { markup.text(of: $0) }.joined(separator: "\n")
    let rest = Array(blocks[start...])
    let end = rest.dropFirst().firstIndex { if case .heading(2, _) = $0 { true } else { false } }
    let first = HTMLBody(Array(rest[..<(end ?? rest.endIndex)]).dropHeading, markup: markup)
    let body = HTMLBody(Array(rest[(end ?? rest.endIndex)...]), markup: markup)
    let severalTraces = Set(comparisons.map(\.trace)).count > 1
    let headlines = Headline.all(in: results, comparisons, severalTraces: severalTraces)
    let cards = headlines.map { $0.html(markup) }.joined()
    // With cards at hand, the whole answer is for whoever wants to read on.
    let isOpen = headlines.count > Self.cardsBesideWords ? "" : " open"
    let words =
      cards.isEmpty
      ? first.html
      : "<details\(isOpen)><summary>Recommendation in words</summary>\(first.html)</details>"
    return HTMLPage(
      title: "\(results.workload) · larder",
      body: """
        \(Self.head(results, answer))
        <div class="answer"><section id="answer"><h2>Recommendation</h2>
        \(cards.isEmpty ? "" : "<div class=\"cards\">\(cards)</div>")
        \(words)</section></div>
        <div class="columns">
        \(Self.aside(policies, body.contents, markup))
        <main>
        \(body.html)</main>
        </div>
        <p class="status" role="status" aria-live="polite"></p>
        """
    ).text
  }

  /// The policies in their order, those that know the future last.
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

  /// The policies to be switched, and where the sections are.
  private static func aside(
    _ policies: [String], _ contents: [(id: String, title: String)], _ markup: HTMLMarkup
  ) -> String {
    let buttons = policies.map { policy in
      "<button type=\"button\" class=\"policy\" aria-pressed=\"true\""
        + XMLText.attribute("data-policy", policy)
        + ">\(markup.mark(policy))<span>\(XMLText.escaped(policy))</span></button>"
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

extension [Block] {
  /// The blocks without the heading that they begin with.
  fileprivate var dropHeading: [Block] {
    if case .heading = first { Array(dropFirst()) } else { self }
  }
}
