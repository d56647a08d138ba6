import ArgumentParser
import LarderTraces

/// A share of the objects of a trace, such as `1/100`, `1%` or `0.01`.
struct SampleOption: ExpressibleByArgument {
  /// Above 0 and at most 1.
  let rate: Double

  /// The share that the text stands for; nil for anything else.
  init?(argument: String) {
    guard let rate = TraceSampling.rate(parsing: argument) else { return nil }
    self.rate = rate
  }
}
