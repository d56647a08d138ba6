/// How long servers took, as logs write it.
enum CostField {
  /// The sum of the numbers in a field such as `0.012, 0.034`, times `scale`: each server that was
  /// asked has one. A number with a unit, as in `12ms` or `1m2.5s`, counts in milliseconds; one
  /// below zero does not count. Nil where there is none, or where it is no time that can have
  /// passed.
  static func sum(_ field: TextField, times scale: Double) -> Float? {
    var rest = field
    var (sum, milliseconds, isKnown) = (0.0, 0.0, false)
    while !rest.isEmpty {
      let isNegative = rest.next.pointee == 0x2D
      if isNegative { rest.skip() }
      if let number = takeNumber(&rest) {
        let unit = takeUnit(&rest)
        if isNegative { continue }
        isKnown = true
        if let unit { milliseconds += number * unit } else { sum += number }
      } else if !isNegative {
        rest.skip()
      }
    }
    let cost = Float(sum * scale + milliseconds)
    return isKnown && cost.isFinite ? cost : nil
  }

  /// Milliseconds of the unit behind a number, with or without a blank between them.
  private static func takeUnit(_ rest: inout TextField) -> Double? {
    var word = rest
    if !word.isEmpty, word.next.pointee == 0x20 { word.skip() }
    let start = word.next
    while !word.isEmpty, (word.next.pointee | 0x20) &- 0x61 < 26 || word.next.pointee >= 0x80 {
      word.skip()
    }
    guard word.next > start, word.next - start <= 12 else { return nil }
    let text = TextField(start, word.next)
    for unit in units where text.equals(anyCase: unit.name) {
      rest = word
      return unit.milliseconds
    }
    return nil
  }

  private static let units: [(name: StaticString, milliseconds: Double)] = [
    ("ms", 1), ("s", 1000), ("us", 0.001), ("µs", 0.001), ("μs", 0.001), ("ns", 0.000_001),
    ("sec", 1000), ("secs", 1000), ("seconds", 1000), ("msec", 1), ("usec", 0.001), ("m", 60_000),
    ("min", 60_000), ("h", 3_600_000),
  ]

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
