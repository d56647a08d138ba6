/// A JSON object on one line, with its keys in the order in which they are added.
package struct JSONLine {
  private var fields: [String] = []

  /// An object without keys.
  package init() {}

  /// Adds a text.
  package mutating func add(_ key: String, _ value: String) {
    fields.append("\(Self.quoted(key)): \(Self.quoted(value))")
  }

  /// Adds a whole number, in full.
  package mutating func add(_ key: String, _ value: UInt64) {
    fields.append("\(Self.quoted(key)): \(value)")
  }

  /// Adds what is JSON already.
  package mutating func add(_ key: String, json: String) {
    fields.append("\(Self.quoted(key)): \(json)")
  }

  /// The object.
  package var text: String { "{\(fields.joined(separator: ", "))}" }

  /// A text in quotes. What editors, `diff` and terminals may obey instead of show, such as line
  /// separators, is written as escapes too.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where !TextSafety.isInline(scalar): result += escape(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// JSON with what a terminal would obey, which is valid in strings alone, as escapes: the same
  /// value. An encoder escapes only what the format forbids. Breaks between lines stay.
  package static func printable(_ json: String) -> String {
    json.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar == "\n" || TextSafety.isInline(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += escape(scalar)
      }
    }
  }

  /// None of the scalars that are escaped lies beyond the basic plane.
  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
