/// The words of the library's public interface, which `docs/library.md` lists: an entry has a
/// `weight` against a limit and a `fetchCost`, and times are `Duration` and `Date`.
///
/// Names and parameter labels of public declarations, and of enum cases, have neither `cost`
/// without `fetch` in front nor `microseconds`.
enum VocabularyRule {
  static func findings(_ source: SwiftSource) -> [Finding] {
    source.code.indices.filter { isPublic(source.code[$0]) }.flatMap { index in
      let declaration = signature(source.code, from: index)
      return names(declaration).compactMap(complaint).map { source.finding(index, $0) }
    }
  }

  private static func isPublic(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    // A case that is declared; in a switch, a dot or `let` follows.
    if words.first == "case", let second = words.dropFirst().first {
      return !second.hasPrefix(".") && second != "let"
    }
    // Attributes stand in front; `open` may also be the name of a function.
    let first = words.first { !$0.hasPrefix("@") } ?? ""
    return ["public", "open", "public(set)", "open(set)"].contains(first)
      && !words.contains("import")
  }

  /// A declaration without its body: up to the end of the line on which its parentheses close, or
  /// to a brace outside of them.
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

  /// Words that are not members of something, as `.microseconds(5)` in a default value is.
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

  /// The words of a name in camel case, in lower case.
  private static func words(_ name: String) -> [String] {
    var words: [String] = []
    for character in name {
      if character.isUppercase || words.isEmpty { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
    return words
  }
}
