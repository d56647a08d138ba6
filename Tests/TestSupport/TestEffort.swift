import Foundation

/// How much random input a test takes: less under a sanitizer, where everything takes ten times as
/// long and any path through the code once is enough to see what it does to memory.
public enum TestEffort {
  /// Of so many rounds, those to make: all, or one in so many as the variable `LARDER_TEST_SHARE`
  /// says, which `make sanitize` sets.
  public static func rounds(_ count: Int) -> Int {
    let share = ProcessInfo.processInfo.environment["LARDER_TEST_SHARE"].flatMap(Int.init) ?? 1
    return max(1, count / max(1, share))
  }
}
