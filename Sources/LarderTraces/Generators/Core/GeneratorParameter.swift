import LarderEngine

/// One parameter of a generator or a distribution: `name=value` after a colon, or a key in a
/// workload file.
public struct GeneratorParameter: Sendable, Hashable {
  /// Name, such as `objects`.
  public let name: String
  /// Type and range of the value.
  public let kind: ParameterKind
  /// Default value, as typed; nil for a required parameter.
  public let defaultValue: String?
  /// Meaning and unit.
  public let summary: String
  /// Source of the default, if it is more than a round number.
  public let origin: String

  /// Creates a parameter with its default, as typed.
  public init(
    _ name: String, _ kind: ParameterKind, default defaultValue: String?, _ summary: String,
    origin: String = ""
  ) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.summary = summary
    self.origin = origin
  }
}

/// Type and range of a parameter's value, which determine how its text is parsed.
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
  /// Comma-separated values of the given kind.
  indirect case list(ParameterKind)

  /// Expected syntax, for lists of parameters and for errors.
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

/// Parser for the values of a component's parameters, given or default. Unknown names and invalid
/// values are errors before anything is generated.
struct ParameterReader {
  private let component: ComponentSpec
  private let parameters: [GeneratorParameter]

  /// Validates the given parameters.
  ///
  /// - Throws: `ComponentError` when a given parameter does not exist, or a required one is
  ///   missing.
  init(
    _ component: ComponentSpec, parameters: [GeneratorParameter]
  ) throws(ComponentError) {
    self.component = component
    self.parameters = parameters
    let known = parameters.map(\.name)
    for name in component.values.keys.sorted() where !known.contains(name) {
      let hint = name.nearest(among: known).map { "did you mean '\($0)'?" }
      let list =
        known.isEmpty ? "it has no parameters" : "it has \(known.joined(separator: ", "))"
      throw ComponentError(
        component: component.name, parameter: name,
        message: "unknown parameter; \(hint ?? list)")
    }
    for parameter in parameters {
      guard parameter.defaultValue != nil || component.values[parameter.name] != nil else {
        throw ComponentError(
          component: component.name, parameter: parameter.name,
          message: "is required: \(parameter.kind.expectation)")
      }
    }
  }

  /// True if the parameter was given, false if it has its default value.
  func isGiven(_ name: String) -> Bool { component.values[name] != nil }

  /// Text as given, or the default.
  func text(_ name: String) -> String {
    component.values[name] ?? parameters.first { $0.name == name }?.defaultValue ?? ""
  }

  func count(_ name: String) throws(ComponentError) -> Int {
    guard case .count(let range) = kind(name), let value = ValueText.count(text(name)),
      range.contains(value)
    else { throw badValue(name) }
    return value
  }

  func number(_ name: String) throws(ComponentError) -> Double {
    guard case .number(let range) = kind(name), let value = ValueText.number(text(name)),
      range.contains(value)
    else { throw badValue(name) }
    return value
  }

  func bytes(_ name: String) throws(ComponentError) -> Int {
    guard case .bytes(let range) = kind(name), let value = ValueText.bytes(text(name)),
      range.contains(value)
    else { throw badValue(name) }
    return value
  }

  func seconds(_ name: String) throws(ComponentError) -> Double {
    guard case .duration(let range) = kind(name), let value = ValueText.seconds(text(name)),
      range.contains(value)
    else { throw badValue(name) }
    return value
  }

  func share(_ name: String) throws(ComponentError) -> Double {
    guard case .share = kind(name), let value = ValueText.share(text(name)) else {
      throw badValue(name)
    }
    return value
  }

  func choice(_ name: String) throws(ComponentError) -> String {
    let word = text(name).lowercased()
    guard case .choice(let words) = kind(name), words.contains(word) else { throw badValue(name) }
    return word
  }

  func flag(_ name: String) throws(ComponentError) -> Bool {
    guard let value = Bool(text(name).lowercased()) else { throw badValue(name) }
    return value
  }

