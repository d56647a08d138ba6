import Foundation
import LarderExperiments

/// The complete results of a run, for programs: `RunResults` as JSON with sorted keys.
///
///     {
///       "command" : "larder run Workloads/news-feed.yaml",
///       "records" : [
///         { "cell" : { "capacity" : 1000, "policy" : "lru", ... }, "counts" : { ... }, ... }
///       ],
///       "schemaVersion" : 1,
///       ...
///     }
///
/// `docs/results.schema.json` describes every key. Whole numbers are written in full: seeds and
/// counts may exceed 2^53. `RunResults.decode` parses it.
package struct ResultsJSON: ReportFormat {
  package let name = "json"
  package let fileName = "results.json"

  package init() {}

  /// Returns the results as JSON, ending in a line feed. Linear in the number of records.
  ///
  /// - Throws: `ReportError.notExpressible` for a number that is infinite or not a number.
  package func text(of results: RunResults) throws(ReportError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(results), as: UTF8.self) + "\n"
    } catch let EncodingError.invalidValue(value, context) {
      let path = JSONFile.path(context.codingPath)
      throw .notExpressible(format: name, reason: "\(path) is \(value), which is not valid JSON")
    } catch {
      throw .notExpressible(format: name, reason: "\(error)")
    }
  }
}
