/// Kinds of amounts that people type in options, parameters and workload files.
package enum Quantity: Sendable, Hashable {
  /// A whole number: `1000`, `1_000_000`, `250k`, `1.5M`, `2G`, `1e6`.
  case count
  /// Bytes: `500`, `500B`, `64 MiB`, `1.5gb`, in any case.
  case bytes
  /// A time: `100ms`, `90s`, `5m`, `1.5h`, `30d`; a plain number counts seconds.
  case duration

  package var suffixes: [(name: String, factor: UInt64)] {
    switch self {
    case .count: [("k", 1000), ("K", 1000), ("M", 1_000_000), ("G", 1_000_000_000)]
    case .bytes:
      [
        ("B", 1), ("KB", 1000), ("KiB", 1 << 10), ("MB", 1_000_000), ("MiB", 1 << 20),
        ("GB", 1_000_000_000), ("GiB", 1 << 30), ("TB", 1_000_000_000_000), ("TiB", 1 << 40),
      ]
    case .duration:
      [
        ("ns", 1), ("us", 1000), ("µs", 1000), ("μs", 1000), ("ms", 1_000_000),
        ("s", 1_000_000_000), ("m", 60_000_000_000), ("min", 60_000_000_000),
        ("h", 3_600_000_000_000), ("d", 86_400_000_000_000), ("w", 604_800_000_000_000),
      ]
    }
  }

  package var pattern: String {
    switch self {
    case .count: Self.decimalPattern + "(e[0-9]+)? ?[kKMG]?"
    case .bytes: Self.decimalPattern + " ?(([KkMmGgTt][Ii]?)?[Bb])?"
    case .duration: Self.decimalPattern + " ?(ns|us|µs|μs|ms|s|m|min|h|d|w)?"
    }
  }

  package static let decimalPattern = #"[0-9][0-9_]*(\.[0-9_]+)?"#

  package func amount(_ text: some StringProtocol) -> UInt64? {
    guard let (decimal, factor) = parts(text), let (whole, isExact) = decimal.times(factor), isExact
    else { return nil }
    return whole
  }

  package func value(_ text: some StringProtocol) -> Double? {
    guard let (decimal, factor) = parts(text) else { return nil }
    guard let (whole, isExact) = decimal.times(factor), isExact else {
      return decimal.value * Double(factor)
    }
    return Double(whole)
  }

  package static func seconds(_ text: some StringProtocol) -> UInt64? {
    guard let (decimal, factor) = duration.parts(text) else { return nil }
    let second: UInt64 = 1_000_000_000
    // Seconds beyond the nanoseconds of 64 bits are exact, too.
    guard factor >= second else {
      return duration.amount(text).flatMap { $0.isMultiple(of: second) ? $0 / second : nil }
    }
    guard let (seconds, isExact) = decimal.times(factor / second), isExact else { return nil }
    return seconds
  }

  package static func split(_ text: some StringProtocol) -> (number: String, suffix: String) {
    let text = text.trimmed
    var end = text.firstIndex { $0.isLetter || $0 == "%" || $0.isWhitespace } ?? text.endIndex
    if end < text.endIndex, text[end] == "e" || text[end] == "E" {
      let exponent = text[end...].dropFirst().drop { $0 == "-" }.prefix { $0.isNumber }
      if !exponent.isEmpty { end = exponent.endIndex }
    }
    return (String(text[..<end]), String(text[end...].trimmed))
  }

  package static func exactBytes(_ bytes: UInt64) -> String {
    let unit = Quantity.bytes.suffixes.last {
      bytes >= $0.factor && bytes.isMultiple(of: $0.factor)
    }
    return unit.map { "\(bytes / $0.factor)\($0.name)" } ?? "\(bytes)B"
  }

  package static func number(_ text: some StringProtocol) -> Double? {
    let digits = String(text.filter { $0 != "_" })
    guard digits.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else {
      return Share(parsing: text)?.ratio
    }
    return Double(digits).flatMap { $0.isFinite ? $0 : nil }
  }

  private func parts(_ text: some StringProtocol) -> (ExactDecimal, factor: UInt64)? {
    let (number, suffix) = Self.split(text)
    guard let decimal = ExactDecimal(number) else { return nil }
    if suffix.isEmpty { return (decimal, self == .duration ? 1_000_000_000 : 1) }
    let wanted = self == .bytes ? suffix.lowercased() : suffix
    let unit = suffixes.first { (self == .bytes ? $0.name.lowercased() : $0.name) == wanted }
    return unit.map { (decimal, $0.factor) }
  }
}

