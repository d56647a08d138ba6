import Foundation
import LarderExperiments
import LarderReports

extension FuzzTarget {
  /// A `results.json`. An accepted one must survive a round trip, and every report is made of it.
  static let results = FuzzTarget("results", lengthMax: 16384) { input in
    let results = try accepted(or: ReportError.self) {
      try RunResults.decode(input, name: "results.json")
    }
    guard let results else { return }
    let json = try ResultsJSON().text(of: results)
    let again = try RunResults.decode(Array(json.utf8), name: "results.json")
    try require(again == results, "results differ once written and read again")
    for format in ReportRegistry.all {
      _ = try accepted(or: ReportError.self) { try format.files(of: results) }
    }
  }
}
