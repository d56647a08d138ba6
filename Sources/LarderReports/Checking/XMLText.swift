/// Text inside XML 1.0.
enum XMLText {
  /// Text for an element or an attribute in double quotes. What XML 1.0 cannot hold at all, not
  /// even as a reference, is replaced by U+FFFD, and so is what would reorder or hide text.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in TextSafety.printable(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      case _ where scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
