import LarderSystem

/// Numbers and text as charts need them.
enum ChartText {
  /// A place in a drawing, to a tenth, without needless digits.
  static func place(_ value: Double) -> String { trimmed(value, decimals: 1) }

  /// A tick's number, without needless digits.
  static func short(_ value: Double) -> String {
    let size = value.magnitude
    return trimmed(value, decimals: size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 4 : 8)
  }

  /// A number in the largest of `units` that leaves at least 1, each so many times the one before.
  /// `isTrimmed` leaves needless digits away.
  static func scaled(
    _ value: Double, by factor: Double, units: [String], isTrimmed: Bool = true
  ) -> String {
    var rest = value
    var unit = 0
    // A value that would be rounded up to the next unit is in it.
    while unit + 1 < units.count, rest.magnitude >= factor * 0.9995 {
      rest /= factor
      unit += 1
    }
    let decimals = rest.magnitude >= 100 ? 0 : rest.magnitude >= 10 ? 1 : 2
    // Whole nanoseconds, and whole bytes, have no parts.
    let shown = unit == 0 && rest == rest.rounded() ? 0 : decimals
    let text =
      isTrimmed ? trimmed(rest, decimals: decimals) : NumberText.fixed(rest, decimals: shown)
    return (text ?? "–") + units[unit]
  }

  /// `value` with at most so many decimals.
  static func trimmed(_ value: Double, decimals: Int) -> String {
    guard let text = NumberText.fixed(value, decimals: decimals), text.contains(".") else {
      return NumberText.fixed(value, decimals: decimals) ?? "–"
    }
    var digits = text[...]
    while digits.last == "0" { digits.removeLast() }
    if digits.last == "." { digits.removeLast() }
    return digits == "-0" ? "0" : String(digits)
  }

  /// About how wide `text` is drawn, in the size's unit: fonts differ, so rather too wide.
  static func width(_ text: String, size: Double) -> Double {
    text.unicodeScalars.reduce(0) { width, scalar in
      width + size * em(scalar)
    }
  }

  private static func em(_ scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", "(", ")", " ": 0.34
    case "f", "r", "t", "-", "[", "]": 0.42
    case "m", "w", "M", "W", "%", "@": 0.92
    case "A"..."Z": 0.7
    default: scalar.value < 0x1100 ? 0.62 : 1.05
    }
  }

  /// `text`, cut with an ellipsis where it would be wider than `width`.
  static func fitted(_ text: String, width: Double, size: Double) -> String {
    guard self.width(text, size: size) > width else { return text }
    var kept = text
    while !kept.isEmpty, self.width(kept + "…", size: size) > width { kept.removeLast() }
    return kept + "…"
  }

  /// `text` in lines that are at most `width` wide, broken between words; linear in its length.
  static func lines(_ text: String, width: Double, size: Double) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let longer = line.isEmpty ? String(word) : line + " " + word
      if !line.isEmpty, self.width(longer, size: size) > width {
        lines.append(line)
        line = fitted(String(word), width: width, size: size)
      } else {
        line = fitted(longer, width: width, size: size)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
