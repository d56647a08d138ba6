import Larder
import LarderEngine
import Testing

/// Limits of placement as durations.
@Suite struct HybridPlacementTests {
  private static let most = Int64(UInt32.max)

  private static let borders: [(Duration, UInt32)] = [
    (.seconds(300), 300), (.milliseconds(1), 1), (.milliseconds(1_500), 2), (.zero, 0),
    (.milliseconds(-500), 0), (.seconds(-7), 0), (.seconds(most), .max),
    (Duration(secondsComponent: most - 1, attosecondsComponent: 1), .max),
    (.seconds(most + 1), .max), (.seconds(Int64.max), .max), (.seconds(Int64.min), 0),
    // More seconds than fit in 64 bits.
    (.seconds(Int64.max) + .seconds(Int64.max), .max),
    (.seconds(Int64.min) + .seconds(Int64.min), 0),
  ]

  @Test(arguments: borders)
  func durationsAreWholeSeconds(_ duration: Duration, _ seconds: UInt32) {
    let placement = HybridRules.Placement(memoryOnlyBelow: duration, diskOnlyFrom: .seconds(60))
    #expect(placement.memoryOnlyBelowSeconds == seconds)
    #expect(placement.diskOnlyFromSeconds == 60)
    let other = HybridRules.Placement(memoryOnlyBelow: .seconds(60), diskOnlyFrom: duration)
    #expect(other.diskOnlyFromSeconds == seconds)
    #expect(other.memoryOnlyBelowSeconds == 60)
  }
}
