/// A word as a shell would read it back.
public enum ShellWord {
  /// The word, in quotes where it needs them.
  public static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.allSatisfy { character in
        character.isASCII
          && (character.isLetter || character.isNumber || "-_./,:=%+@".contains(character))
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
