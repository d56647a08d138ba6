/// The unit of the times in a text trace.
public enum TimeUnit: String, CaseIterable, Sendable {
  /// Seconds.
  case seconds = "s"
  /// Milliseconds.
  case milliseconds = "ms"
  /// Microseconds.
  case microseconds = "us"
  /// Nanoseconds.
  case nanoseconds = "ns"

  /// How many decimals of a number in this unit are whole microseconds.
  private var decimals: Int {
    switch self {
    case .seconds: 6
    case .milliseconds: 3
    case .microseconds, .nanoseconds: 0
    }
  }

  /// Microseconds of a decimal number, rounded down, exactly (no floating point in between); nil
  /// when the field is not one or its value exceeds 64 bits.
  @inline(__always)
  public func microseconds(_ field: TextField) -> UInt64? {
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

  /// Microseconds of a number with an exponent, such as 1.77e+09.
  @inline(never)
  private func exponential(_ field: TextField) -> UInt64? {
    guard field.contains(anyOf: "eE") else { return nil }
    return DecimalNumber(field)?.scaled(by: self == .nanoseconds ? -3 : decimals)
  }

  /// The unit of numbers since 1970: the one that makes all of them times of our days. Numbers
  /// below 10^11, and columns without a number, have the unit `short`.
  static func guess(_ values: [String], short: TimeUnit = .seconds) -> TimeUnit {
    let numbers = values.compactMap { Double($0) }
    guard let least = numbers.min(), least >= 1e11 else { return short }
    if least < 1e14 { return .milliseconds }
    return least < 1e17 ? .microseconds : .nanoseconds
  }

  private var scale: UInt64 {
    switch self {
    case .seconds: 1_000_000
    case .milliseconds: 1000
    case .microseconds, .nanoseconds: 1
    }
  }

  /// What is wrong with a field that is no time.
  public func problem(_ field: TextField) -> String {
    if field.count > 0 && field.next.pointee == UInt8(ascii: "-") {
      return "the time \(field.quoted) is negative"
    }
    return "expected a time as a number (unit \(rawValue)), found \(field.quoted)"
  }
}
