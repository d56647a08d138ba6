import LarderSystem

/// One part of a workload that is run in several: part `number` of `count`, from 1.
package struct PartNumber: Hashable, Sendable, CustomStringConvertible {
  /// Which part, from 1.
  package let number: Int
  /// How many parts there are.
  package let count: Int

  /// The most parts: more than any scheduler takes.
  package static let countMax = 1_000_000

  /// A part; nil where there is no such part.
  package init?(_ number: Int, of count: Int) {
    guard 1...Self.countMax ~= count, 1...count ~= number else { return nil }
    self.number = number
    self.count = count
  }

  /// The text that users type.
  package var description: String { "\(number)/\(count)" }

  /// Reads `3/10`, `auto` or `auto/10`.
  ///
  /// - Parameter environment: The variables of the process, in which schedulers say which task it
  ///   is.
  /// - Throws: `PartError` when it is none of these, or the environment does not say it.
  package static func parse(
    _ text: String, environment: [String: String]
  ) throws(PartError) -> (part: PartNumber, source: String?) {
    let words = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard words.count <= 2 else { throw .malformed(text) }
    if words[0] == "auto" {
      var count: Int?
      if words.count == 2 {
        guard let number = Self.number(words[1]), 1...countMax ~= number else {
          throw .malformed(text)
        }
        count = number
      }
      return try PartEnvironment(environment).part(of: count)
    }
    guard words.count == 2, let number = Self.number(words[0]), let count = Self.number(words[1])
    else { throw .malformed(text) }
    guard let part = PartNumber(number, of: count) else { throw .absent(text) }
    return (part, nil)
  }

  /// A whole number without a sign.
  static func number(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}

/// Why a part cannot be told.
package enum PartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not of the form `k/N`, `auto` or `auto/N`.
  case malformed(String)
  /// There is no such part.
  case absent(String)
  /// No scheduler says which task this is.
  case noScheduler
  /// A variable has a value that cannot be.
  case variable(String, value: String, expected: String)
  /// A scheduler says which task this is, but not of how many.
  case noCount(variable: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .malformed(let text):
      return "part '\(TextSafety.singleLine(text))': expected k/N, auto or auto/N, such as 3/10; "
        + "N is at most \(PartNumber.countMax)"
    case .absent(let text):
      return "part '\(TextSafety.singleLine(text))': parts are numbered from 1/N to N/N; "
        + "N is at most \(PartNumber.countMax)"
    case .noScheduler:
      return "--part auto: none of \(PartEnvironment.variables.joined(separator: ", ")) is set; "
        + "name the part as k/N"
    case .variable(let name, let value, let expected):
      return "--part auto: \(name) is '\(TextSafety.singleLine(value))', expected \(expected)"
    case .noCount(let variable):
      return "--part auto: \(variable) does not tell how many parts there are; use --part auto/N"
    }
  }
}
