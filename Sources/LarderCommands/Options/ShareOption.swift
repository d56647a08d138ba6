import ArgumentParser
import LarderTraces

/// A share such as `1%` or `0.01`.
struct ShareOption: ExpressibleByArgument {
  /// From 0 to 1.
  let share: Double

  /// The share that the text stands for; nil for anything else.
  init?(argument: String) {
    guard let share = FormatOptions.share(argument) else { return nil }
    self.share = share
  }
}
