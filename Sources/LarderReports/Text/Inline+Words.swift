extension Inline {
  /// Names in a sentence: `a`, `a and b`, `a, b and c`.
  static func names(_ names: [Inline], last: String = " and ") -> [Inline] {
    names.enumerated().flatMap { number, name -> [Inline] in
      if number == 0 { return [name] }
      return [.text(number == names.count - 1 ? last : ", "), name]
    }
  }

  /// Parts of a line with something between them.
  static func joined(_ parts: [[Inline]], _ separator: String) -> [Inline] {
    Array(parts.joined(separator: [.text(separator)]))
  }

  /// The bare text of a line.
  static func plain(_ parts: [Inline]) -> String { parts.map(\.plain).joined() }

  /// A text in which names stand between backticks, as documentation has them.
  static func marked(_ text: String) -> [Inline] {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    guard !parts.count.isMultiple(of: 2) else { return [.text(text)] }
    return parts.enumerated().filter { !$0.element.isEmpty }.map { number, part in
      number.isMultiple(of: 2) ? .text(part) : .code(part)
    }
  }
}
