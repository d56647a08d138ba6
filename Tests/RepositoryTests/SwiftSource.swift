/// A Swift file, and its lines with comments and the contents of strings blanked, so that rules
/// about code ignore words.
struct SwiftSource {
  let path: String
  let lines: [String]
  /// The lines without comments and string contents, with quotes. Interpolations are code.
  let code: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    var scanner = Scanner(text)
    code = scanner.blanked().split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
  }

  /// The file's name without folder and extension.
  var name: String {
    let file = path.split(separator: "/").last ?? ""
    return String(file.prefix { $0 != "." })
  }

  /// The first part of a name such as `Type+Concern`.
  var typeName: String { String(name.prefix { $0 != "+" }) }

  func finding(_ index: Int, _ message: String) -> Finding {
    Finding(path: path, line: index + 1, message: message)
  }
}

/// Scans Swift text and replaces each byte that is not code by a space.
private struct Scanner {
  private let text: [UInt8]
  private var position = 0
  private var output: [UInt8] = []

  init(_ text: String) { self.text = Array(text.utf8) }

  mutating func blanked() -> String {
    output.reserveCapacity(text.count)
    code(untilClosing: false)
    return String(decoding: output, as: UTF8.self)
  }

  private func looking(at wanted: some Collection<UInt8>) -> Bool {
    text[position...].starts(with: wanted)
  }

  private var isAtNewline: Bool { text[position] == UInt8(ascii: "\n") }

  private mutating func keep(_ count: Int = 1) {
    for _ in 0..<count where position < text.count {
      output.append(text[position])
      position += 1
    }
  }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where position < text.count {
      output.append(UInt8(ascii: isAtNewline ? "\n" : " "))
      position += 1
    }
  }

  /// Scans code up to the end, or up to the parenthesis that closes an interpolation.
  private mutating func code(untilClosing: Bool) {
    var depth = 0
    while position < text.count {
      if looking(at: "//".utf8) {
        while position < text.count, !isAtNewline { blank() }
      } else if looking(at: "/*".utf8) {
        blockComment()
      } else if let hashes = stringStart() {
        string(hashes: hashes)
      } else {
        if text[position] == UInt8(ascii: "(") { depth += 1 }
        if text[position] == UInt8(ascii: ")") {
          if untilClosing, depth == 0 { return }
          depth -= 1
        }
        keep()
      }
    }
  }

  private mutating func blockComment() {
    var depth = 0
    while position < text.count {
      if looking(at: "/*".utf8) {
        depth += 1
        blank(2)
      } else if looking(at: "*/".utf8) {
        depth -= 1
        blank(2)
        if depth == 0 { return }
      } else {
        blank()
      }
    }
  }

  /// The number of number signs before the quote of a string that starts here, or nil.
  private func stringStart() -> Int? {
    var index = position
    while index < text.count, text[index] == UInt8(ascii: "#") { index += 1 }
    return index < text.count && text[index] == UInt8(ascii: "\"") ? index - position : nil
  }

  private mutating func string(hashes: Int) {
    let fence = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    keep(hashes)
    let quote = Array((looking(at: "\"\"\"".utf8) ? "\"\"\"" : "\"").utf8)
    keep(quote.count)
    let (closing, escape) = (quote + fence, [UInt8(ascii: "\\")] + fence)
    let interpolation = escape + [UInt8(ascii: "(")]
    while position < text.count {
      if looking(at: closing) { return keep(closing.count) }
      if looking(at: interpolation) {
        blank(interpolation.count)
        code(untilClosing: true)
        blank()
      } else if looking(at: escape) {
        blank(escape.count + 1)
      } else {
        // A plain string ends with its line, so a missing quote must not swallow the file.
        if quote.count == 1, isAtNewline { return }
        blank()
      }
    }
  }
}
