/// The options given to a format, checked against those it has.
public struct FormatOptions: Sendable {
  /// The format's name.
  public let format: String
  private let values: [String: String]

  /// The options of `spec`.
  ///
  /// - Throws: for one that the format does not have.
  public init(_ spec: ComponentSpec, of description: FormatDescription) throws(ComponentError) {
    format = description.name
    values = spec.values
    let known = description.parameters.map(\.name)
    for name in spec.values.keys.sorted() where !known.contains(name) {
      let list = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      throw ComponentError(
        component: format, parameter: name, message: "no such option of this format: \(list)")
    }
  }

  /// The text of an option, nil when it was not given.
  public func text(_ name: String) -> String? { values[name] }

  /// A true or false option, nil when it was not given.
  public func flag(_ name: String) throws(ComponentError) -> Bool? {
    guard let text = values[name] else { return nil }
    guard let value = Bool(text.lowercased()) else {
      throw wrong(name, expected: "true or false")
    }
    return value
  }

  /// One of a set of words, nil when it was not given.
  public func choice<Choice: CaseIterable & RawRepresentable>(
    _ name: String, of type: Choice.Type
  ) throws(ComponentError) -> Choice? where Choice.RawValue == String {
    guard let text = values[name] else { return nil }
    guard let value = Choice(rawValue: text.lowercased()) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(name, expected: "one of \(words)")
    }
    return value
  }

  /// The unit of times: the one that was given, or that which makes `values`, the first times of a
  /// file, times of our days, with a note on it.
  func timeUnit(of values: [String]) throws(ComponentError) -> (unit: TimeUnit, note: String?) {
    let name = FormatParameter.timeUnit.name
    if let unit = try choice(name, of: TimeUnit.self) { return (unit, nil) }
    let unit = TimeUnit.guess(values)
    let note = "Times are read as \(unit.rawValue), by their length: \(name)= says otherwise."
    return (unit, unit == .seconds ? nil : note)
  }

  /// A share such as `1%` or `0.01`, nil when it was not given.
  public func share(_ name: String) throws(ComponentError) -> Double? {
    guard let text = values[name] else { return nil }
    guard let share = FormatOptions.share(text) else {
      throw wrong(name, expected: "a share from 0 to 1, such as 1% or 0.01")
    }
    return share
  }

  /// The share that a text stands for; nil for anything but 0 to 1, or 0% to 100%.
  public static func share(_ text: some StringProtocol) -> Double? {
    let isPercent = text.hasSuffix("%")
    guard let number = Double(isPercent ? String(text.dropLast()) : String(text)) else {
      return nil
    }
    let share = isPercent ? number / 100 : number
    return (0...1).contains(share) ? share : nil
  }

  /// Words separated by commas, lower case, nil when they were not given.
  public func list(_ name: String) -> [String]? {
    values[name]?.split(separator: ",").map {
      String($0.drop { $0 == " " }).lowercased()
    }
  }

  /// The error for an option whose value cannot be.
  public func wrong(_ name: String, expected: String) -> ComponentError {
    ComponentError(
      component: format, parameter: name,
      message: "expected \(expected), found '\(values[name] ?? "")'")
  }
}
