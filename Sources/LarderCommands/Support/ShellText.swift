import LarderReports

/// Words as a shell would read them back.
enum ShellText {
  /// The words joined by spaces, in quotes where they need them.
  static func command(_ words: [String]) -> String {
    words.map(ShellWord.quoted).joined(separator: " ")
  }
}
