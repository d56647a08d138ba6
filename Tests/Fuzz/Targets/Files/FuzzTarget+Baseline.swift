import Foundation
import LarderExperiments

extension FuzzTarget {
  /// A baseline file of any workload. An accepted one must survive a round trip.
  static let baseline = FuzzTarget("baseline", lengthMax: 8192) { input in
    func decode(_ bytes: Data, _ workload: String) throws(BaselineError) -> Baseline {
      do throws(BaselineError) {
        return try Baseline.decode(bytes, file: "baseline.json", workload: workload)
      } catch {
        guard case .otherWorkload(_, let found, let expected) = error, found != expected else {
          throw error
        }
        return try Baseline.decode(bytes, file: "baseline.json", workload: found)
      }
    }
    let baseline = try accepted(or: BaselineError.self) { try decode(Data(input), "ci") }
    guard let baseline else { return }
    let again = try decode(Data(baseline.text.utf8), baseline.workload)
    try require(
      again.text == baseline.text, "a baseline differs once written and read again")
  }
}
