public import Foundation
import Larder

/// A case of the suite http-tests/cache-tests: requests that are made one after the other, what the
/// origin answers, and what is expected.
public struct HTTPCase: Sendable {
  /// Kinds of cases.
  public enum Kind: String, Sendable, CaseIterable {
    /// Follows from RFC 9111.
    case required
    /// Behaviour of a good cache.
    case optimal
    /// Behaviour that is merely recorded.
    case check
  }

  /// A header field of a case. The value of `number` is seconds from the origin's now.
  struct Field: Sendable {
    var name: String
    var text: String?
    var number: Int64?
    /// False if the client's value is not compared.
    var isCompared = true
    /// The third element of an expectation such as `["Age", ">", 2]`.
    var operand: JSONValue?
  }

  /// Name of the case in the suite.
  public let id: String
  /// The kind.
  public let kind: Kind
  /// Cases without which this one says nothing.
  public let dependsOn: [String]
  /// True for a case that concerns shared caches alone.
  public let isForSharedCaches: Bool
  /// True for other cases that the suite does not run in browsers.
  public let isSkippedInBrowsers: Bool
  let requests: [JSONValue]

  /// Reads the cases of a file.
  ///
  /// - Throws: `HTTPCaseError` with the reason.
  public static func read(_ data: Data) throws(HTTPCaseError) -> [HTTPCase] {
    let value: JSONValue
    do {
      value = try BoundedJSON.decode(JSONValue.self, from: data)
    } catch {
      throw HTTPCaseError(message: "expected JSON: \(error)")
    }
    guard let tests = value["tests"]?.array ?? value.array else {
      throw HTTPCaseError(message: "expected an object with a list 'tests'")
    }
    var cases: [HTTPCase] = []
    for (index, test) in tests.enumerated() { cases.append(try HTTPCase(test, index)) }
    return cases
  }

  private init(_ test: JSONValue, _ index: Int) throws(HTTPCaseError) {
    guard let id = test["id"]?.string,
      let kind = test["kind"]?.string.flatMap(Kind.init(rawValue:)),
      let requests = test["requests"]?.array
    else {
      throw HTTPCaseError(
        message: "test \(index + 1): expected 'id', 'kind' (required, optimal or check) and "
          + "'requests'")
    }
    self.id = id
    self.kind = kind
    self.requests = requests
    dependsOn = test["depends_on"]?.array?.compactMap(\.string) ?? []
    let isSkipped = test["browser_skip"]?.bool ?? (test["browser_skip"] != nil)
    let name = (test["name"]?.string ?? "").lowercased()
    isForSharedCaches =
      isSkipped && (name.contains("shared") || name.contains("proxy")) || id.contains("-shared")
    isSkippedInBrowsers = isSkipped && !isForSharedCaches
  }
}

/// A file that has no cases.
public struct HTTPCaseError: Error, Sendable, CustomStringConvertible {
  let message: String
  /// The error in one line.
  public var description: String { message }
}

/// A value of JSON.
enum JSONValue: Sendable, Decodable, Equatable {
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
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let array = try? container.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  subscript(key: String) -> JSONValue? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
  var string: String? { if case .string(let string) = self { string } else { nil } }
  var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  /// A whole number, at most some thousands of years in seconds.
  var integer: Int64? { number.flatMap { abs($0) < 1e11 ? Int64($0) : nil } }
  var isNull: Bool { self == .null }

  func fields(_ key: String) -> [HTTPCase.Field] {
    (self[key]?.array ?? []).compactMap { element in
      if let name = element.string { return HTTPCase.Field(name: name) }
      guard let parts = element.array, parts.count >= 2, let name = parts[0].string else {
        return nil
      }
      return HTTPCase.Field(
        name: name, text: parts[1].string, number: parts[1].integer,
        isCompared: parts.count < 3 || parts[2].bool ?? true,
        operand: parts.count > 2 ? parts[2] : nil)
    }
  }

  /// True if a failure of an expectation is one of the preparation.
  func isSetup(_ expectation: String) -> Bool {
    self["setup"]?.bool ?? false
      || (self["setup_tests"]?.array ?? []).contains { $0.string == expectation }
  }
}
