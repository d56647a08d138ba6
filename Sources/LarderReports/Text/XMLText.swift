import LarderSystem

/// Text for HTML, SVG and XML: the one place where text from outside is escaped for them.
///
/// What comes out means the same as text and as an attribute between quotes, in HTML and in XML
/// alike. None of it may be put inside `<script>` or `<style>`, and nothing is: both are constants.
package enum XMLText {
  /// `text` on one line, with everything replaced that would be markup, or that XML cannot hold.
  /// Linear in its length.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in TextSafety.singleLine(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "`": result += "&#96;"
      case "\t": result += " "
      // Not characters, by XML's definition.
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// An attribute with a space before it: ` name="value"`.
  package static func attribute(_ name: StaticString, _ value: String) -> String {
    " \(name)=\"\(escaped(value))\""
  }
}
