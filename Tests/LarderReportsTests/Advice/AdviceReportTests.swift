import Foundation
import LarderExperiments
import Testing

@testable import LarderReports

struct AdviceReportTests {
  @Test func boxFitsTheTerminal() {
    var decision = Decision(
      trace: "t", unit: .bytes,
      today: .init(cache: "nginx lru, inactive=10m", capacity: 200 << 20, hitRatio: 0.2),
      proposed: .init(
        cache: "nginx inactive=30d, proxy_cache_min_uses 2", capacity: 200 << 20, hitRatio: 0.6))
    decision.today.originRequestsPerDay = 53_267
    decision.proposed.originRequestsPerDay = 39_506
    let text = DecisionBox(decision: decision).text(width: 80)
    // Titles end where their columns do.
    let lines = text.split(separator: "\n")
    let ends = ["change", "points", "-25.8 %"].map { word in
      lines.first { $0.contains(word + " ") && $0.contains("  ") && !$0.contains("Use") }
        .flatMap { $0.range(of: word + " ", options: .backwards)?.upperBound.utf16Offset(in: $0) }
    }
    #expect(Set(ends).count == 1 && ends[0] != nil, "\(ends)\n\(text)")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(text.contains(" nginx inactive=30d, ") && text.contains(" proxy_cache_min_uses 2 "))
  }

