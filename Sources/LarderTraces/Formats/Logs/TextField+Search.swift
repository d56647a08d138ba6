#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension TextField {
  /// The first place of a byte; nil when it is not there.
  @inline(__always)
  func find(_ byte: UInt8) -> UnsafePointer<UInt8>? {
    memchr(next, Int32(byte), count).map {
      UnsafePointer($0.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// The first place of a text; nil when it is not there.
  @inline(__always)
  func find(_ text: [UInt8]) -> UnsafePointer<UInt8>? {
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

  /// The double quote that ends a quoted field whose first byte is the next one: followed by a
  /// blank or the end, and not escaped with a backslash; nil when it is not there.
  @inline(__always)
  func endOfQuoted() -> UnsafePointer<UInt8>? {
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

  /// True where the last bytes are those of `text`.
  func ends(with text: [UInt8]) -> Bool {
    count >= text.count && TextField(end - text.count, end).equals(text)
  }

  /// Whether the bytes are those of `text`.
  @inline(__always)
  func equals(_ text: [UInt8]) -> Bool {
    count == text.count && (count == 0 || memcmp(next, text, count) == 0)
  }

  /// The same for a name of ASCII in lower case whose letters may be either.
  func equals(anyCase name: StaticString) -> Bool {
    count == name.utf8CodeUnitCount
      && (0..<count).allSatisfy { place in
        let byte = next[place]
        let isUpper = (0x41...0x5A).contains(byte)
        return (isUpper ? byte | 0x20 : byte) == name.utf8Start[place]
      }
  }

  /// True if one of the bytes is in `set`.
  func contains(anyOf set: StaticString) -> Bool {
    (0..<count).contains { place in
      (0..<set.utf8CodeUnitCount).contains { set.utf8Start[$0] == next[place] }
    }
  }

  /// True for the bytes of `text`, which is in upper case, in either case.
  @inline(__always)
  func equals(upperCase text: [UInt8]) -> Bool {
    guard count == text.count else { return false }
    for place in 0..<count {
      let byte = next[place]
      if (byte &- 0x61 < 26 ? byte & 0xDF : byte) != text[place] { return false }
    }
    return true
  }

  /// Empty, or the `-` that logs write for nothing.
  @inline(__always)
  var isNothing: Bool { isEmpty || (count == 1 && next.pointee == 0x2D) }
}
