import LarderEngine
import LarderPolicies
import Testing

@testable import LarderReports

struct ChartSVGTests {
  static let charts: [any Chart] = [SampleCharts.lines(), SampleCharts.rows()]
  static let options = [
    ChartOptions(), ChartOptions(id: "n", isFile: false),
  ]

  @Test(arguments: 0..<2, options)
  func drawingsAreXMLWithAnAlternative(_ number: Int, _ options: ChartOptions) throws {
    let chart = Self.charts[number]
    let svg = chart.svg(options)
    let shape = try #require(XMLShape(svg))
    #expect(shape.attributes["role"] == ["img"])
    let ids = try #require(shape.attributes["id"])
    #expect(shape.attributes["aria-labelledby"] == [ids.joined(separator: " ")])
    #expect(shape.texts.contains(chart.title))
    // A page has the caption next to the drawing.
    #expect(shape.texts.contains { $0.hasSuffix(chart.caption) } == options.isFile)
    #expect(!svg.contains("nan") && !svg.contains("inf"))
    #expect(chart.svg(options) == svg)
  }

  @Test func standaloneFileHasStyleAndPagePartHasNone() {
    let file = SampleCharts.lines().svg()
    #expect(file.contains("prefers-color-scheme:dark"))
    let part = SampleCharts.lines().svg(ChartOptions(isFile: false))
    #expect(!part.contains("<style"))
  }

  @Test func everyValueHasATooltip() throws {
    let shape = try #require(XMLShape(SampleCharts.lines().svg()))
    #expect(shape.texts.contains("s3-fifo: 28.00 % at 2 000"))
    let rows = try #require(XMLShape(SampleCharts.rows().svg()))
    #expect(rows.texts.contains("lru+fifo, 16MiB: 12.50 % on disk"))
  }

  /// Names of series do not affect the elements of a drawing.
  @Test func hostileNamesKeepTheShape() throws {
    let lines = try elements(SampleCharts.lines(["plain"]), "plain")
    let rows = try elements(SampleCharts.rows(["plain"]), "plain")
    for text in HostileText.examples + HostileText.random(count: 200, seed: 9) {
      let name = "x" + text
      let sameLines = try elements(SampleCharts.lines([name]), name) == lines
      #expect(sameLines, "\(name.debugDescription)")
      let sameRows = try elements(SampleCharts.rows([name]), name) == rows
      #expect(sameRows, "\(name.debugDescription)")
    }
  }

  /// The elements with the names of their attributes; line styles may differ.
  private func elements(_ chart: some Chart, _ name: String) throws -> [String] {
    let shape = try #require(XMLShape(chart.svg()), "\(name.debugDescription)")
    return shape.elements.map { $0.replacing(/[ ]stroke[a-z-]*/, with: "") }
  }

  @Test func invalidValuesAreNotDrawn() throws {
    var chart = SampleCharts.lines()
    chart.series[0].points = [
      .init(x: 0, y: 0.5), .init(x: 10, y: .nan), .init(x: .infinity, y: 0.2),
    ]
    let svg = chart.svg()
    #expect(XMLShape(svg) != nil && !svg.contains("nan"))
    #expect(!svg.contains("data-series=\"lru\""))
    chart.series = []
    #expect(XMLShape(chart.svg()) != nil)
    #expect(XMLShape(RowChart(title: "", caption: "", axis: chart.y, groups: []).svg()) != nil)
  }

  /// Names at the ends of lines do not overlap and stay in the drawing, however close the lines
  /// are.
  @Test func manyNamesDoNotOverlap() throws {
    for count in [1, 12, 20, 35] {
      let names = PolicyRegistry.standard.map(\.description.name) + (0..<10).map { "other-\($0)" }
      var chart = SampleCharts.lines(Array(names.prefix(count)))
      for index in chart.series.indices {
        for point in chart.series[index].points.indices {
          chart.series[index].points[point].y = 0.5 + Double(index) * 0.0001
        }
      }
      let svg = chart.svg()
      let places = svg.matches(of: /<text class="n" x="([0-9.]+)" y="([0-9.]+)"/).compactMap {
        match in Double(match.1).flatMap { x in Double(match.2).map { (x: x, y: $0) } }
      }
      #expect(places.count == count)
      for (index, place) in places.enumerated() {
        #expect(place.y > 0)
        for other in places[..<index] where abs(other.x - place.x) < 50 {
          #expect(abs(other.y - place.y) > 14)
        }
      }
    }
  }
}
