import Foundation
import LarderExperiments
import LarderSupport

/// The complete results of a run as JSON with sorted keys; see `docs/results.schema.json`. Whole
/// numbers are written in full: seeds and counts may exceed 2^53.
package struct ResultsJSON: ReportFormat {
  package let name = "json"
  package let fileName = "results.json"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    try Self.text(of: results, format: name)
  }

  static func text(of value: some Encodable, format: String) throws(ReportError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    do {
      return JSONLine.printable(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
    } catch let EncodingError.invalidValue(value, context) {
      let path = JSONFile.path(context.codingPath)
      throw .notExpressible(format: format, reason: "\(path) is \(value), which is not valid JSON")
    } catch {
      throw .notExpressible(format: format, reason: "\(error)")
    }
  }
}
