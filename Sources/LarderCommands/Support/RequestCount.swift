import ArgumentParser
import LarderWorkloads

/// A number of requests as workload files take it: `1000000`, `250k`, `20M`, `1e6`.
struct RequestCount: ExpressibleByArgument {
  /// The number.
  let requests: Int

  /// The number itself.
  init(_ requests: Int) { self.requests = requests }

  /// The number that the text stands for; nil for anything else.
  init?(argument: String) {
    guard let count = Quantity.count(argument), let requests = Int(exactly: count) else {
      return nil
    }
    self.requests = requests
  }

  /// The number, for help.
  var defaultValueDescription: String { "\(requests)" }
}
