import Foundation

/// The amount of random input of a test: less in debug mode and under a sanitizer, where the naive
/// models for comparison take ten times as long.
public enum TestEffort {
  /// The rounds to make out of `count`: all, or one in N for the variable `LARDER_TEST_SHARE=N`,
  /// which `make test` and `make sanitize` set, but at least `minimum`.
  public static func rounds(_ count: Int, atLeast minimum: Int = 1) -> Int {
    let share = ProcessInfo.processInfo.environment["LARDER_TEST_SHARE"].flatMap(Int.init) ?? 1
    return max(min(minimum, count), count / max(1, share))
  }
}
