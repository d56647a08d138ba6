/// A decimal number as it was written, so that `0.29` of 100 is 29 and not 28.999999999999996.
struct ExactDecimal: Sendable, Hashable {
  /// All digits, without the point.
  let digits: UInt64
  /// How many of the digits stand behind the point.
  let decimals: Int

  /// Takes digits, single underscores between digits and at most one point with digits on both
  /// sides; nil for anything else, a sign included, and for more than 18 digits.
  init?(_ text: some StringProtocol) {
    var digits: UInt64 = 0
    var decimals = 0
    var count = 0
    var seenPoint = false
    var previousIsDigit = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
        if digits > 0 { count += 1 }
        if seenPoint { decimals += 1 }
        guard count <= 18, decimals <= 18 else { return nil }
        previousIsDigit = true
        continue
      case UInt8(ascii: "_") where previousIsDigit:
        break
      case UInt8(ascii: ".") where previousIsDigit && !seenPoint:
        seenPoint = true
      default:
        return nil
      }
      previousIsDigit = false
    }
    guard previousIsDigit else { return nil }
    self.digits = digits
    self.decimals = decimals
  }

  /// The number times `factor`: the whole part, and whether that is all of it. Nil when it exceeds
  /// `UInt64`.
  func multiplied(by factor: UInt64) -> (whole: UInt64, isExact: Bool)? {
    let product = digits.multipliedFullWidth(by: factor)
    let divisor = (0..<decimals).reduce(UInt64(1)) { power, _ in power * 10 }
    guard product.high < divisor else { return nil }
    let (quotient, remainder) = divisor.dividingFullWidth(product)
    return (quotient, remainder == 0)
  }
}
