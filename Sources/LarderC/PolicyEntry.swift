import Foundation
import LarderEngine

/// A policy or bound as `larder_policies` lists it.
struct PolicyEntry: Encodable {
  private let name: String
  private let family: String
  private let summary: String
  private let parameters: [Parameter]
  private let needs: [String]
  private let random: Bool
  private let bound: Bool
  private let paper: String

  /// A parameter with the value that it has where none is given.
  private struct Parameter: Encodable {
    let name: String
    let `default`: String
    let summary: String
  }

  private init(_ policy: RegisteredPolicy) {
    let description = policy.description
    name = description.name
    family = description.family.rawValue
    summary = description.summary
    parameters = description.parameters.map {
      Parameter(name: $0.name, default: $0.defaultValue, summary: $0.summary)
    }
    needs = description.needs.names
    random = description.isRandom
    bound = policy.isBound
    paper = description.paper
  }

  /// All of them as JSON.
  static func list() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let entries = PolicyRegistry.everything.map(PolicyEntry.init)
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }
}
