/// A share of something, exact to a billionth: `10%`, `0.25%`.
public struct Share: Sendable, Hashable, CustomStringConvertible {
  /// The share in billionths: 10 % is 100,000,000.
  public let billionths: UInt64

  /// A share of so many billionths.
  public init(billionths: UInt64) { self.billionths = billionths }

  /// A share of so many per cent.
  public init(percent: UInt64) { billionths = percent * 10_000_000 }

  /// Reads a number followed by `%`, above 0 and at most 100, with at most seven decimals; nil for
  /// anything else.
  public init?(parsing text: some StringProtocol) {
    guard text.last == "%", let number = ExactDecimal(text.dropLast().trimmed),
      let (value, isExact) = number.multiplied(by: 10_000_000), isExact,
      (1...1_000_000_000).contains(value)
    else { return nil }
    billionths = value
  }

  /// The share of `whole`, rounded down.
  public func of(_ whole: UInt64) -> UInt64 {
    // At most the whole, so the quotient fits where the share is at most 100 %.
    let product = whole.multipliedFullWidth(by: billionths)
    guard product.high < 1_000_000_000 else { return .max }
    return UInt64(1_000_000_000).dividingFullWidth(product).quotient
  }

  /// As one would write it: `10%`.
  public var description: String {
    let (whole, rest) = billionths.quotientAndRemainder(dividingBy: 10_000_000)
    guard rest > 0 else { return "\(whole)%" }
    var digits = String(String(rest + 10_000_000).dropFirst())
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)%"
  }
}

extension StringProtocol {
  /// Without blanks at either end.
  package var trimmed: SubSequence {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text = text.dropFirst() }
    while let last = text.last, last.isWhitespace { text = text.dropLast() }
    return text
  }
}
