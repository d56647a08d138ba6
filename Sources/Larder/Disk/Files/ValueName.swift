/// The name of a value's file below the folder of all: a shard and a number, such as `0a/4a`.
///
/// It is made for every reading, and so without allocating.
package struct ValueName: Sendable {
  private var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)

  /// The name for a number.
  package init(_ number: UInt64, shards: UInt64) {
    let shard = number % shards
    withUnsafeMutableBytes(of: &bytes) { bytes in
      bytes[0] = Self.digit(shard >> 4)
      bytes[1] = Self.digit(shard)
      bytes[2] = UInt8(ascii: "/")
      let digits = max(1, (67 - number.leadingZeroBitCount) / 4)
      for place in 0..<digits {
        bytes[3 + place] = Self.digit(number >> UInt64(4 * (digits - 1 - place)))
      }
    }
  }

  /// The name of a segment file, such as `s4a`.
  package init(segment number: UInt64) {
    withUnsafeMutableBytes(of: &bytes) { bytes in
      bytes[0] = UInt8(ascii: "s")
      let digits = max(1, (67 - number.leadingZeroBitCount) / 4)
      for place in 0..<digits {
        bytes[1 + place] = Self.digit(number >> UInt64(4 * (digits - 1 - place)))
      }
    }
  }

  private static func digit(_ number: UInt64) -> UInt8 {
    let digit = UInt8(number & 15)
    return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }

  /// Calls `body` with the name as the system takes it, with a zero behind it.
  func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    withUnsafePointer(to: bytes) {
      $0.withMemoryRebound(to: CChar.self, capacity: 24) { body($0) }
    }
  }

  /// The name as a text.
  package var text: String { withPath { String(cString: $0) } }
}
