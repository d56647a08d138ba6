import Foundation
import LarderEngine
import LarderPolicies
import LarderTraces
import TestSupport
import Testing

/// Location of published figures: next to the folder with the traces.
enum PublishedFigures {
  static func path(_ name: String) -> String { ReferenceTraces.path("../reference/\(name)") }

  static var areAvailable: Bool {
    FileManager.default.fileExists(atPath: path("published-arc.csv"))
  }
}

/// Published hit ratios, on the traces of the publications.
@Suite(
  .enabled(
    if: ReferenceTraces.areAvailable
      && PublishedFigures.areAvailable,
    "needs LARDER_TRACES, and reference/published-*.csv beside that folder"))
struct PublishedFigureTests {
  /// A published figure.
  struct Figure {
    var trace: String
    var capacity: UInt64
    var policy: String
    var percent: Double
  }

  private static let files = [
    "OLTP": ("arc/OLTP.lis.zst", "arc"), "P3": ("arc/P3.lis.zst", "arc"),
    "GLI": ("lirs/gli.trace.gz", "lirs"),
  ]

  private static let policies = [
    "LRU": "lru", "ARC": "arc", "LIRS": "lirs", "MIN": "belady", "W-TinyLFU": "w-tinylfu",
  ]

  private static func figures(_ name: String) throws -> [Figure] {
    try String(contentsOfFile: PublishedFigures.path(name), encoding: .utf8)
      .split(whereSeparator: \.isNewline).dropFirst().map { line in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return Figure(
          trace: fields[0], capacity: try #require(UInt64(fields[1])), policy: fields[2],
          percent: try #require(Double(fields[3])))
      }
  }

  private func distances(_ figures: [Figure]) throws -> [(figure: Figure, points: Double)] {
    try Dictionary(grouping: figures, by: \.trace).flatMap { name, figures in
      let (file, format) = try #require(Self.files[name])
      let trace = try PreparedTrace.load(
        path: ReferenceTraces.path(file), format: try ComponentSpec(parsing: format)
      ).withNextUses()
      return try figures.map { figure in
        let policy = try #require(Self.policies[figure.policy])
        let counts = try ReferenceHits.counts(
          policy, figure.capacity, .objects, trace.requests)
        let ratio = try #require(counts.hitRatio)
        return (figure, ratio * 100 - figure.percent)
      }
    }
  }

  /// Megiddo and Modha, FAST 2003: rounded to two decimals, on the paper's own trace.
  @Test func arcPaper() throws {
    let figures = try Self.figures("published-arc.csv").filter { $0.trace == "OLTP" }
    #expect(figures.count >= 15)
    for (figure, points) in try distances(TestEffort.cases(figures, atLeast: 4)) {
      #expect(abs(points) <= 0.02, "\(figure.policy) at \(figure.capacity)")
    }
  }

  @Test func caffeine() throws {
    let figures = try Self.figures("published-caffeine.csv").filter { $0.policy == "W-TinyLFU" }
    #expect(figures.count == 16)
    for (figure, points) in try distances(TestEffort.cases(figures, atLeast: 4)) {
      let allowed = figure.trace == "OLTP" ? 0.5 : 1
      #expect(abs(points) <= allowed, "\(figure.trace) at \(figure.capacity): \(points)")
    }
  }
}
