import Foundation
import LarderSimulation

/// The best configurations of a policy as JSON.
package enum TuningJSON {
  /// A list with an object for each trace, keys sorted, with a line break at the end.
  ///
  /// - Throws: what the encoder throws; it does not for numbers that are finite.
  package static func text(of tunings: [Tuning]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(tunings), as: UTF8.self) + "\n"
  }
}
