/// Words as a shell would read them back.
enum ShellText {
  /// The words joined by spaces, in quotes where they need them.
  static func command(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.allSatisfy { character in
        character.isASCII
          && (character.isLetter || character.isNumber || "-_./,:=%+@".contains(character))
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
