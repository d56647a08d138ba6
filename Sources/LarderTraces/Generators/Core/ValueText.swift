/// Reads values as people type them. Every function returns nil for text that is not such a value.
enum ValueText {
  /// `1000000`, `1_000_000`, `1e6`, `10k`, `2M`, `1G`: whole numbers only.
  static func count(_ text: some StringProtocol) -> Int? {
    scaled(text, units: ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9]).flatMap(whole)
  }

  /// A finite number.
  static func number(_ text: some StringProtocol) -> Double? { scaled(text, units: [:]) }

  /// `500`, `500B`, `8KiB`, `1MB`; a fraction such as `1.5KiB` must come to whole bytes.
  static func bytes(_ text: some StringProtocol) -> Int? {
    let units: [String: Double] = [
      "B": 1, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024, "MiB": 1_048_576,
      "GiB": 1_073_741_824,
    ]
    return scaled(text, units: units).flatMap(whole)
  }

  /// Seconds from `90`, `90s`, `500ms`, `5m`, `2h`, `30d`, `1w`.
  static func seconds(_ text: some StringProtocol) -> Double? {
    let units: [String: Double] = [
      "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800,
    ]
    return scaled(text, units: units)
  }

  /// `0.1` or `10%`, from 0 to 1.
  static func share(_ text: some StringProtocol) -> Double? {
    scaled(text, units: ["%": 0.01]).flatMap { $0 >= 0 && $0 <= 1 ? $0 : nil }
  }

  /// A number without needless digits: `5`, not `5.0`.
  static func short(_ value: Double) -> String {
    whole(value).map(String.init) ?? "\(value)"
  }

  /// The number as an integer when it is one that a `Double` holds exactly.
  private static func whole(_ value: Double) -> Int? {
    value == value.rounded(.towardZero) && abs(value) <= 0x1p53 ? Int(value) : nil
  }

  /// A number, then one of the units or nothing.
  private static func scaled(_ text: some StringProtocol, units: [String: Double]) -> Double? {
    // The sign and exponent of a number belong to it; letters after the last digit are the unit.
    guard let last = text.lastIndex(where: { ("0"..."9").contains($0) || $0 == "." }) else {
      return nil
    }
    let unitStart = text.index(after: last)
    let digits = String(text[..<unitStart].filter { $0 != "_" })
    // `Double` also reads hexadecimal, "inf" and "nan".
    guard digits.allSatisfy({ "0123456789.eE+-".contains($0) }), let value = Double(digits)
    else { return nil }
    let unit = text[unitStart...].drop { $0 == " " }
    if unit.isEmpty { return value.isFinite ? value : nil }
    guard let factor = units[String(unit)] else { return nil }
    // Dividing is exact where multiplying by 0.01 or 0.001 is not: 7% is 0.07.
    let result = factor < 1 ? value / (1 / factor).rounded() : value * factor
    return result.isFinite ? result : nil
  }
}
