public import LarderEngine

extension HybridRules.Placement {
  /// Borders as durations, in whole seconds: a part of a second counts as a whole one, less than
  /// none as 0, and more than 2^32 - 1 as that.
  ///
  /// - Parameters:
  ///   - memoryOnlyBelow: With less life than this an entry is not stored on disk.
  ///   - diskOnlyFrom: With this much life, or no end of it, an entry is not stored in memory,
  ///     unless it has less than `memoryOnlyBelow`.
  public init(memoryOnlyBelow: Duration, diskOnlyFrom: Duration) {
    self.init(
      memoryOnlyBelowSeconds: Self.seconds(memoryOnlyBelow),
      diskOnlyFromSeconds: Self.seconds(diskOnlyFrom))
  }

  private static func seconds(_ duration: Duration) -> UInt32 {
    guard duration > .zero else { return 0 }
    // Before it is taken apart: a duration may have more seconds than `components` can say.
    guard duration < .seconds(Int64(UInt32.max)) else { return .max }
    let (seconds, rest) = duration.components
    return UInt32(seconds) + (rest > 0 ? 1 : 0)
  }
}
