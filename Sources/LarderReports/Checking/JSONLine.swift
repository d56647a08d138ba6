/// A JSON object on one line, with its keys in the order in which they are added.
struct JSONLine {
  private var fields: [String] = []

  /// Adds a text.
  mutating func add(_ key: String, _ value: String) {
    fields.append("\(Self.quoted(key)): \(Self.quoted(value))")
  }

  /// Adds a whole number, in full.
  mutating func add(_ key: String, _ value: UInt64) {
    fields.append("\(Self.quoted(key)): \(value)")
  }

  /// Adds what is JSON already.
  mutating func add(_ key: String, json: String) {
    fields.append("\(Self.quoted(key)): \(json)")
  }

  /// The object.
  var text: String { "{\(fields.joined(separator: ", "))}" }

  /// A text in quotes. Line separators, which editors and `diff` may break at, are written as
  /// escapes too.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _
      where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        || [0x2028, 0x2029].contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