/// A decimal number as written, so that `0.29` of 100 is 29 and not 28.999999999999996.
package struct ExactDecimal: Sendable, Hashable {
  package let digits: UInt64
  package let decimals: Int

  package init?(_ text: some StringProtocol) {
    let parts = text.split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "e" || $0 == "E" })
    var (digits, decimals) = (UInt64(0), 0)
    var seenPoint = false
    var previousIsDigit = false
    for byte in parts[0].utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
        let (sum, exceeds) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
        guard !overflows, !exceeds else { return nil }
        digits = sum
        if seenPoint { decimals += 1 }
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
    if parts.count == 2 {
      guard let exponent = Int8(parts[1]), parts[1].first != "+" else { return nil }
      decimals -= Int(exponent)
    }
    while decimals < 0 {
      let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
      guard !overflows else { return nil }
      (digits, decimals) = (product, decimals + 1)
    }
    guard decimals <= 18 else { return nil }
    (self.digits, self.decimals) = (digits, decimals)
  }

  var divisor: UInt64 { (0..<decimals).reduce(1) { power, _ in power * 10 } }
  package var value: Double { Double(digits) / Double(divisor) }

  package func times(_ factor: UInt64) -> (whole: UInt64, isExact: Bool)? {
    let product = digits.multipliedFullWidth(by: factor)
    guard product.high < divisor else { return nil }
    let (quotient, remainder) = divisor.dividingFullWidth(product)
    return (quotient, remainder == 0)
  }
}

/// A share from 0 to 1, exact as written: `10%`, `0.25 %`, `0.1`, `1/3`.
public struct Share: Sendable, Hashable, CustomStringConvertible {
  /// Numerator of the reduced fraction.
  public let parts: UInt64
  /// Denominator of the reduced fraction, at least 1.
  public let whole: UInt64

  package init(_ parts: UInt64, of whole: UInt64) {
    let parts = min(parts, whole)
    var (divisor, rest) = (whole, parts)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    (self.parts, self.whole) = (parts / divisor, whole / divisor)
  }

  /// Creates a share from billionths.
  public init(billionths: UInt64) { self.init(billionths, of: 1_000_000_000) }

  /// Creates a share from whole per cent.
  public init(percent: UInt64) { self.init(percent, of: 100) }

  /// Parses a percentage, a number or a fraction from 0 to 1; nil for anything else.
  public init?(parsing text: some StringProtocol) {
    let text = text.trimmed
    let fraction = text.split(separator: "/", omittingEmptySubsequences: false)
    if fraction.count == 2 {
      guard let parts = ExactDecimal(fraction[0]), let whole = ExactDecimal(fraction[1]),
        parts.decimals == 0, whole.decimals == 0, whole.digits > 0, parts.digits <= whole.digits
      else { return nil }
      self.init(parts.digits, of: whole.digits)
      return
    }
    let isPercent = text.last == "%"
    guard let number = ExactDecimal(isPercent ? text.dropLast().trimmed : text),
      !isPercent || number.decimals <= 16
    else { return nil }
    let whole = number.divisor * (isPercent ? 100 : 1)
    guard number.digits <= whole else { return nil }
    self.init(number.digits, of: whole)
  }

  package static let pattern = "(" + Quantity.decimalPattern + " ?%?|[0-9]+/[0-9]+)"

  /// Returns the share of `whole`, rounded down.
  public func of(_ whole: UInt64) -> UInt64 {
    self.whole.dividingFullWidth(whole.multipliedFullWidth(by: parts)).quotient
  }

  package func ceiling(of whole: UInt64) -> UInt64 {
    let (quotient, rest) = self.whole.dividingFullWidth(whole.multipliedFullWidth(by: parts))
    return rest == 0 ? quotient : quotient + 1
  }

  /// The nearest binary number.
  public var ratio: Double { Double(parts) / Double(whole) }

  /// Billionths, rounded down.
  public var billionths: UInt64 { of(1_000_000_000) }

  /// Text such as `10%`, or a fraction if the percentage is not exact.
  public var description: String {
    let product = parts.multipliedFullWidth(by: 1_000_000_000_000)
    guard product.high < whole, whole.dividingFullWidth(product).remainder == 0 else {
      return "\(parts)/\(whole)"
    }
    let (percent, rest) = whole.dividingFullWidth(product).quotient
      .quotientAndRemainder(dividingBy: 10_000_000_000)
    guard rest > 0 else { return "\(percent)%" }
    var digits = String(String(rest + 10_000_000_000).dropFirst())
    while digits.last == "0" { digits.removeLast() }
    return "\(percent).\(digits)%"
  }
}

extension StringProtocol {
  package var trimmed: SubSequence {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text = text.dropFirst() }
    while let last = text.last, last.isWhitespace { text = text.dropLast() }
    return text
  }
}
