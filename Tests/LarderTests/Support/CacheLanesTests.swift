import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct CacheLanesTests {
  /// Hash values are among the numbers.
  @Test(arguments: [0, 1, 4, -1, .max, .min]) func anyNumberHasALane(_ number: Int) async {
    #expect(await CacheLanes("test", count: 3).run(number) { number } == number)
  }
}
