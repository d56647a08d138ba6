/// A Swift file, and the same with comments and the insides of strings blanked, line by line, so
/// that rules about code do not trip over words.
struct SwiftSource {
  /// Relative to the root of the repository.
  let path: String
  /// The lines as they are.
  let lines: [String]
  /// The lines without comments and string contents; quotes stay. Interpolations are code.
  let code: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    var scanner = Scanner(text)
    code = scanner.blanked().split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
  }

  /// The file's name without folder and ending.
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

/// Walks over Swift text, keeping code and replacing the rest by spaces.
private struct Scanner {
  private let text: [Character]
  private var position = 0
  private var output = ""

  init(_ text: String) { self.text = Array(text) }

  mutating func blanked() -> String {
    code(untilClosing: false)
    return output
  }

  private func looking(at wanted: String) -> Bool {
    var index = position
    for character in wanted {
      guard index < text.count, text[index] == character else { return false }
      index += 1
    }
    return true
  }

  private mutating func keep() {
    output.append(text[position])
    position += 1
  }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where position < text.count {
      output.append(text[position].isNewline ? "\n" : " ")
      position += 1
    }
  }

  /// Code up to the end, or up to the parenthesis that closes an interpolation.
  private mutating func code(untilClosing: Bool) {
    var depth = 0
    while position < text.count {
      if looking(at: "//") {
        while position < text.count, !text[position].isNewline { blank() }
      } else if looking(at: "/*") {
        blockComment()
      } else if let hashes = stringStart() {
        string(hashes: hashes)
      } else {
        if text[position] == "(" { depth += 1 }
        if text[position] == ")" {
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
      if looking(at: "/*") {
        depth += 1
        blank(2)
      } else if looking(at: "*/") {
        depth -= 1
        blank(2)
        if depth == 0 { return }
      } else {
        blank()
      }
    }
  }

  /// How many number signs stand before the quote of a string that starts here, or nil.
  private func stringStart() -> Int? {
    var index = position
    while index < text.count, text[index] == "#" { index += 1 }
    return index < text.count && text[index] == "\"" ? index - position : nil
  }

  private mutating func string(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    for _ in 0..<hashes { keep() }
    let quote = looking(at: "\"\"\"") ? "\"\"\"" : "\""
    for _ in quote { keep() }
    let escape = "\\" + fence
    while position < text.count {
      if looking(at: quote + fence) {
        for _ in quote + fence { keep() }
        return
      }
      if looking(at: escape + "(") {
        blank(escape.count + 1)
        code(untilClosing: true)
        blank()
      } else if looking(at: escape) {
        blank(escape.count + 1)
      } else {
        // A plain string cannot go over the end of its line: do not let a mistake swallow a file.
        if quote.count == 1, text[position].isNewline { return }
        blank()
      }
    }
  }
}
