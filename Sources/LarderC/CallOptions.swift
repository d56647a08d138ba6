import Foundation
import LarderEngine
import LarderExperiments

/// Options in the form that C programs pass: lines of `name=value`.
struct CallOptions {
  private let values: [String: String]

  /// Parses options; only `known` ones are allowed.
  ///
  /// - Throws: `CallError` for a line that is no option, or one that is unknown or given twice.
  init(_ text: String?, known: Set<String>) throws(CallError) {
    var values: [String: String] = [:]
    for line in (text ?? "").split(separator: "\n") {
      let words = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = words[0].trimmingCharacters(in: .whitespaces)
      guard known.contains(name) else {
        let hint = name.nearest(among: known.sorted()).map { "; did you mean '\($0)'?" } ?? ""
        throw .option(name, "is unknown\(hint)")
      }
      let value = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
      guard values.updateValue(value, forKey: name) == nil else {
        throw .option(name, "is given twice")
      }
    }
    self.values = values
  }

  /// The text of an option; nil if it is missing.
  subscript(name: String) -> String? { values[name] }

  /// True if a flag is given.
  ///
  /// - Throws: `CallError` if it has a value.
  func flag(_ name: String) throws(CallError) -> Bool {
    guard let value = values[name] else { return false }
    guard value.isEmpty else { throw .option(name, "takes no value, found '\(value)'") }
    return true
  }

  func required(_ name: String) throws(CallError) -> String {
    guard let value = values[name] else { throw .option(name, "is missing") }
    return value
  }

  /// A whole number within a range; nil if the option is missing.
  func integer<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(CallError) -> Number? {
    guard let text = values[name] else { return nil }
    guard let number = Number(text), range.contains(number) else {
      throw .option(
        name,
        "expected a whole number from \(range.lowerBound) to \(range.upperBound), found '\(text)'")
    }
    return number
  }

  /// A number within a range; nil if the option is missing.
  func number(_ name: String, in range: ClosedRange<Double>) throws(CallError) -> Double? {
    guard let text = values[name] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .option(
        name,
        "expected a number from \(range.lowerBound) to \(range.upperBound), found '\(text)'")
    }
    return number
  }

  /// One of a few words; nil if the option is missing.
  func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ words: Word.Type
  ) throws(CallError) -> Word? where Word.RawValue == String {
    guard let text = values[name] else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw .option(name, "expected one of \(known), found '\(text)'")
    }
    return word
  }

  /// A share of the whole, as a percentage or a number; nil if the option is missing.
  func share(_ name: String) throws(CallError) -> Double? {
    guard let text = values[name] else { return nil }
    let share = Share(parsing: text).map { Double($0.billionths) / 1e9 } ?? Double(text)
    guard let share, share > 0, share <= 1 else {
      throw .option(name, "expected a share such as 0.001 or 0.1%, found '\(text)'")
    }
    return share
  }

  /// Policies, separated by commas; `all` for every registered one.
  ///
  /// - Throws: `PolicyError` for a name or parameter that does not exist.
  static func policies(_ text: String) throws -> [PolicySpec] {
    if text == "all" {
      return try PolicyRegistry.all.map { try PolicySpec(parsing: $0.description.name) }
    }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { text in
      let spec = try PolicySpec(parsing: text.trimmingCharacters(in: .whitespaces))
      try PolicyRegistry.validate(spec)
      return spec
    }
  }

  /// The number of concurrent cells; all cores if the option is missing.
  func threads() throws(CallError) -> Int {
    try integer("threads", in: 1...1024) ?? ProcessInfo.processInfo.activeProcessorCount
  }
}
