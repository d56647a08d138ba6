/// A number as programs write it, exactly: digits, with or without a fraction and an exponent.
struct DecimalNumber {
  /// The number without trailing zeros of its fraction, as a whole one.
  private var digits: UInt64 = 0
  /// The power of ten that `digits` is multiplied with.
  private var exponent = 0

  /// The number in a field; nil for anything else, and for more digits than 64 bits hold.
  @inline(never)
  init?(_ field: TextField) {
    var rest = field
    guard let whole = rest.takeInteger() else { return nil }
    digits = whole
    if !rest.isEmpty, rest.next.pointee == UInt8(ascii: ".") {
      rest.skip()
      var zeros = 0
      var found = 0
      while !rest.isEmpty, rest.next.pointee &- 0x30 <= 9 {
        found += 1
        let digit = rest.takeByte().map { UInt64($0 - 0x30) } ?? 0
        if digit == 0 {
          zeros += 1
          continue
        }
        for step in 0...zeros {
          let (product, tooLarge) = digits.multipliedReportingOverflow(by: 10)
          let (sum, overflows) = product.addingReportingOverflow(step == zeros ? digit : 0)
          if tooLarge || overflows { return nil }
          digits = sum
          exponent -= 1
        }
        zeros = 0
      }
      if found == 0 { return nil }
    }
    if let mark = rest.takeByte() {
      guard mark | 0x20 == UInt8(ascii: "e") else { return nil }
      let sign = rest.isEmpty ? 0 : rest.next.pointee
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.skip() }
      guard let power = rest.takeInteger(), rest.isEmpty, power < 1000 else { return nil }
      exponent += sign == UInt8(ascii: "-") ? -Int(power) : Int(power)
    }
  }

  /// The number multiplied with a power of ten and rounded down; nil where it exceeds 64 bits.
  func scaled(by power: Int) -> UInt64? {
    var value = digits
    for _ in 0..<max(0, -(exponent + power)) {
      if value == 0 { return 0 }
      value /= 10
    }
    for _ in 0..<max(0, exponent + power) {
      if value == 0 { return 0 }
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      if overflows { return nil }
      value = product
    }
    return value
  }

  /// The number; nil where it is not whole.
  var whole: UInt64? {
    guard let value = scaled(by: 0) else { return nil }
    if exponent >= 0 { return value }
    var digits = digits
    for _ in 0..<(-exponent) {
      if digits == 0 { break }
      if !digits.isMultiple(of: 10) { return nil }
      digits /= 10
    }
    return value
  }
}
