/// Numbers as text: the same on every machine and in every locale, and correctly rounded.
///
/// Decimals come from exact integer arithmetic on the binary value. A value exactly half way
/// between two results goes to the one farther from zero: 0.125 to two decimals is 0.13. What is
/// not a number, or is infinite, has no text: reports leave it empty.
package enum NumberText {
  /// The most decimals that `fixed` gives.
  package static let decimalsMax = 18

  /// `value` with exactly `decimals` decimals, or nil when it is not finite.
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

  /// `part / whole` with exactly `decimals` decimals, or nil when `whole` is 0.
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

  /// Bytes in the largest unit of 1024 that leaves at least 1, with two decimals.
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

  /// Puts the point into a number of units of the last decimal.
  private static func place(_ units: UInt128, decimals: Int, negative: Bool) -> String {
    var digits = String(units)
    if digits.count <= decimals {
      digits = String(repeating: "0", count: decimals + 1 - digits.count) + digits
    }
    let sign = negative ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    return "\(sign)\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
  }

  /// A number with its word, such as `1 cell` or `2 cells`.
  package static func counted(_ count: Int, _ word: String) -> String {
    "\(count) \(word)\(count == 1 ? "" : "s")"
  }
}
