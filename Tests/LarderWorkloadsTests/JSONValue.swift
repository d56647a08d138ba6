import Foundation
import Yams

@testable import LarderExperiments

/// Any JSON, for comparing the schema with the decoder.
enum JSONValue: Hashable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  init(json: some StringProtocol) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
  }

  init(yaml: String) throws {
    self.init(
      try YAMLDocument.parse(Data(yaml.utf8), file: "test"))
  }

  private init(_ value: YAMLValue) {
    func child(_ node: Node) -> JSONValue {
      JSONValue(YAMLValue(node: node, path: "", document: value.document))
    }
    switch (value.node, value.type) {
    case (.mapping(let mapping), _):
      self = .object(
        Dictionary(
          mapping.map { ($0.key.scalar?.string ?? "", child($0.value)) },
          uniquingKeysWith: { $1 }))
    case (.sequence(let sequence), _):
      self = .array(sequence.map(child))
    case (.scalar(let scalar), .integer?), (.scalar(let scalar), .number?):
      self = .number(Double(scalar.string.filter { $0 != "_" }) ?? .nan)
    case (.scalar(let scalar), .boolean?):
      self = .bool(scalar.string.lowercased() == "true")
    case (.scalar(let scalar), .string?):
      self = .string(scalar.string)
    default:
      self = .null
    }
  }

  /// JSON text; keys in order.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): value == value.rounded() ? "\(Int(value))" : "\(value)"
    case .string(let value): "\"\(value)\""
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let values):
      "{"
        + values.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value.text)" }
        .joined(separator: ", ") + "}"
    }
  }

  subscript(key: String) -> JSONValue? {
    guard case .object(let values) = self else { return nil }
    return values[key]
  }

  var strings: [String] {
    switch self {
    case .string(let value): [value]
    case .array(let values): values.flatMap(\.strings)
    default: []
    }
  }

  /// The value with another value at a path of keys and indices.
  func replacing(_ path: ArraySlice<String>, with value: JSONValue?) -> JSONValue {
    guard let step = path.first else { return value ?? self }
    let rest = path.dropFirst()
    switch self {
    case .object(var values):
      values[step] =
        rest.isEmpty ? value : (values[step] ?? .null).replacing(rest, with: value)
      return .object(values)
    case .array(var values):
      if let index = Int(step), values.indices.contains(index) {
        values[index] = values[index].replacing(rest, with: value)
      }
      return .array(values)
    default:
      return self
    }
  }
}
