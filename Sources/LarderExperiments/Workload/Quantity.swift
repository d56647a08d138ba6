/// Numbers with a unit, as in workload files and options.
package enum Quantity {
  /// Bytes per unit, by its lower-case name. Sorted by size for messages.
  static let byteUnits: [(name: String, written: String, bytes: UInt64)] = [
    ("b", "B", 1),
    ("kb", "KB", 1000), ("kib", "KiB", 1 << 10),
    ("mb", "MB", 1_000_000), ("mib", "MiB", 1 << 20),
    ("gb", "GB", 1_000_000_000), ("gib", "GiB", 1 << 30),
    ("tb", "TB", 1_000_000_000_000), ("tib", "TiB", 1 << 40),
  ]

  /// Nanoseconds per unit.
  static let timeUnits: [(name: String, nanoseconds: UInt64)] = [
    ("ns", 1), ("us", 1000), ("µs", 1000), ("μs", 1000), ("ms", 1_000_000),
    ("s", 1_000_000_000), ("m", 60_000_000_000), ("min", 60_000_000_000),
    ("h", 3_600_000_000_000), ("d", 86_400_000_000_000), ("w", 604_800_000_000_000),
  ]

  /// Splits `64 MiB` into `64` and `MiB`.
  static func split(_ text: some StringProtocol) -> (number: String, unit: String) {
    let text = text.trimmed
    let number = text.prefix { !$0.isLetter && $0 != "%" && !$0.isWhitespace }
    return (String(number), String(text[number.endIndex...].trimmed))
  }

  /// Parses bytes such as `500B`, `64MiB` or `1.5GB`; nil for anything else, or for a fraction of a
  /// byte.
  static func bytes(_ text: some StringProtocol) -> UInt64? {
    let (number, unit) = split(text)
    guard let factor = byteUnits.first(where: { $0.name == unit.lowercased() })?.bytes,
      let (bytes, isExact) = ExactDecimal(number)?.multiplied(by: factor), isExact
    else { return nil }
    return bytes
  }

  /// Bytes in the largest unit that represents them as a whole number: `10MiB`, `50MB`, `1000B`.
  static func exactBytes(_ bytes: UInt64) -> String {
    let unit = byteUnits.last { bytes >= $0.bytes && bytes.isMultiple(of: $0.bytes) }
    return unit.map { "\(bytes / $0.bytes)\($0.written)" } ?? "\(bytes)B"
  }

  /// Parses a time such as `0.5us` or `80ms` to nanoseconds; nil for anything else.
  static func nanoseconds(_ text: some StringProtocol) -> Double? {
    let (number, unit) = split(text)
    guard let factor = timeUnits.first(where: { $0.name == unit })?.nanoseconds,
      ExactDecimal(number) != nil, let value = Double(number.filter { $0 != "_" })
    else { return nil }
    return value * Double(factor)
  }

  /// Parses whole seconds such as `90`, `90s`, `5m`, `1h`, `30d` or `1w`; nil for anything else.
  package static func seconds(_ text: some StringProtocol) -> UInt64? {
    let (number, unit) = split(text)
    guard let decimal = ExactDecimal(number) else { return nil }
    if unit.isEmpty {
      guard let (seconds, isExact) = decimal.multiplied(by: 1), isExact else { return nil }
      return seconds
    }
    guard let factor = timeUnits.first(where: { $0.name == unit })?.nanoseconds,
      factor >= 1_000_000_000,
      let (seconds, isExact) = decimal.multiplied(by: factor / 1_000_000_000), isExact
    else { return nil }
    return seconds
  }

  /// Parses a whole number such as `1000`, `1_000_000`, `250k`, `5M`, `1e6` or `2G`; nil for
  /// anything else.
  package static func count(_ text: some StringProtocol) -> UInt64? {
    let (number, unit) = split(text)
    if unit.isEmpty { return whole(number) }
    if unit.hasPrefix("e"), let exponent = UInt8(unit.dropFirst()), exponent <= 18 {
      return scaled(number, by: (0..<exponent).reduce(1) { power, _ in power * 10 })
    }
    let factors: [String: UInt64] = ["k": 1000, "K": 1000, "M": 1_000_000, "G": 1_000_000_000]
    return factors[unit].flatMap { scaled(number, by: $0) }
  }

  /// A whole number, with optional underscores between digits; nil for anything else.
  static func whole(_ text: some StringProtocol) -> UInt64? {
    guard !text.contains("."), !text.hasPrefix("+") else { return nil }
    // `ExactDecimal` is limited to 18 digits; seeds may use all of `UInt64`.
    return ExactDecimal(text).map(\.digits) ?? UInt64(text)
  }

  private static func scaled(_ number: String, by factor: UInt64) -> UInt64? {
    guard let (value, isExact) = ExactDecimal(number)?.multiplied(by: factor), isExact else {
      return nil
    }
    return value
  }
}

/// A decimal number as written, so that `0.29` of 100 is 29 and not 28.999999999999996.
struct ExactDecimal: Sendable, Hashable {
  /// All digits, without the point.
  let digits: UInt64
  /// Number of digits after the point.
  let decimals: Int

  /// Parses digits, with single underscores between digits and at most one point with digits on
  /// both sides; nil for anything else, including signs and more than 18 digits.
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

  /// The number times `factor`: the whole part, and true if the result is whole. Nil if it exceeds
  /// `UInt64`.
  func multiplied(by factor: UInt64) -> (whole: UInt64, isExact: Bool)? {
    let product = digits.multipliedFullWidth(by: factor)
    let divisor = (0..<decimals).reduce(UInt64(1)) { power, _ in power * 10 }
    guard product.high < divisor else { return nil }
    let (quotient, remainder) = divisor.dividingFullWidth(product)
    return (quotient, remainder == 0)
  }
}

/// A share, exact to a billionth: `10%`, `0.25%`.
public struct Share: Sendable, Hashable, CustomStringConvertible {
  /// Share in billionths: 10 % is 100,000,000.
  public let billionths: UInt64

  /// Creates a share from billionths.
  public init(billionths: UInt64) { self.billionths = billionths }

  /// Creates a share from whole per cent.
  public init(percent: UInt64) { billionths = percent * 10_000_000 }

  /// Parses a number followed by `%`, above 0 and at most 100, with at most seven decimals; nil for
  /// anything else.
  public init?(parsing text: some StringProtocol) {
    guard text.last == "%", let number = ExactDecimal(text.dropLast().trimmed),
      let (value, isExact) = number.multiplied(by: 10_000_000), isExact,
      (1...1_000_000_000).contains(value)
    else { return nil }
    billionths = value
  }

  /// Returns the share of `whole`, rounded down.
  public func of(_ whole: UInt64) -> UInt64 {
    // At most the whole, so the quotient fits if the share is at most 100 %.
    let product = whole.multipliedFullWidth(by: billionths)
    guard product.high < 1_000_000_000 else { return .max }
    return UInt64(1_000_000_000).dividingFullWidth(product).quotient
  }

  /// Text such as `10%`.
  public var description: String {
    let (whole, rest) = billionths.quotientAndRemainder(dividingBy: 10_000_000)
    guard rest > 0 else { return "\(whole)%" }
    var digits = String(String(rest + 10_000_000).dropFirst())
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)%"
  }
}

extension StringProtocol {
  /// The text without blanks at either end.
  package var trimmed: SubSequence {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text = text.dropFirst() }
    while let last = text.last, last.isWhitespace { text = text.dropLast() }
    return text
  }
}
