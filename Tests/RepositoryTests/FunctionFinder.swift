/// Finds functions, initialisers and subscripts with a body, and counts their lines.
struct FunctionFinder {
  /// A function: the index of its first line, and its length.
  struct Function: Hashable {
    let start: Int
    let lines: Int
  }

  private(set) var functions: [Function] = []
  private var tokens: [Token] = []

  private struct Token {
    let text: String
    let line: Int
  }

  /// Words that begin another declaration, so the previous one had no body.
  private static let declarations: Set<String> = [
    "func", "init", "deinit", "subscript", "var", "let", "case", "struct", "enum", "class", "actor",
    "protocol", "extension", "typealias", "associatedtype",
  ]

  init(_ source: SwiftSource) {
    tokens = Self.tokens(source.code)
    for index in tokens.indices where startsFunction(index) {
      guard let open = body(after: index), let close = closing(open) else { continue }
      let start = tokens[index].line
      functions.append(Function(start: start, lines: tokens[close].line - start + 1))
    }
  }

  /// True for `func`, and for `init` and `subscript` if they are declared and not called.
  private func startsFunction(_ index: Int) -> Bool {
    switch tokens[index].text {
    case "func", "deinit": return true
    case "init", "subscript": return index == 0 || tokens[index - 1].text != "."
    default: return false
    }
  }

  /// The brace that opens the body of the declaration at `index`; nil if it has none.
  private func body(after index: Int) -> Int? {
    var depth = 0
    for next in tokens.indices.dropFirst(index + 1) {
      switch tokens[next].text {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return next
      case "}" where depth == 0: return nil
      case let text where depth == 0 && Self.declarations.contains(text): return nil
      default: break
      }
      if depth < 0 { return nil }
    }
    return nil
  }

  private func closing(_ open: Int) -> Int? {
    var depth = 0
    for next in tokens.indices.dropFirst(open) {
      if tokens[next].text == "{" { depth += 1 }
      if tokens[next].text == "}" {
        depth -= 1
        if depth == 0 { return next }
      }
    }
    return nil
  }

  /// Words and single symbols, without spaces.
  private static func tokens(_ code: [String]) -> [Token] {
    var tokens: [Token] = []
    for (number, line) in code.enumerated() {
      var word = ""
      func endWord() {
        if !word.isEmpty { tokens.append(Token(text: word, line: number)) }
        word = ""
      }
      for character in line {
        if character.isLetter || character.isNumber || character == "_" {
          word.append(character)
        } else {
          endWord()
          if !character.isWhitespace {
            tokens.append(Token(text: String(character), line: number))
          }
        }
      }
      endWord()
    }
    return tokens
  }
}
