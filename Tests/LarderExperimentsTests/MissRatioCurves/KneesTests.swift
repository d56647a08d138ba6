import Testing

@testable import LarderExperiments

@Suite struct KneesTests {
  @Test func aCliffHasItsKneeAtTheTop() {
    let points = (0...20).map { x in (x: Double(x), y: x < 8 ? 0 : 0.9) }
    #expect(Knees.of(points) == [8])
  }

  @Test func twoCliffsHaveTwoKnees() {
    let points = (0...20).map { x in (x: Double(x), y: x < 3 ? 0 : x < 15 ? 0.5 : 1) }
    #expect(Knees.of(points) == [3, 15])
  }

  /// The example of the paper: y = 1 - 1/x has its knee where the slope is that of the diagonal.
  @Test func aBendHasItsKneeWhereTheSlopeIsOne() {
    // From 1 to 10, scaled: the slope is 1 where x^2 = 10.
    let points = (0...90).map { x in (x: 1 + Double(x) / 10, y: 1 - 1 / (1 + Double(x) / 10)) }
    let knees = Knees.of(points)
    #expect(knees.count == 1)
    #expect((points[knees[0]].x - 3.162).magnitude < 0.1)
  }

  @Test func linesAndFlatsAndFewPointsHaveNone() {
    #expect(Knees.of((0...20).map { (Double($0), Double($0)) }) == [])
    #expect(Knees.of((0...20).map { (Double($0), 0.5) }) == [])
    #expect(Knees.of([]) == [])
    #expect(Knees.of([(1, 0)]) == [])
    #expect(Knees.of([(1, 0), (2, 1)]) == [])
    // Rising ever faster.
    #expect(Knees.of((0...20).map { (Double($0), Double($0 * $0)) }) == [])
  }
}
