import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderReports

/// Every form of fixed curves, stored in `Golden/`: see `GoldenTests`.
@Suite struct CurveReportTests {
  static let sample: TraceCurves = {
    let capacities: [UInt64] = [10, 30, 100, 300, 1000, 3000, 10_000]
    let lru: [UInt64] = [0, 5, 90, 400, 700, 790, 800]
    let fifo = [0, 0.01, 0.05, 0.2, 0.6, 0.75, 0.8]
    return TraceCurves(
      facts: TraceFacts(name: "feed", requests: 1000, objects: 10_000, footprintBytes: nil),
      unit: .objects,
      curves: [
        MissRatioCurve(
          trace: "feed", policy: "lru", method: .exact, unit: .objects, requests: 1000,
          points: zip(capacities, lru).map {
            MissRatioCurve.Point(capacity: $0, hits: $1, hitRatio: Double($1) / 1000)
          }, smallestCache: 1234),
        MissRatioCurve(
          trace: "feed", policy: "fifo", method: .miniature, unit: .objects, requests: 1000,
          points: zip(capacities, fifo).map {
            MissRatioCurve.Point(
              capacity: $0, hits: nil, hitRatio: $1, standardError: $1 / 100)
          }, rate: 0.125, sampledObjects: 1250,
          measuredError: .init(mean: 0.0125, largest: 0.03, capacities: 7), smallestCache: 3000),
      ])
  }()

  @Test func csv() throws {
    try GoldenFile.check(CurveCSV.text(of: [Self.sample]), against: "curves.csv")
  }

  @Test(arguments: [
    ("curves-ascii.txt", CurvePicture.Terminal(width: 60, hasUnicode: false)),
    ("curves-marks.txt", CurvePicture.Terminal(width: 80)),
    ("curves-colour.txt", CurvePicture.Terminal(width: 80, hasColour: true)),
  ])
  func text(_ file: String, _ terminal: CurvePicture.Terminal) throws {
    try GoldenFile.check(
      CurveText.text(of: [Self.sample], share: Share(percent: 90), on: terminal), against: file)
  }

  @Test func svg() throws {
    try GoldenFile.check(
      CurveChart.svg(of: Self.sample, share: Share(percent: 90)), against: "curves.svg")
  }

  @Test func noLineIsWiderThanTheTerminal() {
    for width in [10, 40, 80, 200] {
      let terminal = CurvePicture.Terminal(width: width, hasUnicode: false)
      let picture = CurvePicture(Self.sample.curves, on: terminal).text()
      let widest = picture.split(separator: "\n").map(\.count).max() ?? 0
      #expect(widest <= max(width, 28), "\(width)")
      #expect(picture.utf8.allSatisfy { $0 < 128 })
    }
  }

  @Test(arguments: HostileText.examples)
  func hostileNamesStayText(_ name: String) throws {
    var curves = Self.sample
    curves.rename(name)
    let rows = try #require(CSVReader.records(CurveCSV.text(of: [curves])))
    #expect(rows.allSatisfy { $0.count == 10 })
    let text = CurveText.text(
      of: [curves], share: Share(percent: 90), on: CurvePicture.Terminal())
    let obeyed = text.unicodeScalars.filter { $0.value < 0x20 && $0 != "\n" && $0 != "\t" }
    #expect(obeyed.isEmpty)
  }

  @Test func singlePointIsDrawn() {
    let curve = MissRatioCurve(
      trace: "t", policy: "lru", method: .exact, unit: .bytes, requests: 1,
      points: [.init(capacity: 1, hits: 0, hitRatio: 0)])
    let text = CurvePicture([curve], on: CurvePicture.Terminal()).text()
    #expect(text.contains("100 %"))
    #expect(CurvePicture([], on: CurvePicture.Terminal()).text().contains("miss ratio"))
  }
}
