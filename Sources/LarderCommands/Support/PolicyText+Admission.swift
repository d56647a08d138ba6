import Foundation
import LarderEngine
import LarderReports

/// Descriptions of admission filters.
extension PolicyText {
  /// A paragraph for a terminal.
  static func paragraph(_ filter: AdmissionDescription) -> String {
    var text = "\(filter.name)\n" + wrapped(filter.summary) + parameters(filter.parameters)
    if filter.comparesVictims { text += wrapped("Needs: a policy that can name its next victim") }
    return text + wrapped(filter.paper)
  }

  /// One row a filter; parameters are `name=default`, separated by spaces.
  static func csv(_ filters: [AdmissionDescription]) -> String {
    csv(
      header: "name,summary,parameters,compares_victims,random,paper",
      rows: filters.map { filter in
        [
          filter.name, filter.summary, defaults(filter.parameters),
          filter.comparesVictims ? "true" : "false", filter.isRandom ? "true" : "false",
          filter.paper,
        ]
      })
  }

  /// A list of objects with the same fields as the CSV; parameters are objects.
  static func json(_ filters: [AdmissionDescription]) throws -> String {
    struct Entry: Encodable {
      var name: String
      var summary: String
      var parameters: [Parameter]
      var comparesVictims: Bool
      var random: Bool
      var paper: String
      enum CodingKeys: String, CodingKey {
        case comparesVictims = "compares_victims"
        case name, summary, parameters, random, paper
      }
    }
    return try json(
      entries: filters.map {
        Entry(
          name: $0.name, summary: $0.summary, parameters: $0.parameters.map(Parameter.init),
          comparesVictims: $0.comparesVictims, random: $0.isRandom, paper: $0.paper)
      })
  }
}
