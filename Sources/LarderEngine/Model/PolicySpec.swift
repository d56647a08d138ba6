/// A policy as a user names it: `lru`, or `s3-fifo:small=0.1:ghost=0.9`.
public struct PolicySpec: Sendable, Hashable, CustomStringConvertible {
  /// The name, lower case.
  public let name: String
  /// The parameters given, by name, lower case.
  public let values: [String: String]
  /// The text as it was given, lower case, which is also how results name the policy.
  public let description: String

  /// Takes a policy's name and parameters apart, in which case makes no difference. Whether they
  /// exist is the registry's to say.
  public init(parsing text: some StringProtocol) throws(PolicyError) {
    description = text.lowercased()
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    name = parts.first.map { String($0) } ?? ""
    var values: [String: String] = [:]
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "="), equals != part.startIndex else {
        throw .malformedParameter(policy: name, text: String(part))
      }
      let parameter = String(part[..<equals])
      guard values[parameter] == nil else {
        throw .repeatedParameter(policy: name, parameter: parameter)
      }
      values[parameter] = String(part[part.index(after: equals)...])
    }
    self.values = values
  }

  /// The same for a text that may be missing.
  public init?(parsingOptional text: String?) throws(PolicyError) {
    guard let text else { return nil }
    try self.init(parsing: text)
  }

  /// The parameter as a number within `range`, or `fallback` when it was not given.
  public func number(
    _ parameter: String, default fallback: Double, in range: ClosedRange<Double>
  ) throws(PolicyError) -> Double {
    guard let text = values[parameter] else { return fallback }
    guard let value = Double(text), range.contains(value) else {
      throw .badValue(
        policy: name, parameter: parameter, value: text,
        expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The parameter as a whole number within `range`, or `fallback` when it was not given.
  public func integer(
    _ parameter: String, default fallback: Int, in range: ClosedRange<Int>
  ) throws(PolicyError) -> Int {
    guard let text = values[parameter] else { return fallback }
    guard let value = Int(text), range.contains(value) else {
      throw .badValue(
        policy: name, parameter: parameter, value: text,
        expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The parameter as true or false, or `fallback` when it was not given.
  public func flag(_ parameter: String, default fallback: Bool) throws(PolicyError) -> Bool {
    guard let text = values[parameter] else { return fallback }
    guard let value = Bool(text) else {
      throw .badValue(
        policy: name, parameter: parameter, value: text, expected: "true or false")
    }
    return value
  }
}
