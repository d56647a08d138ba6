import Foundation
import LarderEngine
import LarderReports

/// Descriptions of policies as text, CSV and JSON.
enum PolicyText {
  /// A paragraph for a terminal.
  static func paragraph(_ policy: PolicyDescription) -> String {
    var text = "\(policy.name)  (\(policy.family.rawValue))\n"
    text += wrapped(policy.summary)
    for parameter in policy.parameters {
      text += wrapped("\(parameter.name)=\(parameter.defaultValue)  \(parameter.summary)")
    }
    if !policy.needs.names.isEmpty {
      text += wrapped("Needs: \(policy.needs.names.joined(separator: ", "))")
    }
    return text + wrapped(policy.paper)
  }

  /// One row a policy; parameters are `name=default`, separated by spaces.
  static func csv(_ policies: [PolicyDescription]) -> String {
    let rows = policies.map { policy in
      [
        policy.name, policy.family.rawValue, policy.summary, parameters(policy),
        policy.needs.names.joined(separator: " "), policy.isRandom ? "true" : "false",
        policy.paper,
      ].map { CSVText.field($0) }.joined(separator: ",")
    }
    return (["name,family,summary,parameters,needs,random,paper"] + rows).joined(separator: "\n")
      + "\n"
  }

  /// A list of objects with the same fields as the CSV; parameters are objects.
  static func json(_ policies: [PolicyDescription]) throws -> String {
    struct Parameter: Encodable {
      var name: String
      var fallback: String
      var summary: String
      enum CodingKeys: String, CodingKey {
        case name
        case fallback = "default"
        case summary
      }
    }
    struct Entry: Encodable {
      var name: String
      var family: String
      var summary: String
      var parameters: [Parameter]
      var needs: [String]
      var random: Bool
      var paper: String
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let entries = policies.map { policy in
      Entry(
        name: policy.name, family: policy.family.rawValue, summary: policy.summary,
        parameters: policy.parameters.map {
          Parameter(name: $0.name, fallback: $0.defaultValue, summary: $0.summary)
        },
        needs: policy.needs.names, random: policy.isRandom, paper: policy.paper)
    }
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }

  private static func parameters(_ policy: PolicyDescription) -> String {
    policy.parameters.map { "\($0.name)=\($0.defaultValue)" }.joined(separator: " ")
  }

  /// Text in lines of at most 96 characters, set in by four.
  static func wrapped(_ text: String) -> String {
    var lines = [""]
    for word in text.split(whereSeparator: \.isWhitespace) {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + word.count < 92 {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines.reduce(into: "") { $0 += "    \($1)\n" }
  }
}
