import Foundation

@testable import LarderExperiments

/// The part of JSON Schema, draft 2020-12, that the workloads' schema uses. Unknown keywords are
/// errors, so that the schema cannot outgrow it unnoticed.
struct SchemaValidator {
  let root: JSONValue

  struct UnknownKeyword: Error {
    var keyword: String
  }

  func accepts(_ value: JSONValue) throws -> Bool { try accepts(value, root) }

  func accepts(_ value: JSONValue, _ schema: JSONValue) throws -> Bool {
    guard case .object(let keywords) = schema else { return schema == .bool(true) }
    for (keyword, argument) in keywords {
      guard try holds(keyword, argument, value, schema) else { return false }
    }
    return true
  }

  private func holds(
    _ keyword: String, _ argument: JSONValue, _ value: JSONValue, _ schema: JSONValue
  ) throws -> Bool {
    switch keyword {
    case "$schema", "title", "description", "$defs": return true
    case "$ref":
      let name = argument.strings[0].split(separator: "/").last.map(String.init) ?? ""
      guard let definition = root["$defs"]?[name] else { throw UnknownKeyword(keyword: name) }
      return try accepts(value, definition)
    case "type": return argument.strings.contains { isType($0, value) }
    case "const": return value == argument
    case "enum", "anyOf", "oneOf", "allOf": return try matches(keyword, argument, value)
    case "if":
      guard try accepts(value, argument), let consequence = schema["then"] else { return true }
      return try accepts(value, consequence)
    case "then": return true
    case "not": return try !accepts(value, argument)
    case "properties", "required", "additionalProperties", "propertyNames":
      return try holdsForObject(keyword, argument, value, schema)
    case "items", "minItems": return try holdsForArray(keyword, argument, value)
    case "pattern":
      guard case .string(let text) = value else { return true }
      return text.range(of: argument.strings[0], options: .regularExpression) != nil
    case "minLength":
      guard case .string(let text) = value, case .number(let least) = argument else { return true }
      return text.count >= Int(least)
    case "minimum", "maximum", "exclusiveMinimum":
      guard case .number(let number) = value, case .number(let bound) = argument else {
        return true
      }
      return keyword == "minimum"
        ? number >= bound : keyword == "maximum" ? number <= bound : number > bound
    default: throw UnknownKeyword(keyword: keyword)
    }
  }

  private func matches(
    _ keyword: String, _ argument: JSONValue, _ value: JSONValue
  ) throws -> Bool {
    guard case .array(let choices) = argument else { throw UnknownKeyword(keyword: keyword) }
    if keyword == "enum" { return choices.contains(value) }
    let count = try choices.count { try accepts(value, $0) }
    switch keyword {
    case "oneOf": return count == 1
    case "allOf": return count == choices.count
    default: return count > 0
    }
  }

  private func holdsForObject(
    _ keyword: String, _ argument: JSONValue, _ value: JSONValue, _ schema: JSONValue
  ) throws -> Bool {
    guard case .object(let values) = value else { return true }
    switch keyword {
    case "propertyNames": return try values.keys.allSatisfy { try accepts(.string($0), argument) }
    case "required": return argument.strings.allSatisfy { values[$0] != nil }
    case "properties":
      return try values.allSatisfy { key, value in
        try argument[key].map { try accepts(value, $0) } ?? true
      }
    default:
      return try values.allSatisfy { key, value in
        try schema["properties"]?[key] != nil || accepts(value, argument)
      }
    }
  }

  private func holdsForArray(
    _ keyword: String, _ argument: JSONValue, _ value: JSONValue
  ) throws -> Bool {
    guard case .array(let values) = value else { return true }
    if keyword == "items" { return try values.allSatisfy { try accepts($0, argument) } }
    guard case .number(let least) = argument else { return false }
    return values.count >= Int(least)
  }

  private func isType(_ type: String, _ value: JSONValue) -> Bool {
    switch (type, value) {
    case ("string", .string), ("number", .number), ("boolean", .bool), ("array", .array),
      ("object", .object), ("null", .null):
      true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }
}
