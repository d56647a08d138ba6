import LarderLibc

/// Bytes of a line that are parsed from left to right: strings would cost more than all else.
public struct TextField {
  /// Address of the next byte.
  public private(set) var next: UnsafePointer<UInt8>
  /// Address after the last byte.
  public let end: UnsafePointer<UInt8>

  /// Field of the bytes from `start` up to `end`.
  @inline(__always) public init(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
    next = start
    self.end = end
  }

  /// True if no bytes are left.
  @inline(__always) public var isEmpty: Bool { next == end }

  /// Number of bytes left.
  @inline(__always) public var count: Int { end - next }

  /// Skips spaces and tabs.
  @inline(__always) public mutating func skipBlanks() {
    while next < end, next.pointee == 0x20 || next.pointee == 0x09 { next += 1 }
  }

  /// Consumes digits as a whole number; nil without digits or if the number exceeds 64 bits.
  @inline(__always) public mutating func takeInteger() -> UInt64? {
    let start = next
    var value: UInt64 = 0
    while next < end {
      let digit = next.pointee &- 0x30
      if digit > 9 { break }
      // Nineteen digits always fit; only longer numbers need an overflow check per digit.
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

  /// Skips blanks and consumes the bytes up to the next blank or the end.
  @inline(__always) public mutating func takeField() -> TextField {
    skipBlanks()
    let start = next
    while next < end, next.pointee != 0x20, next.pointee != 0x09 { next += 1 }
    return TextField(start, next)
  }

  /// The remaining bytes without surrounding blanks.
  @inline(__always) public var trimmed: TextField {
    var (start, end) = (next, end)
    while start < end, start.pointee == 0x20 || start.pointee == 0x09 { start += 1 }
    while start < end, end[-1] == 0x20 || end[-1] == 0x09 { end -= 1 }
    return TextField(start, end)
  }

  /// Skips a byte. The field must not be empty.
  @inline(__always) public mutating func skip() { next += 1 }

  /// Consumes the next byte.
  @inline(__always) public mutating func takeByte() -> UInt8? {
    guard next < end else { return nil }
    defer { next += 1 }
    return next.pointee
  }

  /// The remaining bytes for a message: quoted, shortened, without control characters.
  public var quoted: String { TextField.quote(UnsafeBufferPointer(start: next, count: count)) }

  static func quote(_ bytes: some Collection<UInt8>) -> String {
    let limit = 40
    let shown = bytes.prefix(limit).map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
    return "'\(String(decoding: shown, as: UTF8.self))\(bytes.count > limit ? "..." : "")'"
  }
}

extension TextField {
  @inline(__always) func find(_ byte: UInt8) -> UnsafePointer<UInt8>? {
    memchr(next, Int32(byte), count).map {
      UnsafePointer($0.assumingMemoryBound(to: UInt8.self))
    }
  }

  @inline(__always) func find(_ text: [UInt8]) -> UnsafePointer<UInt8>? {
    guard let first = text.first else { return next }
    if text.count == 1 { return find(first) }
    var rest = self
    while let place = rest.find(first) {
      rest = TextField(place, end)
      if rest.starts(with: text) { return place }
      rest.skip()
    }
    return nil
  }

  /// Closing quote of a quoted field that begins here: a double quote that is followed by a blank
  /// or the end and not escaped with a backslash; nil if not found.
  @inline(__always) func endOfQuoted() -> UnsafePointer<UInt8>? {
    var rest = self
    while let quote = rest.find(0x22) {
      rest = TextField(quote + 1, end)
      guard rest.isEmpty || rest.next.pointee == 0x20 || rest.next.pointee == 0x09 else { continue }
      var first = quote
      while first > next, first[-1] == 0x5C { first -= 1 }
      if (quote - first) % 2 == 0 { return quote }
    }
    return nil
  }

  func ends(with text: [UInt8]) -> Bool {
    count >= text.count && TextField(end - text.count, end).equals(text)
  }

  @inline(__always) func equals(_ text: [UInt8]) -> Bool {
    count == text.count && (count == 0 || memcmp(next, text, count) == 0)
  }

  func equals(anyCase name: StaticString) -> Bool {
    count == name.utf8CodeUnitCount
      && (0..<count).allSatisfy { place in
        let byte = next[place]
        let isUpper = (0x41...0x5A).contains(byte)
        return (isUpper ? byte | 0x20 : byte) == name.utf8Start[place]
      }
  }

  func contains(anyOf set: StaticString) -> Bool {
    (0..<count).contains { place in
      (0..<set.utf8CodeUnitCount).contains { set.utf8Start[$0] == next[place] }
    }
  }

  @inline(__always) func equals(upperCase text: [UInt8]) -> Bool {
    guard count == text.count else { return false }
    for place in 0..<count {
      let byte = next[place]
      if (byte &- 0x61 < 26 ? byte & 0xDF : byte) != text[place] { return false }
    }
    return true
  }

  var isNumber: Bool {
    var rest = self
    return rest.takeInteger() != nil && rest.isEmpty
  }

  /// True for an empty field and `-`, the marker of logs for a missing value.
  @inline(__always) var isNothing: Bool { isEmpty || (count == 1 && next.pointee == 0x2D) }
}

extension TextField {
  var unquoted: TextField {
    var (start, end) = (next, end)
    if start < end, start.pointee == 0x22 { start += 1 }
    if start < end, end[-1] == 0x22 { end -= 1 }
    return TextField(start, end)
  }

  /// The last word; without its quotes if it is in quotes alone.
  var lastField: TextField {
    let line = trimmed
    var start = line.end
    while start > line.next, start[-1] != 0x20, start[-1] != 0x09 { start -= 1 }
    let word = TextField(start, line.end)
    return word.count > 1 && word.next.pointee == 0x22 ? word.unquoted : word
  }

  /// The name in brackets; an address keeps its brackets.
  var withoutBrackets: TextField {
    guard count > 2, next.pointee == 0x5B, end[-1] == 0x5D, !isAddress else { return self }
    return TextField(next + 1, end - 1)
  }

  /// True for `-`, an empty field and `unknown`, which proxies write for an unknown client.
  var isNoClient: Bool { isNothing || equals(anyCase: "unknown") }

  /// True for an IPv4 or IPv6 address, with or without a port, zone or brackets.
  var isAddress: Bool { isIPv4 || isIPv6 }

  /// True for an address as servers are named by it: with a port, or in brackets.
  var isServerAddress: Bool {
    guard isAddress else { return false }
    return next.pointee == 0x5B || (isIPv4 && find(0x3A) != nil)
  }

  private var isIPv4: Bool {
    var rest = self
    for part in 0..<4 {
      let start = rest.next
      guard rest.takeInteger() != nil, rest.next - start <= 3 else { return false }
      if part < 3 { guard rest.takeByte() == 0x2E else { return false } }
    }
    return rest.isPort
  }

  private var isIPv6: Bool {
    var inner = self
    if !isEmpty, next.pointee == 0x5B {
      guard let close = find(0x5D), TextField(close + 1, end).isPort else { return false }
      inner = TextField(next + 1, close)
    }
    if let zone = inner.find(0x25) { inner = TextField(inner.next, zone) }
    var colons = 0
    while let byte = inner.takeByte() {
      let isDigit = byte &- 0x30 <= 9 || (byte | 0x20) &- 0x61 < 6
      guard isDigit || byte == 0x3A || byte == 0x2E else { return false }
      if byte == 0x3A { colons += 1 }
    }
    return colons >= 2
  }

  private var isPort: Bool {
    var rest = self
    if rest.isEmpty { return true }
    return rest.takeByte() == 0x3A && rest.takeInteger() != nil && rest.isEmpty
  }

  /// True for a possible host name, with or without a port: letters, digits, dots, dashes and
  /// underscores, at least one of them not a digit, and not an address.
  var isHostName: Bool {
    var rest = self
    var hasLetter = false
    while !rest.isEmpty, rest.next.pointee != 0x3A {
      let byte = rest.next.pointee
      let isLetter = (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80
      guard isLetter || byte &- 0x30 <= 9 || byte == 0x2E || byte == 0x2D else { return false }
      hasLetter = hasLetter || isLetter
      rest.skip()
    }
    return hasLetter && rest.isPort && !isNoClient
  }

  /// True for a host name with a domain, and for `localhost`.
  var isFullHostName: Bool {
    isHostName && (find(0x2E) != nil || starts(with: TextField.localhost))
  }

  private static let localhost = Array("localhost".utf8)
}
