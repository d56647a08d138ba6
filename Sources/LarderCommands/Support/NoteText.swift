import LarderReports
import LarderSystem

/// Errors and notes as lines. They quote names, keys and fields from files, which may be of any
/// length and hold anything.
enum NoteText {
  /// The most scalars of a line: an error with a long path and a list of what is known fits.
  static let scalarsMax = 1000
  /// How much of the end stays, where an error says what to do.
  private static let endMax = 250

  /// The text on one line, with control characters replaced, and its middle left out where it is
  /// too long. Linear in its length.
  static func line(_ text: String) -> String {
    let text = TextSafety.singleLine(text)
    // A text has at most as many scalars as bytes.
    guard text.utf8.count > scalarsMax else { return text }
    let scalars = text.unicodeScalars
    let count = scalars.count
    guard count > scalarsMax else { return text }
    let beginning = String(String.UnicodeScalarView(scalars.prefix(scalarsMax - endMax - 50)))
    let end = String(String.UnicodeScalarView(scalars.suffix(endMax)))
    let left = count - beginning.unicodeScalars.count - endMax
    return "\(beginning)… [\(left) characters omitted] …\(end)"
  }
}
