/// An exact decimal number: digits, optionally with a fraction and an exponent.
struct DecimalNumber {
  private var digits: UInt64 = 0
  private var exponent = 0

  @inline(never) init?(_ field: TextField) {
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

  /// The number times a power of ten, rounded down; nil if it exceeds 64 bits.
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

/// Sizes in text traces.
public enum SizeField {
  /// Parses a field as a size, a whole number or a decimal without a fraction; nil if a request
  /// cannot have it.
  @inline(__always) public static func size(_ field: TextField) -> UInt32? {
    var rest = field
    guard let value = rest.takeInteger() else { return nil }
    guard rest.isEmpty else {
      // Programs with floating-point columns write 1000.0 or 1.77e+09.
      return DecimalNumber(field)?.whole.flatMap { UInt32(exactly: $0) }
    }
    return UInt32(exactly: value)
  }

  /// Error message for a field that is not a size.
  public static func problem(_ field: TextField) -> String {
    let isNegative = !field.isEmpty && field.next.pointee == UInt8(ascii: "-")
    let number = isNegative ? TextField(field.next + 1, field.end) : field
    let isWhole = !number.isEmpty && number.allBytes { $0 &- 0x30 <= 9 }
    if isNegative, isWhole { return "the size \(field.quoted) is negative" }
    return isWhole || (DecimalNumber(field)?.whole ?? 0) > UInt32.max
      ? "the size \(field.quoted) is above \(UInt32.max) bytes, the largest size of a request"
      : "expected a size in bytes as a whole number, found \(field.quoted)"
  }
}

/// Unit of the times in a text trace.
public enum TimeUnit: String, CaseIterable, Sendable {
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  case nanoseconds = "ns"

  var milliseconds: Double {
    switch self {
    case .seconds: 1000
    case .milliseconds: 1
    case .microseconds: 0.001
    case .nanoseconds: 0.000_001
    }
  }

  private var decimals: Int {
    switch self {
    case .seconds: 6
    case .milliseconds: 3
    case .microseconds, .nanoseconds: 0
    }
  }

  /// Microseconds of a decimal number, rounded down, without floating point; nil if the field is
  /// not a number or its value exceeds 64 bits.
  @inline(__always) public func microseconds(_ field: TextField) -> UInt64? {
    var rest = field
    guard let whole = rest.takeInteger() else { return nil }
    var fraction: UInt64 = 0
    var missing = decimals
    if !rest.isEmpty {
      guard rest.takeByte() == UInt8(ascii: "."), !rest.isEmpty else { return exponential(field) }
      while let byte = rest.takeByte() {
        let digit = byte &- 0x30
        if digit > 9 { return exponential(field) }
        if missing > 0 {
          fraction = fraction &* 10 &+ UInt64(digit)
          missing -= 1
        }
      }
    }
    for _ in 0..<missing { fraction &*= 10 }
    if self == .nanoseconds { return whole / 1000 }
    let (product, tooLarge) = whole.multipliedReportingOverflow(by: scale)
    let (sum, overflow) = product.addingReportingOverflow(fraction)
    return tooLarge || overflow ? nil : sum
  }

  @inline(never) private func exponential(_ field: TextField) -> UInt64? {
    guard field.contains(anyOf: "eE") else { return nil }
    return DecimalNumber(field)?.scaled(by: self == .nanoseconds ? -3 : decimals)
  }

  /// Infers the unit of numbers since 1970: the one that puts them into the present. Numbers below
  /// 10^11, and columns without a number, have the unit `short`. Negative numbers are no times.
  static func guess(_ values: [String], short: TimeUnit = .seconds) -> TimeUnit {
    guess(values.compactMap { Double($0) }.filter { $0 >= 0 }.min() ?? 0, short: short)
  }

  static func guess(_ number: Double, short: TimeUnit = .seconds) -> TimeUnit {
    if number < 1e11 { return short }
    return number < 1e14 ? .milliseconds : number < 1e17 ? .microseconds : .nanoseconds
  }

  private var scale: UInt64 {
    switch self {
    case .seconds: 1_000_000
    case .milliseconds: 1000
    case .microseconds, .nanoseconds: 1
    }
  }

  /// Error message for a field that is not a time.
  public func problem(_ field: TextField) -> String {
    if field.count > 0 && field.next.pointee == UInt8(ascii: "-") {
      return "the time \(field.quoted) is negative"
    }
    return "expected a time as a number (unit \(rawValue)), found \(field.quoted)"
  }
}
