import Foundation
import Testing

@testable import LarderExperiments

/// An invalid workload and the line that a user sees.
struct Case: Sendable, CustomTestStringConvertible {
  var yaml: String
  var message: String
  var testDescription: String { message }

  init(_ yaml: String, _ message: String) {
    self.yaml = yaml
    self.message = message
  }

  static let start = """
    source: {generator: zipf, requests: 100}
    policies: [lru]
    capacities: [10]

    """

  /// Message for a file with this text; nil if it is valid.
  static func message(_ yaml: String, checks: ComponentChecks = Stand.checks) -> String? {
    do {
      _ = try WorkloadDecoder(checks: checks).decode(Data(yaml.utf8), file: "w.yaml")
      return nil
    } catch {
      return error.description
    }
  }
}