  /// Comma-separated whole values: counts, bytes or seconds.
  func wholeList(_ name: String) throws(ComponentError) -> [Int] {
    try list(name) { (kind, item) -> Int? in
      switch kind {
      case .count(let range): ValueText.count(item).flatMap { range.contains($0) ? $0 : nil }
      case .bytes(let range): ValueText.bytes(item).flatMap { range.contains($0) ? $0 : nil }
      case .duration(let range):
        ValueText.seconds(item).flatMap { range.contains($0) ? Int($0.rounded()) : nil }
      default: nil
      }
    }
  }

  /// Comma-separated numbers; empty text is an empty list.
  func numberList(_ name: String) throws(ComponentError) -> [Double] {
    if text(name).isEmpty { return [] }
    return try list(name) { (kind, item) -> Double? in
      guard case .number(let range) = kind else { return nil }
      return ValueText.number(item).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Error for an invalid value of a parameter.
  func badValue(_ name: String, expected: String? = nil) -> ComponentError {
    let expectation = expected ?? kind(name)?.expectation ?? "nothing"
    return ComponentError(
      component: component.name, parameter: name,
      message: "expected \(expectation), found '\(text(name))'")
  }

  private func kind(_ name: String) -> ParameterKind? {
    parameters.first { $0.name == name }?.kind
  }

  private func list<Value>(
    _ name: String, read: (ParameterKind, Substring) -> Value?
  ) throws(ComponentError) -> [Value] {
    guard case .list(let itemKind) = kind(name) else { throw badValue(name) }
    var values: [Value] = []
    for item in text(name).split(separator: ",", omittingEmptySubsequences: false) {
      let start = item.firstIndex { $0 != " " } ?? item.endIndex
      guard let value = read(itemKind, item[start...]) else {
        throw badValue(name, expected: "\(ParameterKind.list(itemKind).expectation)")
      }
      values.append(value)
    }
    return values
  }
}

/// Parser for values as people type them. All functions return nil for invalid text.
enum ValueText {
  /// `1000000`, `1_000_000`, `1e6`, `10k`, `2M`, `1G`: whole numbers only.
  static func count(_ text: some StringProtocol) -> Int? {
    scaled(text, units: ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9]).flatMap(whole)
  }

  static func number(_ text: some StringProtocol) -> Double? { scaled(text, units: [:]) }

  /// `500`, `500B`, `8KiB`, `1MB`; a fraction such as `1.5KiB` must be a whole number of bytes.
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

  /// The number as an integer, if a `Double` represents it exactly.
  private static func whole(_ value: Double) -> Int? {
    value == value.rounded(.towardZero) && abs(value) <= 0x1p53 ? Int(value) : nil
  }

  /// A number, optionally followed by one of the units.
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
    // Division is exact where multiplication by 0.01 or 0.001 is not: 7% is 0.07.
    let result = factor < 1 ? value / (1 / factor).rounded() : value * factor
    return result.isFinite ? result : nil
  }
}

/// Maximum number of new objects of a generator, which bounds its keys.
enum ArrivalBudget {
  /// Sufficient number for requests of which each creates an object with the given probability, in
  /// all but one of a thousand million traces: the mean and six standard deviations.
  static func objects(requests: Int, share: Double) -> Int {
    let mean = Double(requests) * share
    let spread = (mean * (1 - share)).squareRoot()
    return min(requests, Int(mean + 6 * spread) + 10)
  }
}

extension GeneratorParameter {
  /// Maximum number of objects that a prepared trace can number.
  static let objectsMax = 4_294_967_294

  static func objects(
    default value: String, _ summary: String = "Number of distinct objects.", origin: String = ""
  ) -> GeneratorParameter {
    GeneratorParameter("objects", .count(1...objectsMax), default: value, summary, origin: origin)
  }

  static func exponent(
    default value: String,
    _ summary: String = "Exponent of Zipf's law; 0 makes all objects equally popular.",
    origin: String = ""
  ) -> GeneratorParameter {
    GeneratorParameter(
      "exponent", .number(0...Double.greatestFiniteMagnitude), default: value, summary,
      origin: origin)
  }
}
