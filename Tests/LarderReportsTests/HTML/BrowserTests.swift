import Foundation
import LarderEngine
import LarderExperiments
import TestSupport
import Testing

@testable import LarderReports

/// The report in a browser.
@Suite(
  .endsInTime, .enabled(if: Chromium.path != nil, Comment(rawValue: Chromium.missing)), .serialized)
struct BrowserTests {
  /// The findings of the script in the page.
  private struct Probe: Decodable {
    let errors: [String]
    let violations: [String]
    let resources: Int
    let plots: Int
    let folds: Int
    let opened: Int
    let height: Double
    let shownBefore: Int
    let shownAfter: Int
    let shownAgain: Int
    let shownNone: Int
    let pressed: String
    let tip: String
    let status: String
    let sort: [String]
    let isDark: Bool
    let sizes: [[Double]]
    let overflow: Double
    let cells: Int
    let milliseconds: Double
    let ranks: [String]
    let measures: [String]
    let copies: [String]
    let heat: String
    let markdown: String
    let saved: String
    let lines: Int
  }

  @Test(arguments: ["report", "compare", "check"])
  func worksWithoutErrorsAndWithoutRequests(_ kind: String) throws {
    try inFolder { folder in
      let page = folder.appending(path: "\(kind).html")
      try Data(Self.withProbe(try Self.page(kind)).utf8).write(to: page)
      let visit = try Chromium.visit(page, in: folder)
      let probe = try #require(Self.probe(visit.document), "\(visit.log.suffix(2000))")
      #expect(probe.errors == [])
      #expect(probe.violations == [])
      #expect(!visit.log.contains("CONSOLE"), "\(visit.log)")
      #expect(probe.resources == 0)
      #expect(visit.initiators.allSatisfy { $0 == "not an origin" }, "\(visit.initiators)")
      // The page is short until its sections are opened.
      let isReport = kind == "report"
      #expect(isReport == (probe.folds > 4) && probe.opened == 0 && probe.height < 5000)
      // Charts are there and have a size.
      let document = ReportDocument(Self.results)
      #expect(probe.plots == (isReport ? document.figures : document.front.figures).count)
      #expect(probe.sizes.count == probe.plots)
      #expect(probe.sizes.allSatisfy { $0[0] > 500 && $0[1] > 80 })
      #expect(probe.overflow <= 0)
      // A click hides a policy in all charts, another shows it again.
      #expect(probe.shownBefore > (isReport ? 2 : 0) && probe.shownAfter == 0)
      #expect(probe.shownAgain == probe.shownBefore && probe.shownNone == 0)
      #expect(probe.pressed == "false")
      // Values are read with the keyboard, tables sorted, colours switched.
      #expect(probe.tip.contains("lru") && probe.tip.contains("%"))
      #expect(probe.status.contains(" at "))
      let bound = kind == "check" ? "belady (knows the future)" : "belady (bound)"
      #expect(probe.sort == ["descending", bound, "ascending", "fifo"])
      #expect(probe.isDark)
      // A cell for each policy and capacity, the ranks at another capacity, text and a picture.
      #expect(probe.cells > 2 && probe.milliseconds < 100, "\(probe.milliseconds) ms")
      #expect(Set(probe.ranks).count == 3, "\(probe.ranks)")
      #expect(probe.lines > 1)
      // Measures that the results have: the first in rank, compared with LRU, and a line for each.
      let isBytes = kind == "check"
      let measures =
        (isBytes ? ["Bytes s3-fifo 60.00 %, +10.00 4"] : [])
        + ["Cost \(Self.hostile) 70.00 %, +45.00 4"]
      #expect(probe.measures.count == measures.count + 1 && probe.measures[0].hasPrefix("Hits "))
      #expect(zip(probe.measures.dropFirst(), measures).allSatisfy { $0.hasSuffix($1) })
      // Heading, caption and text follow the measure; a policy is ranked whatever its name.
      let words =
        (isBytes ? [("Byte hit ratio", "s3-fifo", "60.00")] : [])
        + [("Cost saved", Self.hostile, "70.00")]
      #expect(probe.copies[0].contains("\n## Hit ratio, %: memory\n"))
      for (copy, (title, policy, value)) in zip(probe.copies.dropFirst(), words) {
        #expect(copy.contains("\n## \(title), %: memory\n"), "\(copy)")
        #expect(copy.contains("| \(policy) | \(value) |"), "\(copy)")
        #expect(copy.hasSuffix("\n\(policy) has the highest \(title.lowercased()) at 10%."))
      }
      #expect(probe.heat.contains("cost saved") && probe.heat.contains("45.0"), "\(probe.heat)")
      #expect(probe.markdown.hasPrefix("# ") && probe.markdown.contains("| policy |"))
      #expect(Int(probe.saved).map { $0 > 5000 } == true, "\(probe.saved)")
    }
  }

