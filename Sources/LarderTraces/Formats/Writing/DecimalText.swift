/// Bytes of text to which numbers are added quickly.
struct DecimalText {
  /// The text so far.
  var bytes: [UInt8] = []

  /// Adds a whole number.
  mutating func append(_ number: UInt64) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { space in
      var start = space.count
      var rest = number
      repeat {
        start -= 1
        space[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: space[start...])
    }
  }

  /// Adds a time as seconds, with as many decimals as it has.
  mutating func append(microseconds time: UInt64) {
    append(time / 1_000_000)
    var fraction = time % 1_000_000
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var scale: UInt64 = 100_000
    while fraction > 0 {
      bytes.append(0x30 + UInt8(truncatingIfNeeded: fraction / scale))
      fraction %= scale
      scale /= 10
    }
  }
}
