/// The vocabulary of the library's public interface and of comments.
///
/// `docs/library.md` lists the words of the interface: an entry has a `weight` against a limit and
/// a `fetchCost`, and times are `Duration` and `Date`. Names and parameter labels of public
/// declarations, and of enum cases, contain neither `cost` without a preceding `fetch` nor
/// `microseconds`.
///
/// The first words of a comment name the thing that it describes: see `CommentPattern`.
enum VocabularyRule {
  static func findings(_ source: SwiftSource) -> [Finding] {
    source.code.indices.filter { isPublic(source.code[$0]) }.flatMap { index in
      let declaration = signature(source.code, from: index)
      return names(declaration).compactMap(complaint).map { source.finding(index, $0) }
    }
  }

  private static func isPublic(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    // A declared case; in a switch, a dot or `let` follows.
    if words.first == "case", let second = words.dropFirst().first {
      return !second.hasPrefix(".") && second != "let"
    }
    // Attributes come first; `open` may also be the name of a function.
    let first = words.first { !$0.hasPrefix("@") } ?? ""
    return ["public", "open", "public(set)", "open(set)"].contains(first)
      && !words.contains("import")
  }

  /// A declaration without its body: up to the end of the line that closes its parentheses, or to a
  /// brace outside of them.
  private static func signature(_ lines: [String], from index: Int) -> String {
    var text = ""
    var depth = 0
    for line in lines[index...] {
      for character in line {
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        if character == "{", depth == 0 { return text }
        text.append(character)
      }
      if depth <= 0 { return text }
      text.append("\n")
    }
    return text
  }

  /// Words other than members, such as `.microseconds(5)` in a default value.
  private static func names(_ declaration: String) -> [String] {
    var names: [String] = []
    var name = ""
    var isMember = false
    var last: Character = " "
    for character in declaration + " " {
      if character.isLetter || character.isNumber || character == "_" {
        if name.isEmpty { isMember = last == "." }
        name.append(character)
      } else {
        if !name.isEmpty, !isMember { names.append(name) }
        name = ""
      }
      last = character
    }
    return names
  }

  private static func complaint(_ name: String) -> String? {
    if name.lowercased().contains("microseconds") {
      return "'\(name)' in the public interface: use Duration, Date or CacheInstant"
    }
    let words = words(name)
    for (index, word) in words.enumerated() where word == "cost" || word == "costs" {
      if index == 0 || words[index - 1] != "fetch" {
        return "'\(name)' in the public interface: is it a weight or a fetchCost?"
      }
    }
    return nil
  }

  private static func words(_ name: String) -> [String] {
    var words: [String] = []
    for character in name {
      if character.isUppercase || words.isEmpty { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
    return words
  }

  static func commentFindings(_ sources: [SwiftSource]) -> [Finding] {
    let comments = sources.map(Comments.init)
    return CommentPattern.all.compactMap { pattern in
      let count = comments.reduce(0) { $0 + pattern.count(in: $1) }
      guard count > pattern.limit else { return nil }
      let message = "\(count) comments with \(pattern); at most \(pattern.limit)"
      return Finding(path: "Sources", line: 1, message: message)
    }
  }
}

/// A pattern to avoid in comments, with the most occurrences that are allowed in Sources.
///
/// The limits are the counts of an earlier version. Lower them after rewriting comments, and never
/// raise them.
struct CommentPattern: CustomStringConvertible {
  /// The words; `...` represents up to six arbitrary words.
  let words: [String]
  /// True if only the beginning of a line counts, with the case of letters.
  let isBeginning: Bool
  let limit: Int

  init(beginning words: String, limit: Int) { self.init(words, isBeginning: true, limit: limit) }
  init(phrase words: String, limit: Int) { self.init(words, isBeginning: false, limit: limit) }

  private init(_ words: String, isBeginning: Bool, limit: Int) {
    self.words = words.split(separator: " ").map(String.init)
    self.isBeginning = isBeginning
    self.limit = limit
  }

  static let all = [
    CommentPattern(beginning: "What", limit: 0),
    CommentPattern(beginning: "Whether", limit: 0),
    CommentPattern(beginning: "How", limit: 0),
    CommentPattern(beginning: "When", limit: 0),
    CommentPattern(beginning: "Where", limit: 0),
    CommentPattern(beginning: "Who", limit: 0),
    CommentPattern(beginning: "Which", limit: 0),
    CommentPattern(beginning: "The same", limit: 0),
    CommentPattern(phrase: "for want of", limit: 0),
    CommentPattern(phrase: "all the same", limit: 0),
    CommentPattern(phrase: "as good as", limit: 0),
    CommentPattern(phrase: "whoever", limit: 2),
    CommentPattern(phrase: "bring ... near", limit: 0),
    CommentPattern(phrase: "brings ... near", limit: 0),
    CommentPattern(phrase: "brought ... near", limit: 0),
    CommentPattern(phrase: "so many", limit: 4),
  ]

  var description: String {
    let text = words.joined(separator: " ")
    return isBeginning ? "'\(text)' at the beginning" : "'\(text)'"
  }

  func count(in comments: Comments) -> Int {
    if isBeginning { return comments.lines.count { matches($0[...]) } }
    return comments.blocks.reduce(0) { sum, block in
      sum + block.indices.count { matches(block[$0...]) }
    }
  }

  private func matches(_ text: ArraySlice<String>) -> Bool {
    var rest = text
    var reach = 1
    for word in words {
      guard word != "..." else {
        reach = 7
        continue
      }
      guard let index = rest.prefix(reach).firstIndex(of: word) else { return false }
      rest = rest[(index + 1)...]
      reach = 1
    }
    return true
  }
}

/// The words of a file's comments, without trailing comments of code lines.
struct Comments {
  /// The words of each comment line, as written.
  let lines: [[String]]
  /// The words of each comment, in lower case; a comment is a sequence of comment lines.
  let blocks: [[String]]

  init(_ source: SwiftSource) {
    var lines: [[String]] = []
    var blocks: [[String]] = []
    var block: [String] = []
    for line in source.lines + [""] {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("//") {
        let words = text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        lines.append(words)
        block += words.map { $0.lowercased() }
      } else if !block.isEmpty {
        blocks.append(block)
        block = []
      }
    }
    self.lines = lines
    self.blocks = blocks
  }
}
