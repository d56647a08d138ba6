import Foundation
import LarderExperiments

extension FuzzTarget {
  /// A file of prices for `larder advise`.
  static let prices = FuzzTarget("prices", lengthMax: 2048) { input in
    _ = try accepted(or: WorkloadError.self) {
      try Prices(yaml: Data(input), file: "prices.yaml")
    }
  }
}
