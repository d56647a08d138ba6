import LarderSupport

/// A word in shell syntax: one argument on one line, whatever it contains.
///
/// Works by byte and scalar and never by `Character`: to a shell, a quote ends the quoting even if
/// an accent follows it.
package enum ShellWord {
  /// The most bytes of a word with its quotes. Longer words are not shown: a command that is cut
  /// inside of quotes would be a different command.
  static let bytesMax = 400

  /// The word, quoted if necessary. Linear in its length.
  ///
  /// Control characters, line breaks and marks that reorder text are written as `$'...'` with octal
  /// escapes, which bash, zsh, ksh and POSIX.1-2024 parse. Other shells read a different word,
  /// which is harmless. A word of more than 400 bytes is replaced by its length.
  package static func quoted(_ word: String) -> String {
    let text = text(word)
    return text.utf8.count <= bytesMax ? text : "'(a word of \(word.utf8.count) bytes)'"
  }

  /// True if every shell parses the word, also as a path: it is not too long and needs no escapes
  /// that some shells do not know.
  static func isPortable(_ word: String) -> Bool {
    word.unicodeScalars.allSatisfy(TextSafety.isInline) && text("./" + word).utf8.count <= bytesMax
  }

  private static func text(_ word: String) -> String {
    if isPlain(word) { return word }
    return word.unicodeScalars.allSatisfy(TextSafety.isInline) ? inQuotes(word) : escaped(word)
  }

  /// A file path as an argument; a path that begins with a dash would be parsed as an option.
  package static func path(_ path: String) -> String {
    quoted(path.utf8.first == UInt8(ascii: "-") ? "./" + path : path)
  }

  /// An option with its value; in one word if the value begins with a dash.
  package static func option(_ name: StaticString, _ value: String) -> String {
    let separator = value.utf8.first == UInt8(ascii: "-") ? "=" : " "
    return "\(name)\(separator)\(quoted(value))"
  }

  /// True if no byte of the word is special in any shell. `=ls` is a path in zsh.
  private static func isPlain(_ word: String) -> Bool {
    guard let first = word.utf8.first, first != UInt8(ascii: "=") else { return false }
    return word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_./,:=%+@".utf8.contains(byte)
      }
    }
  }

  /// Single quotes: every byte is literal; a quote closes them, is escaped, and reopens them.
  private static func inQuotes(_ word: String) -> String {
    var text = String.UnicodeScalarView("'".unicodeScalars)
    for scalar in word.unicodeScalars {
      if scalar == "'" { text.append(contentsOf: "'\\'".unicodeScalars) }
      text.append(scalar)
    }
    text.append("'")
    return String(text)
  }

  /// Quotes and backslashes are escaped as numbers too, so that a shell that does not know `$'`
  /// sees the closing quote at the right position.
  private static func escaped(_ word: String) -> String {
    var text = String.UnicodeScalarView("$'".unicodeScalars)
    for scalar in word.unicodeScalars {
      if TextSafety.isInline(scalar), scalar != "'", scalar != "\\" {
        text.append(scalar)
        continue
      }
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        let digits = String(byte, radix: 8)
        let zeroes = String(repeating: "0", count: 3 - digits.count)
        text.append(contentsOf: "\\\(zeroes)\(digits)".unicodeScalars)
      }
    }
    text.append("'")
    return String(text)
  }
}
