/// Formats numbers as text, identically on every machine and in every locale, and correctly
/// rounded.
///
/// Decimals come from exact integer arithmetic on the binary value. Values exactly half way between
/// two results are rounded away from zero: 0.125 to two decimals is 0.13. NaN and infinity have no
/// text, so reports leave them empty.
package enum NumberText {
  /// Maximum number of decimals of `fixed`.
  package static let decimalsMax = 18

  package static func fixed(_ value: Double, decimals: Int) -> String? {
    precondition((0...decimalsMax).contains(decimals))
    guard value.isFinite else { return nil }
    // The magnitude is significand * 2^power, both whole.
    let significand = UInt128(value.magnitude.significandBitPattern)
    let implicit: UInt128 = value.isNormal ? 1 << UInt128(Double.significandBitCount) : 0
    let biased = Int(max(value.exponentBitPattern, 1))
    let power = biased - 1023 - Double.significandBitCount
    // 53 bits times at most 60 bits: no overflow.
    let scaled = (significand | implicit) * UInt128(powerOfTen(decimals))
    let units: UInt128
    if power >= 0 {
      guard scaled == 0 || power < scaled.leadingZeroBitCount else { return "\(value)" }
      units = scaled << UInt128(power)
    } else if -power > 120 {
      units = 0
    } else {
      let shift = UInt128(-power)
      units = (scaled >> shift) + ((scaled >> (shift - 1)) & 1)
    }
    return place(units, decimals: decimals, negative: value < 0 && units != 0)
  }

  /// `part / whole` with exactly `decimals` decimals, or nil if `whole` is 0.
  package static func ratio(_ part: UInt64, of whole: UInt64, decimals: Int) -> String? {
    precondition((0...decimalsMax).contains(decimals))
    guard whole != 0 else { return nil }
    let scaled = UInt128(part) * UInt128(powerOfTen(decimals))
    let (quotient, remainder) = scaled.quotientAndRemainder(dividingBy: UInt128(whole))
    let units = quotient + (remainder * 2 >= UInt128(whole) ? 1 : 0)
    return place(units, decimals: decimals, negative: false)
  }

  /// A whole number with its digits in groups of three, such as `1 234 567`.
  package static func grouped(_ value: UInt64) -> String {
    let digits = String(value)
    var text = ""
    for (position, digit) in digits.enumerated() {
      if position > 0, (digits.count - position).isMultiple(of: 3) { text += " " }
      text.append(digit)
    }
    return text
  }

  /// A measured value as a whole number; the nearest of 0 to 10^18.
  package static func whole(_ value: Double) -> String {
    grouped(UInt64(max(0, min(1e18, value)).rounded()))
  }

  package static func bytes(_ value: UInt64) -> String {
    var unit = 0
    while unit < 6, value >> UInt64(10 * (unit + 1)) > 0 { unit += 1 }
    guard unit > 0 else { return "\(value) B" }
    let names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    let text = ratio(value, of: 1 << UInt64(10 * unit), decimals: 2) ?? ""
    return "\(text) \(names[unit])"
  }

  private static func powerOfTen(_ exponent: Int) -> UInt64 {
    var power: UInt64 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }

  private static func place(_ units: UInt128, decimals: Int, negative: Bool) -> String {
    var digits = String(units)
    if digits.count <= decimals {
      digits = String(repeating: "0", count: decimals + 1 - digits.count) + digits
    }
    let sign = negative ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    return "\(sign)\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
  }

  /// `value` with at most `decimals` decimals, without trailing zeros; `–` if it is not finite.
  package static func trimmed(_ value: Double, decimals: Int) -> String {
    guard var text = fixed(value, decimals: decimals) else { return "–" }
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text == "-0" ? "0" : text
  }

  /// A share of 1 as a percentage, such as `12.5 %`.
  package static func percent(_ share: Double, decimals: Int = 1) -> String {
    (fixed(share * 100, decimals: decimals) ?? "–") + " %"
  }

  /// A time in a suitable unit, with one decimal unless it is whole or large.
  package static func time(_ seconds: Double) -> String {
    let (value, unit): (Double, String) =
      switch seconds {
      case ..<1: (seconds * 1000, "ms")
      case ..<120: (seconds, "s")
      case ..<7200: (seconds / 60, "min")
      case ..<172_800: (seconds / 3600, "h")
      case ..<63_072_000: (seconds / 86400, "days")
      default: (seconds / 31_557_600, "years")
      }
    let decimals = value == value.rounded() || value >= 100 ? 0 : 1
    return "\(fixed(value, decimals: decimals) ?? "–") \(unit)"
  }

  /// A number with its word, such as `1 cell` or `2 cells`.
  package static func counted(_ count: Int, _ word: String) -> String {
    "\(count) \(word)\(count == 1 ? "" : "s")"
  }
}

/// Sanitises names and descriptions from files of unknown origin: replaces everything that a
/// terminal or an editor would interpret rather than show.
public enum TextSafety {
  /// `text` with line breaks as spaces and control characters made visible.
  public static func singleLine(_ text: String) -> String {
    printable(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .joined(separator: " ")
  }

  /// `text` with visible control characters and direction changes; line breaks and tabs stay.
  public static func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
    }
    return String(result)
  }

  /// True if the scalar may appear within a line unchanged: no control character, no break, and no
  /// mark that reorders or hides text.
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
    // Marks that reorder or hide the following text.
    case 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB:
      false
    default: true
    }
  }
}

/// A JSON object on one line, with its keys in the order of insertion.
package struct JSONLine {
  private var fields: [String] = []

  package init() {}

  package mutating func add(_ key: String, _ value: String) {
    fields.append("\(Self.quoted(key)): \(Self.quoted(value))")
  }

  package mutating func add(_ key: String, _ value: UInt64) {
    fields.append("\(Self.quoted(key)): \(value)")
  }

  package mutating func add(_ key: String, json: String) {
    fields.append("\(Self.quoted(key)): \(json)")
  }

  package var text: String { "{\(fields.joined(separator: ", "))}" }

  /// A JSON string literal. Also escapes characters that editors, `diff` and terminals may
  /// interpret instead of show, such as line separators.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where !TextSafety.isInline(scalar): result += escape(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Equivalent JSON with escapes for characters that a terminal would interpret, which are valid
  /// only in strings; encoders escape only what the format requires. Line breaks stay.
  package static func printable(_ json: String) -> String {
    json.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar == "\n" || TextSafety.isInline(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += escape(scalar)
      }
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
