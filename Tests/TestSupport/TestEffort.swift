import Foundation

/// How much random input a test takes: less in debug mode and under a sanitizer, where the naive
/// models that it is compared with take ten times as long.
public enum TestEffort {
  /// The rounds to make of a number of them: all, or one in N for the variable
  /// `LARDER_TEST_SHARE=N`, which `make test` and `make sanitize` set, but at least `minimum`.
  public static func rounds(_ count: Int, atLeast minimum: Int = 1) -> Int {
    let share = ProcessInfo.processInfo.environment["LARDER_TEST_SHARE"].flatMap(Int.init) ?? 1
    return max(min(minimum, count), count / max(1, share))
  }
}
