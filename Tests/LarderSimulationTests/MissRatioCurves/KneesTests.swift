import Testing

@testable import LarderExperiments

@Suite struct KneesTests {
  /// The knees of a function at 0, 1, 2 ... up to `last`.
  private static func knees(upTo last: Int, _ height: (Double) -> Double) -> [Int] {
    var points: [(x: Double, y: Double)] = []
    for x in 0...last { points.append((x: Double(x), y: height(Double(x)))) }
    return Knees.of(points)
  }

  @Test func aCliffHasItsKneeAtTheTop() {
    #expect(Self.knees(upTo: 20) { $0 < 8 ? 0 : 0.9 } == [8])
  }

  @Test func twoCliffsHaveTwoKnees() {
    #expect(Self.knees(upTo: 20) { $0 < 3 ? 0 : $0 < 15 ? 0.5 : 1 } == [3, 15])
  }

  /// From 1 to 10 the slope of 1 - 1/x is that of the diagonal where x * x is 10.
  @Test func bendHasKneeAtDiagonalSlope() {
    let knees = Self.knees(upTo: 90) { place in
      let x: Double = 1 + place / 10
      return 1 - 1 / x
    }
    #expect(knees == [22])
  }

  @Test func linesFlatsAndFewPointsHaveNoKnees() {
    #expect(Self.knees(upTo: 20) { $0 } == [])
    #expect(Self.knees(upTo: 20) { _ in 0.5 } == [])
    #expect(Self.knees(upTo: 0) { $0 } == [])
    #expect(Self.knees(upTo: 1) { $0 } == [])
    #expect(Knees.of([]) == [])
    // Convex curve.
    #expect(Self.knees(upTo: 20) { $0 * $0 } == [])
  }
}
