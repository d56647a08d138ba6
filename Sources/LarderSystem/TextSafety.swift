/// Names and descriptions come from files that anybody may have written. What a terminal or an
/// editor would obey rather than show is replaced before it is printed anywhere.
public enum TextSafety {
  /// `text` with line breaks as spaces and control characters made visible.
  public static func singleLine(_ text: String) -> String {
    printable(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .joined(separator: " ")
  }

  /// `text` with control characters and changes of writing direction made visible; line breaks
  /// and tabs stay.
  public static func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
    }
    return String(result)
  }

  /// Whether the scalar may stand within a line as it is: no control character, no break, and
  /// nothing that reorders or hides what follows.
  package static func isInline(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: false
    default: isHarmless(scalar)
    }
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case ..<0x20, 0x7F...0x9F: false
    // Marks that reorder or hide what follows.
    case 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB:
      false
    default: true
    }
  }
}
