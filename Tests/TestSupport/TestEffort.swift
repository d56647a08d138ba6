import Foundation

/// The amount of random input of a test: less in debug mode and under a sanitizer, where the naive
/// models for comparison take ten times as long.
public enum TestEffort {
  /// The rounds to make out of `count`: all, or one in N for the variable `LARDER_TEST_SHARE=N`,
  /// which `make test` and `make sanitize` set, but at least `minimum`.
  public static func rounds(_ count: Int, atLeast minimum: Int = 1) -> Int {
    max(min(minimum, count), count / share)
  }

  /// The N of `LARDER_TEST_SHARE=N`, 1 without it.
  public static let share = max(
    1, ProcessInfo.processInfo.environment["LARDER_TEST_SHARE"].flatMap(Int.init) ?? 1)

  /// `rounds` of the cases, evenly spread; `offset` shifts which ones, so that tests over many
  /// arguments cover every case between them.
  public static func cases<Case>(
    _ all: [Case], atLeast minimum: Int = 1, offset: Int = 0
  ) -> [Case] {
    let count = rounds(all.count, atLeast: minimum)
    guard count > 0, count < all.count else { return all }
    return (0..<count).map { all[($0 * all.count / count + offset) % all.count] }
  }
}
