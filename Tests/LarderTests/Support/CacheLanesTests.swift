import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct CacheLanesTests {
  private struct Failure: Error, Equatable { let lane: Int }

  @Test(arguments: [0, 1, 4, -1, .max, .min]) func anyNumberHasALane(_ number: Int) async {
    #expect(await CacheLanes("test", count: 3).run(number) { number } == number)
  }

  @Test func resultsAreInOrderOfLanes() async throws {
    let lanes = CacheLanes("test", count: 4)
    for _ in 0..<20 {
      let groups = await lanes.run(0..<40, by: \.self) { $0 }
      #expect(groups == (0..<4).map { lane in (0..<10).map { lane + 4 * $0 } })
    }
    #expect(await lanes.run([4, 8], by: \.self) { $0 } == [[4, 8]])
    #expect(await lanes.run([Int](), by: \.self) { $0 }.isEmpty)
  }

  @Test func errorIsThatOfTheFirstLane() async {
    let lanes = CacheLanes("test", count: 4)
    for _ in 0..<20 {
      await #expect(throws: Failure(lane: 1)) {
        try await lanes.run(0..<40, by: \.self) { (group) throws(Failure) in
          if group[0] > 0 { throw Failure(lane: group[0]) }
        }
      }
    }
  }
}
