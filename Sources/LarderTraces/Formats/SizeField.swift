/// Sizes in text traces.
public enum SizeField {
  /// The size in a field that holds nothing else, as a whole number or a decimal without a
  /// fraction; nil when it is none that a request can have.
  @inline(__always)
  public static func size(_ field: TextField) -> UInt32? {
    var rest = field
    guard let value = rest.takeInteger() else { return nil }
    guard rest.isEmpty else {
      // What programs with floating-point columns write: 1000.0 or 1.77e+09.
      return DecimalNumber(field)?.whole.flatMap { UInt32(exactly: $0) }
    }
    return UInt32(exactly: value)
  }

  /// What is wrong with a field that is no size.
  public static func problem(_ field: TextField) -> String {
    var rest = field
    let isNegative = !rest.isEmpty && rest.next.pointee == UInt8(ascii: "-")
    if isNegative { _ = rest.takeByte() }
    let start = rest.next
    while !rest.isEmpty, rest.next.pointee &- 0x30 <= 9 { _ = rest.takeByte() }
    let isLarge = !isNegative && (DecimalNumber(field)?.whole ?? 0) > UInt32.max
    guard rest.isEmpty && rest.next > start || isLarge else {
      return "expected a size in bytes as a whole number, found \(field.quoted)"
    }
    return isNegative
      ? "the size \(field.quoted) is negative"
      : "the size \(field.quoted) is above \(UInt32.max) bytes, the largest size of a request"
  }
}
