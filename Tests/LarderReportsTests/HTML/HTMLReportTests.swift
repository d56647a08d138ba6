import Foundation
import LarderPolicies
import Testing

@testable import LarderExperiments
@testable import LarderReports

struct HTMLReportTests {
  private let page: String

  init() throws { page = try HTMLReport().text(of: SampleResults.full) }

  /// The structure of the page as XML, after closing what HTML leaves open.
  static func shape(_ page: String) -> XMLShape? {
    var text = page.replacing("<!DOCTYPE html>\n", with: "")
    for (start, end) in [("<script>", "</script>"), ("<style>", "</style>")] {
      guard let first = text.range(of: start), let last = text.range(of: end) else { continue }
      text.removeSubrange(first.lowerBound..<last.upperBound)
    }
    text.replace(/<(meta[^>]*)>/) { "<\($0.1)/>" }
    text.replace(/<(t[hd])( [^>]*)?>(.*?)(?=<t[hd][ >]|\n|<\/thead>)/) {
      "<\($0.1)\($0.2 ?? "")>\($0.3)</\($0.1)>"
    }
    text.replace(/<tr>(.*?)(?=\n|<\/thead>)/) { "<tr>\($0.1)</tr>" }
    text.replace(/(<[a-z]+[^>]*?[ ])(hidden|open)(?=[ >])/) { "\($0.1)\($0.2)=\"\"" }
    return XMLShape(text)
  }

  @Test func pageIsCompleteAndDeterministic() throws {
    #expect(Self.shape(page) != nil)
    #expect(try HTMLReport().text(of: SampleResults.full) == page)
  }

  @Test func pageIsSelfContained() throws {
    let shape = try #require(Self.shape(page))
    let policy = try #require(shape.attributes["content"]?.first)
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(!policy.contains("unsafe") && !policy.contains("http"))
    #expect(shape.attributes["src"] == nil)
    #expect((shape.attributes["href"] ?? []).allSatisfy { $0.hasPrefix("#") })
    let rest = page.replacing("http://www.w3.org/2000/svg", with: "")
    #expect(!rest.contains("http:") && !rest.contains("https:") && !rest.contains("@import"))
    #expect(!rest.contains("url("))
  }

  /// 40 policies at 8 sizes, another one best by bytes, with hit ratios over the trace.
  @Test func largePageIsSmall() throws {
    var results = SampleResults.empty()
    let names = PolicyRegistry.all.map(\.description.name).prefix(38) + ["2q:in=0.5", "arc:x=1"]
    for (policy, name) in names.enumerated() {
      for size in 0..<8 {
        let cell = SampleResults.cell(name, capacity: 1 << (20 + size), unit: .bytes)
        let hits = UInt64(2000 + 300 * size + policy * 17)
        var record = SampleResults.record(cell, hits: hits)
        record.counts.memoryBytesHit = (3000 - UInt64(policy * 23)) * 900
        record.hitRatios = (0..<100).map { "\(400 + ($0 * 7 + policy) % 300)" }
          .joined(separator: " ")
        results.records.append(record)
      }
    }
    let page = try HTMLReport().text(of: results)
    #expect(page.utf8.count <= 150_000)
    #expect(page.components(separatedBy: "<figure").count == 3)
    // Bytes are counted, costs are not.
    #expect(page.contains(">Bytes</button>") && !page.contains(">Cost</button>"))
  }

  /// Names do not affect the elements and attributes of the page, nor its style and script.
  @Test func hostileNamesKeepTheShape() throws {
    let expected = try #require(Self.shape(try HTMLReport().text(of: SampleResults.named("plain"))))
    for text in HostileText.examples + HostileText.random(count: 10, seed: 11) {
      let page = try HTMLReport().text(of: SampleResults.named(text))
      let shape = try #require(Self.shape(page), "\(text.debugDescription)")
      let isSame = shape.elements.map(Self.plain) == expected.elements.map(Self.plain)
      #expect(isSame, "\(text.debugDescription)")
      #expect(page.range(of: "<script>\(PageScript.text)</script>") != nil)
      #expect(page.range(of: "<style>\(PageStyle.text)</style>") != nil)
      #expect(page.components(separatedBy: "<script").count == 2, "\(text.debugDescription)")
      let ids = shape.attributes["id"] ?? []
      #expect(Set(ids).count == ids.count, "\(text.debugDescription)")
    }
  }

  /// Styles of lines and markers may differ.
  private static func plain(_ element: String) -> String {
    element.replacing(" stroke-dasharray", with: "").replacing("use class ", with: "use ")
  }

  /// A large report: thirty policies, six capacities, memory and hybrid.
  @Test func isUnderOneMegabyte() throws {
    var results = SampleResults.empty()
    for configuration in ["memory", "hybrid"] {
      for number in 0..<30 {
        for (step, share) in ["0.1%", "0.5%", "1%", "5%", "10%", "50%"].enumerated() {
          let isHybrid = configuration == "hybrid"
          var record = SampleResults.record(
            SampleResults.cell(
              (isHybrid ? "lru+" : "") + "policy-\(number)", capacity: 1 << UInt64(20 + step),
              label: share, configuration: configuration, kind: isHybrid ? .hybrid : .memory,
              unit: .bytes, memory: isHybrid ? 1 << UInt64(16 + step) : nil),
            hits: UInt64(500 * (step + 1) + number), diskHits: isHybrid ? 300 : 0)
          record.modelled = ModelledAccessTime(
            meanMicroseconds: Double(5000 - number), p50Microseconds: 1, p90Microseconds: 2,
            p99Microseconds: 3)
          record.timings = [
            Timing(mode: .simulate, threads: 1, repetition: 1, requests: 5000, seconds: 0.001)
          ]
          results.records.append(record)
        }
      }
    }
    results.plannedCells = results.records.count
    let page = try HTMLReport().text(of: results)
    #expect(page.utf8.count < 1_000_000, "\(page.utf8.count) bytes")
  }

  @Test func chartsHaveAlternativeText() throws {
    let shape = try #require(Self.shape(page))
    let figures = ReportDocument(SampleResults.full).figures
    #expect(figures.count > 6)
    #expect(shape.attributes["role"]?.count { $0 == "img" } == figures.count)
    for figure in figures {
      #expect(shape.texts.contains(figure.chart.caption), "\(figure.name)")
    }
  }

  @Test func anEmptyRunIsAPage() throws {
    let page = try HTMLReport().text(of: SampleResults.empty(planned: 3))
    #expect(Self.shape(page) != nil)
    #expect(page.contains("No cell finished."))
  }
}
