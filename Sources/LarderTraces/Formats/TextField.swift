/// Bytes of a line that are being taken apart, from left to right.
///
/// Decoders of text formats work on bytes: strings would cost more than everything else together.
public struct TextField {
  /// The next byte.
  public private(set) var next: UnsafePointer<UInt8>
  /// One past the last byte.
  public let end: UnsafePointer<UInt8>

  /// The bytes from `start` up to `end`.
  @inline(__always)
  public init(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
    next = start
    self.end = end
  }

  /// Nothing is left.
  @inline(__always)
  public var isEmpty: Bool { next == end }

  /// The bytes left.
  @inline(__always)
  public var count: Int { end - next }

  /// Passes over spaces and tabs.
  @inline(__always)
  public mutating func skipBlanks() {
    while next < end, next.pointee == 0x20 || next.pointee == 0x09 { next += 1 }
  }

  /// Takes digits off as a whole number; nil when there are none or they exceed 64 bits.
  @inline(__always)
  public mutating func takeInteger() -> UInt64? {
    let start = next
    var value: UInt64 = 0
    while next < end {
      let digit = next.pointee &- 0x30
      if digit > 9 { break }
      // Nineteen digits always fit; only beyond them does every step have to look.
      if next - start < 19 {
        value = value &* 10 &+ UInt64(digit)
      } else {
        let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflow) = product.addingReportingOverflow(UInt64(digit))
        if tooLarge || overflow { return nil }
        value = sum
      }
      next += 1
    }
    return next == start ? nil : value
  }

  /// Takes a number off that is preceded by blanks and followed by a blank or the end.
  @inline(__always)
  public mutating func takeWord() -> UInt64? {
    skipBlanks()
    guard let value = takeInteger() else { return nil }
    return isEmpty || next.pointee == 0x20 || next.pointee == 0x09 ? value : nil
  }

  /// Takes the next bytes off up to a blank or the end, after passing over blanks.
  @inline(__always)
  public mutating func takeField() -> TextField {
    skipBlanks()
    let start = next
    while next < end, next.pointee != 0x20, next.pointee != 0x09 { next += 1 }
    return TextField(start, next)
  }

  /// The bytes left without blanks around them.
  @inline(__always)
  public var trimmed: TextField {
    var (start, end) = (next, end)
    while start < end, start.pointee == 0x20 || start.pointee == 0x09 { start += 1 }
    while start < end, end[-1] == 0x20 || end[-1] == 0x09 { end -= 1 }
    return TextField(start, end)
  }

  /// Passes over a byte. There must be one.
  @inline(__always)
  public mutating func skip() { next += 1 }

  /// Takes the next byte off.
  @inline(__always)
  public mutating func takeByte() -> UInt8? {
    guard next < end else { return nil }
    defer { next += 1 }
    return next.pointee
  }

  /// The bytes left, for a message: quoted, shortened, without control characters.
  public var quoted: String { TextField.quote(UnsafeBufferPointer(start: next, count: count)) }

  /// Bytes for a message: quoted, shortened, without control characters.
  static func quote(_ bytes: some Collection<UInt8>) -> String {
    let limit = 40
    let shown = bytes.prefix(limit).map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
    return "'\(String(decoding: shown, as: UTF8.self))\(bytes.count > limit ? "..." : "")'"
  }
}