  @Test func textFitsOneScreenInOrder() {
    let text = AdviceText.text(of: SampleAdvice.advice(), width: 80)
    let titles = ["Advice", "Regret", "Memory", "Disk", "TTL", "Money", "Stability", "Assumed"]
    let places = titles.compactMap { text.range(of: "\n" + $0) ?? text.range(of: $0) }
      .map(\.lowerBound)
    #expect(places.count == titles.count && places == places.sorted())
    // Except for the table of capacities, which is as wide as the names of designs.
    let parts = text.components(separatedBy: "\n\n")
    let lines = parts.filter { !$0.hasPrefix("capacity") }
    #expect(lines.joined(separator: "\n").split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(
      text.contains(
        "\nAdvice     64.00 MiB with s3-fifo:small=0.2 behind second-hit serves 82.1 % of\n"))
    #expect(text.contains("all), and would need 118.00 MiB for as much.\n"))
  }

  /// Today and the proposal come first; for a server they are the whole screen.
  @Test func boxIsFirst() throws {
    var advice = SampleAdvice.advice()
    let text = AdviceText.text(of: advice, width: 80)
    #expect(text.hasPrefix("┌──"))
    let words = text.split { $0.isWhitespace || $0 == "│" }.joined(separator: " ")
    for part in [
      "Use nginx inactive=1d with 64.00 MiB and fewer query parameters in the key: 5.00 points "
        + "more hits, 1.50 USD a month less.",
      "hit ratio 70.00 % 75.00 % +5.00 points", "hit ratio in the log 62.00 % –",
      "origin traffic a day 5.00 GB 4.50 GB -10.0 %", "USD a month 21.50 20.00 -7.0 %",
      "Another cache: arc with 64.00 MiB would serve 82.22 %, 7.22 points more than proposed",
      "TTL: one of 60 min or more costs at most 0.2 points.",
      "Amounts a day: extrapolated from 2.0 h of trace.", "differ from the simulation by 8.00",
    ] {
      #expect(words.contains(part), "\(part)\n\(text)")
    }
    advice.decision?.isServer = true
    let short = AdviceText.text(of: advice, width: 80)
    #expect(!short.contains("Advice  ") && short.split(separator: "\n").count < 30)
    let page = try #require(try AdviceReport.files(of: advice).first { $0.name == "advice.html" })
    let answer = try #require(page.text.range(of: "<section id=\"answer\">"))
    #expect(page.text[answer.upperBound...].hasPrefix("<p><strong>Use nginx inactive=1d"))
  }

  @Test func unimportantChoiceIsStatedFirst() {
    let text = AdviceText.text(of: SampleAdvice.advice(matters: false), width: 80)
    #expect(text.contains("\nAdvice     The policy does not matter:"))
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("Keep lru."))
    #expect(
      words.contains(
        "in the last 50 % of the trace, of which 12.5 % may not be cached, with a warm cache "
          + "(73.3 % of all)"))
  }

  @Test func sentencesContainMeasurements() {
    let sentences = AdviceSentences(advice: SampleAdvice.advice())
    #expect(sentences.regret.contains("In hindsight, arc was 0.12 points better;"))
    #expect(sentences.regret.contains("is better by at most 0.30 points (two standard errors)"))
    #expect(
      sentences.memory?.contains("Half of it (32.00 MiB) serves 75.0 % (7.10 points less") == true)
    #expect(sentences.memory?.contains("is the knee") == true)
    #expect(sentences.disk?.hasPrefix("A disk tier pays:") == true)
    #expect(sentences.lifetimes?.contains("5 min costs 2.10 points and leaves 1.00 %") == true)
    #expect(sentences.money?.contains("example prices") == true)
    // The recommended capacity is not the cheapest, with the reason.
    #expect(
      sentences.money?.contains(
        "Cheaper with this design: 128.00 MiB, 16.28 USD; 64.00 MiB is recommended as the knee")
        == true)
    for text in [sentences.money, sentences.disk] {
      #expect(text?.contains(" USD a month, extrapolated from 30 s of trace") == true)
    }
    #expect(sentences.ratioTitle.hasSuffix("(12.5 % may not be cached)"))
    #expect(sentences.stability?.hasPrefix("The halves of the trace differ:") == true)
    #expect(
      sentences.runnerUp?.contains(" points more on the first part") == true,
      "\(sentences.runnerUp ?? "")")
  }

  /// A bound far above the measured differences says that samples do not know.
  @Test func uncertainSamplesAreReported() {
    var advice = SampleAdvice.advice()
    advice.capacities[1].regretBoundPoints = 5
    let regret = AdviceSentences(advice: advice).regret
    #expect(regret.contains("cannot exclude 5.00 points"))
    #expect(!regret.contains("at most"))
  }

  @Test func designsWorseThanLRUAreNotAdvised() {
    var advice = SampleAdvice.advice()
    advice.capacities[1].advised = advice.best.lru
    advice.capacities[1].chosen = SampleAdvice.design("lirs", 0.7507)
    let text = AdviceSentences(advice: advice).recommendation
    #expect(text.hasPrefix("Keep lru: with 64.00 MiB, lru serves 75.3 %"))
    #expect(text.contains("lirs, the best on the first part, serves 75.1 %"))
    #expect(text.hasSuffix("0.23 points less."))
  }

  @Test func capacitiesInObjectsHaveTheirUnit() {
    var advice = SampleAdvice.advice()
    advice.unit = .objects
    let memory = AdviceSentences(advice: advice).memory
    #expect(memory?.contains("beyond it, each object gains less") == true)
  }

  @Test(arguments: [
    (Advice.Obstacle.nothingRepeats, "no request is for an object seen before (0 of 5 000)"),
    (.nothingFits, "the largest capacity is 64.00 MiB, the smallest object has 2.00 KiB"),
    (.nothingHits, "none of 353 designs has a hit in the last 50 % of the trace"),
  ])
  func reasonAgainstAnyCacheIsTheWholeAnswer(_ obstacle: Advice.Obstacle, _ words: String) throws {
    var advice = SampleAdvice.advice()
    (advice.obstacle, advice.reason, advice.costs) = (obstacle, nil, nil)
    let sentences = AdviceSentences(advice: advice)
    #expect(sentences.items.map(\.title) == ["Advice"])
    #expect(sentences.recommendation.contains(words), "\(sentences.recommendation)")
    let text = AdviceText.text(of: advice, width: 80)
    #expect(!text.contains("knee") && !text.contains("Keep lru") && !text.contains("capacity  "))
    let files = try AdviceReport.files(of: advice)
    #expect(files.map(\.name) == ["advice.json", "advice.md", "advice.html"])
    #expect(files[1].text.contains("## Method") && !files[1].text.contains("| capacity"))
  }

  @Test func filesAreWhole() throws {
    let files = try AdviceReport.files(of: SampleAdvice.advice())
    #expect(
      files.map(\.name) == [
        "advice.json", "advice.md", "advice.html", "charts/hit-ratio.svg", "charts/cost.svg",
      ])
    let page = try #require(files.first { $0.name == "advice.html" }?.text)
    let shape = try #require(HTMLReportTests.shape(page))
    #expect(shape.attributes["src"] == nil)
    let ids = shape.attributes["id"] ?? []
    #expect(Set(ids).count == ids.count)
    #expect(page.contains("recommended") && page.contains("Why not the runner-up"))
    let markdown = try #require(files.first { $0.name == "advice.md" }?.text)
    #expect(markdown.contains("(charts/hit-ratio.svg)") && markdown.contains("## Cost"))
  }

  @Test func hostileNamesStayText() throws {
    func page(_ name: String) throws -> String {
      let files = try AdviceReport.files(of: SampleAdvice.advice(name: name))
      return try #require(files.first { $0.name == "advice.html" }?.text)
    }
    let expected = try #require(HTMLReportTests.shape(try page("plain")))
    for name in HostileText.examples {
      let shape = try #require(HTMLReportTests.shape(try page(name)), "\(name.debugDescription)")
      #expect(shape.elements.count == expected.elements.count, "\(name.debugDescription)")
      let json = try AdviceReport.json(SampleAdvice.advice(name: name))
      let decoded = try JSONDecoder().decode(Advice.self, from: Data(json.utf8))
      #expect(decoded.trace.name == name)
    }
  }

  @Test func cardIsOneElementWithoutScriptsOrIdentifiers() throws {
    let card = AdviceReport.card(SampleAdvice.advice())
    #expect(card.hasPrefix("<div ") && card.hasSuffix("</div>\n"))
    #expect(card.contains("<strong>64.00 MiB with s3-fifo:small=0.2 behind second-hit"))
    #expect(card.contains("<strong>Regret:</strong>") && card.contains("<table>"))
    let expected = try #require(HTMLReportTests.shape(card))
    #expect(expected.attributes["id"] == nil && expected.attributes["src"] == nil)
    #expect(!card.contains("<script") && !card.contains("<style"))
    for name in HostileText.examples {
      let hostile = AdviceReport.card(SampleAdvice.advice(name: name))
      let shape = try #require(HTMLReportTests.shape(hostile), "\(name.debugDescription)")
      #expect(shape.elements.count == expected.elements.count, "\(name.debugDescription)")
    }
  }

  @Test func linesAreWrappedAtWords() {
    #expect(AdviceText.wrapped("a bb ccc dddd", width: 6) == ["a bb", "ccc", "dddd"])
    #expect(AdviceText.wrapped("longer-than-that x", width: 4) == ["longer-than-that", "x"])
    #expect(AdviceText.wrapped("", width: 4) == [])
  }

  /// `docs/advice.schema.json` describes exactly the contents of `advice.json`.
  @Test func schemaMatchesAdvice() throws {
    let schema = try SchemaFile(named: "advice.schema.json")
    var advice = SampleAdvice.advice()
    advice.obstacle = .nothingHits
    let text = try AdviceReport.json(advice)
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    var seen: Set<String> = []
    schema.check(value, at: "advice", &seen)
    // LRU has no filter in any position.
    let absent = schema.keys(at: "advice").subtracting(seen)
    #expect(absent.filter { !$0.hasSuffix(".admission") } == [])
  }
}
