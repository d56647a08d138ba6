/// What a parameter's value must be, and so how its text is read.
public enum ParameterKind: Sendable, Hashable {
  /// A whole number in the range: `1000000`, `1e6`, `10k`, `2M`, `1G`.
  case count(ClosedRange<Int>)
  /// A number in the range.
  case number(ClosedRange<Double>)
  /// Bytes in the range: `500`, `500B`, `8KiB`, `1MB`.
  case bytes(ClosedRange<Int>)
  /// Seconds in the range: `90`, `90s`, `5m`, `2h`, `30d`, `1w`.
  case duration(ClosedRange<Double>)
  /// A share from 0 to 1: `0.1` or `10%`.
  case share
  /// One of these words.
  case choice([String])
  /// `true` or `false`.
  case flag
  /// Values separated by commas, each of the given kind's text.
  indirect case list(ParameterKind)

  /// What to type, for lists of parameters and for errors.
  public var expectation: String {
    switch self {
    case .count(let range):
      "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range) where range.upperBound == .greatestFiniteMagnitude:
      "a number, \(ValueText.short(range.lowerBound)) or more"
    case .number(let range):
      "a number from \(ValueText.short(range.lowerBound)) to \(ValueText.short(range.upperBound))"
    case .bytes(let range):
      "a size from \(range.lowerBound) to \(range.upperBound) bytes, such as 500, 8KiB or 1MB"
    case .duration(let range):
      "a time from \(ValueText.short(range.lowerBound)) to "
        + "\(ValueText.short(range.upperBound)) seconds, such as 90, 5m, 2h or 30d"
    case .share: "a share from 0 to 1, such as 0.1 or 10%"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    case .flag: "true or false"
    case .list(let kind): "a comma-separated list, each \(kind.expectation)"
    }
  }
}
