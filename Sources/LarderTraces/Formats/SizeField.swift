/// Sizes in text traces.
public enum SizeField {
  /// The size in a field that holds nothing else; nil when it is none that a request can have.
  @inline(__always)
  public static func size(_ field: TextField) -> UInt32? {
    var rest = field
    guard let value = rest.takeInteger(), rest.isEmpty else { return nil }
    return UInt32(exactly: value)
  }

  /// What is wrong with a field that is no size.
  public static func problem(_ field: TextField) -> String {
    var rest = field
    let isNegative = !rest.isEmpty && rest.next.pointee == UInt8(ascii: "-")
    if isNegative { _ = rest.takeByte() }
    let start = rest.next
    while !rest.isEmpty, rest.next.pointee &- 0x30 <= 9 { _ = rest.takeByte() }
    guard rest.isEmpty, rest.next > start else {
      return "expected a size in bytes as a whole number, found \(field.quoted)"
    }
    return isNegative
      ? "the size \(field.quoted) is negative"
      : "the size \(field.quoted) is above \(UInt32.max) bytes, the largest size of a request"
  }
}