  /// Without scripts the page shows its charts and no buttons.
  @Test func pageWorksWithoutScripts() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: ".build/screenshots")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try inFolder { temporary in
      let page = temporary.appending(path: "report.html")
      try Data(try HTMLReport().text(of: Self.results).utf8).write(to: page)
      for (name, width) in [("report", 1280), ("report-narrow", 500)] {
        let picture = folder.appending(path: "\(name).png")
        try? FileManager.default.removeItem(at: picture)
        let visit = try Chromium.visit(
          page, in: temporary, width: width, height: 2400, picture: picture)
        let size = (try? Data(contentsOf: picture))?.count ?? 0
        #expect(size > 20_000, "\(visit.log.suffix(2000))")
        print("screenshot: \(picture.path)")
      }
    }
  }

  /// In a frame as wide as a telephone: a window has at least 500 points.
  @Test(arguments: ["report", "compare", "check"])
  func pageFitsATelephone(_ kind: String) throws {
    try inFolder { folder in
      let page = folder.appending(path: "frame.html")
      let text = try Self.page(kind).replacing("&", with: "&amp;")
        .replacing("\"", with: "&quot;")
      try Data(
        """
        <!DOCTYPE html><iframe width="390" height="800" frameborder="0" srcdoc="\(text)"></iframe>
        <script>\(Self.telephone)</script>
        """.utf8
      ).write(to: page)
      let visit = try Chromium.visit(page, in: folder)
      let start = try #require(visit.document.range(of: "[[{")?.lowerBound)
      let end = try #require(visit.document.range(of: "}]]")?.upperBound)
      let found = try JSONDecoder().decode(
        [[String: Int]].self, from: Data(visit.document[start..<end].dropFirst().dropLast().utf8))
      #expect(found.count == 6 && found.allSatisfy { $0["inner"] == 390 }, "\(found)")
      #expect(found.dropLast().allSatisfy { $0["scroll"] ?? 999 <= 390 }, "\(found)")
      // The same page with an element that is too wide.
      #expect(found.last?["scroll"] ?? 0 > 390, "\(found)")
    }
  }

  private static let telephone = """
    document.querySelector('iframe').addEventListener('load', (event) => {
      const view = event.target.contentWindow;
      const all = (selector) => Array.from(view.document.querySelectorAll(selector));
      const found = [];
      const measure = () => found.push({
        inner: view.innerWidth, scroll: view.document.documentElement.scrollWidth });
      measure();
      all('details').forEach((details) => { details.open = true; });
      measure();
      ['[data-measure]', '[data-view=heat]', '[data-view=time]'].forEach((name) => {
        all(name).forEach((button) => button.click());
        measure();
      });
      const wide = view.document.createElement('p');
      wide.style.width = '600px';
      wide.style.height = '9px';
      view.document.querySelector('main').append(wide);
      measure();
      const text = document.createElement('pre');
      text.textContent = '[' + JSON.stringify(found) + ']';
      document.body.append(text);
    });
    """

  private static func page(_ kind: String) throws -> String {
    switch kind {
    case "compare":
      let comparison = RunComparison(
        SampleResults.full, named: "before", with: results, named: "after")
      return try RunComparisonFormat.html.text(of: comparison)
    case "check":
      var check = SampleCheck.full
      var bytes = results
      bytes.records.removeAll { $0.cell.configuration != "memory" }
      for place in bytes.records.indices { bytes.records[place].cell.unit = .bytes }
      check.results = bytes
      return CheckDocument(check).html()
    default: return try HTMLReport().text(of: results)
    }
  }

  private static let hostile = "fifo:\"><script>alert(1)</script>"

  private static var results: RunResults {
    var results = SampleResults.full
    let ratios = ["fifo": (400, 700), "lru": (500, 250), "s3-fifo": (600, 500)]
    for place in results.records.indices {
      results.records[place].hitRatios = "400 500 \(place)"
      let (bytes, cost) = ratios[results.records[place].cell.policy] ?? (900, 900)
      results.records[place].counts.cost = CostCounts(requested: 1000, saved: Double(cost))
      results.records[place].counts.bytesRequested = 1000
      results.records[place].counts.memoryBytesHit = UInt64(bytes)
      results.records[place].counts.diskBytesHit = 0
    }
    results.workloadDescription = "</script><img src=x onerror=alert(1)>\u{2028}"
    results.notes = ["<iframe src=\"https://example.com\"></iframe>"]
    for index in results.records.indices where results.records[index].cell.policy == "fifo" {
      results.records[index].cell.trace = "feed"
      results.records[index].cell.policy = hostile
    }
    return results
  }

  /// The page with a script that uses it like a person and records the results. The page's own
  /// content security policy stays, with that script allowed.
  private static func withProbe(_ page: String) -> String {
    page.replacing(
      "script-src '", with: "script-src '\(PageHash.of(listener))' '\(PageHash.of(probe))' '"
    ).replacing("<style>", with: "<script>\(listener)</script><style>", maxReplacements: 1)
      .replacing("</body>", with: "<script>\(probe)</script></body>")
  }

  private static let listener = """
    window.found = { errors: [], violations: [] };
    addEventListener('error', (event) => found.errors.push(String(event.message)));
    addEventListener('unhandledrejection', (event) => found.errors.push(String(event.reason)));
    addEventListener('securitypolicyviolation', (event) =>
      found.violations.push(event.violatedDirective + ' ' + event.blockedURI));
    """

  private static let probe = """
    const all = (selector) => Array.from(document.querySelectorAll(selector));
    const shown = (name) => all('.plot [data-series]').filter(
      (element) => element.dataset.series === name && element.getClientRects().length).length;
    const button = all('[data-policy]').find((item) => item.dataset.policy === 'lru');
    found.folds = all('details.fold').length;
    found.opened = all('details.fold[open]').length;
    found.height = document.documentElement.scrollHeight;
    all('details.fold').forEach((fold) => { fold.open = true; });
    found.plots = all('.plot').length;
    found.sizes = all('.plot svg.chart').filter((svg) => svg.getClientRects().length)
      .map((svg) => [svg.getBoundingClientRect().width, svg.getBoundingClientRect().height]);
    found.overflow = document.documentElement.scrollWidth - innerWidth;
    found.shownBefore = shown('lru');
    button.focus();
    button.click();
    found.shownAfter = shown('lru');
    found.pressed = button.getAttribute('aria-pressed');
    button.click();
    found.shownAgain = shown('lru');
    all('[data-all=false]')[0].click();
    found.shownNone = shown('lru');
    all('[data-all=true]')[0].click();
    const plot = document.querySelector('#figure-memory-hit-ratio .plot');
    plot.focus();
    ['ArrowRight', 'ArrowRight', 'ArrowDown'].forEach((key) =>
      plot.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
    found.tip = document.querySelector('.tip').textContent;
    found.status = document.querySelector('.status').textContent;
    const table = document.querySelector('#figure-memory-hit-ratio table');
    const title = table.querySelectorAll('thead button')[1];
    const first = () => table.querySelector('tbody th').textContent.slice(0, 25);
    title.click();
    found.sort = [title.parentElement.getAttribute('aria-sort'), first()];
    title.click();
    found.sort.push(title.parentElement.getAttribute('aria-sort'), first().slice(0, 4));
    document.querySelector('[data-theme-choice=dark]').click();
    found.isDark = getComputedStyle(document.body).backgroundColor === 'rgb(13, 17, 23)';
    const explore = document.querySelector('.explore');
    const slider = explore.querySelector('input');
    const ranks = () => explore.querySelector('output').textContent
      + explore.querySelector('ol').textContent;
    slider.value = 0;
    slider.dispatchEvent(new Event('input'));
    found.ranks = [ranks()];
    slider.value = slider.max;
    slider.dispatchEvent(new Event('input'));
    found.ranks.push(ranks());
    found.copies = [];
    found.measures = all('[data-measure]').map((item) => {
      item.click();
      explore.querySelector('[data-copy]').click();
      found.copies.push(explore.dataset.copied
        + document.querySelector('#figure-memory-hit-ratio figcaption').textContent);
      return [item.textContent, explore.querySelector('li').textContent,
        all('.other polyline').length].join(' ');
    });
    const today = explore.querySelector('select');
    today.value = Array.from(today.options).find((option) => !option.selected).value;
    today.dispatchEvent(new Event('input'));
    found.ranks.push(ranks());
    const start = performance.now();
    explore.querySelector('[data-view=heat]').click();
    found.milliseconds = performance.now() - start;
    found.cells = all('rect.heat').length;
    found.heat = document.querySelector('.other').textContent;
    explore.querySelector('[data-view=time]').click();
    found.lines = all('.other polyline').length;
    explore.querySelector('[data-copy]').click();
    found.markdown = explore.dataset.copied;
    found.resources = performance.getEntriesByType('resource').length;
    explore.querySelector('[data-png]').click();
    const finish = (turns) => {
      if (!explore.dataset.saved && turns) { setTimeout(finish, 50, turns - 1); return; }
      found.saved = explore.dataset.saved || '';
      const text = document.createElement('pre');
      text.id = 'probe';
      text.textContent = '[[' + JSON.stringify(found) + ']]';
      document.body.append(text);
    };
    finish(160);
    """

  private static func probe(_ document: String) -> Probe? {
    guard let start = document.range(of: "[[{"), let end = document.range(of: "}]]") else {
      return nil
    }
    let text = document[start.lowerBound..<end.upperBound].dropFirst(2).dropLast(2)
      .replacing("&amp;", with: "&").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
    return try? JSONDecoder().decode(Probe.self, from: Data(text.utf8))
  }

  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-page-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }
}
