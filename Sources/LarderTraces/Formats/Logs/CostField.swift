/// How long servers took, as logs write it.
enum CostField {
  /// The sum of the numbers in a field such as `0.012, 0.034`, times `scale`: each server that was
  /// asked has one. Nil where there is none, or where it is no time that can have passed.
  static func sum(_ field: TextField, times scale: Double) -> Float? {
    var rest = field
    var (sum, isKnown) = (0.0, false)
    while !rest.isEmpty {
      if let number = takeNumber(&rest) {
        sum += number
        isKnown = true
      } else {
        rest.skip()
      }
    }
    let cost = Float(sum * scale)
    return isKnown && cost.isFinite ? cost : nil
  }

  /// A number without a sign: `12`, `0.034` or, as programs write small ones in JSON, `1.5e-05`.
  private static func takeNumber(_ rest: inout TextField) -> Double? {
    guard let whole = rest.takeInteger() else { return nil }
    var number = Double(whole)
    if !rest.isEmpty, rest.next.pointee == 0x2E {
      rest.skip()
      number += takeFraction(&rest)
    }
    var power = rest
    guard let letter = power.takeByte(), letter | 0x20 == 0x65 else { return number }
    let isNegative = !power.isEmpty && power.next.pointee == 0x2D
    if isNegative || (!power.isEmpty && power.next.pointee == 0x2B) { power.skip() }
    guard let exponent = power.takeInteger() else { return number }
    rest = power
    let factor = powerOfTen(Int(min(exponent, 400)))
    return isNegative ? number / factor : number * factor
  }

  /// The digits behind a point, of which the first 18 count.
  private static func takeFraction(_ rest: inout TextField) -> Double {
    var (digits, places): (UInt64, Int) = (0, 0)
    while !rest.isEmpty, rest.next.pointee &- 0x30 <= 9 {
      if places < 18 {
        digits = digits * 10 + UInt64(rest.next.pointee - 0x30)
        places += 1
      }
      rest.skip()
    }
    return Double(digits) / powerOfTen(places)
  }

  private static func powerOfTen(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { power, _ in power * 10 }
  }
}
