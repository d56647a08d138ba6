import LarderSupport

/// One part of a workload that is run in parts: part `number` of `count`, from 1.
package struct PartNumber: Hashable, Sendable, CustomStringConvertible {
  /// Number of the part, from 1.
  package let number: Int
  /// Number of parts.
  package let count: Int

  /// Maximum number of parts: more than any scheduler accepts.
  package static let countMax = 1_000_000

  /// Creates a part; nil unless `number` is from 1 to `count`.
  package init?(_ number: Int, of count: Int) {
    guard 1...Self.countMax ~= count, 1...count ~= number else { return nil }
    self.number = number
    self.count = count
  }

  /// Text as users type it.
  package var description: String { "\(number)/\(count)" }

  /// Parses `3/10`, `auto` or `auto/10`.
  ///
  /// - Parameter environment: The variables of the process, in which schedulers give the task's
  ///   number.
  /// - Throws: `PartError` for other text, or if the environment lacks the number.
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

/// An error in determining a part.
package enum PartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not of the form `k/N`, `auto` or `auto/N`.
  case malformed(String)
  /// The number exceeds the count.
  case absent(String)
  /// No scheduler gives the task's number.
  case noScheduler
  /// A variable has an invalid value.
  case variable(String, value: String, expected: String)
  /// A scheduler gives the task's number, but not the number of tasks.
  case noCount(variable: String)

  /// One-line message.
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
      return "--part auto: \(variable) does not give the number of parts; use --part auto/N"
    }
  }
}

/// Task of a scheduler's array, from environment variables.
struct PartEnvironment {
  private let values: [String: String]

  /// Variables that give the task's number, in the order of preference.
  static let variables = [
    "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX",
  ]

  init(_ values: [String: String]) { self.values = values.filter { !$0.value.isEmpty } }

  /// The part, and the variable that named it.
  ///
  /// - Parameter count: The number of parts, if the user gives it.
  func part(of count: Int?) throws(PartError) -> (part: PartNumber, source: String?) {
    guard let variable = Self.variables.first(where: { values[$0] != nil }) else {
      throw .noScheduler
    }
    let index = try number(variable)
    switch variable {
    case "SLURM_ARRAY_TASK_ID":
      if let count { return try make(index, of: count, variable) }
      return try slurm(index)
    case "AWS_BATCH_JOB_ARRAY_INDEX":
      let size = "AWS_BATCH_JOB_ARRAY_SIZE"
      if let count { return try make(index, from: 0, of: count, variable) }
      guard values[size] != nil else { throw .noCount(variable: variable) }
      return try make(index, from: 0, of: try number(size), variable)
    default:
      guard let count else { throw .noCount(variable: variable) }
      return try make(index, from: 0, of: count, variable)
    }
  }

  /// Task of a Slurm array without gaps: `--array=1-100` or `0-99`. For an array of some tasks,
  /// such as `--array=3,7`, the number of tasks is unknown.
  private func slurm(_ index: Int) throws(PartError) -> (part: PartNumber, source: String?) {
    let id = "SLURM_ARRAY_TASK_ID"
    let names = ["SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"]
    guard names.allSatisfy({ values[$0] != nil }) else { throw .noCount(variable: id) }
    let (count, first, last) = (
      try number(names[0]), try number(names[1]), try number(names[2])
    )
    guard first <= last, last - first == count - 1 else { throw .noCount(variable: id) }
    return try make(index, from: first, of: count, id)
  }

  private func make(
    _ index: Int, from first: Int = 1, of count: Int, _ variable: String
  ) throws(PartError) -> (part: PartNumber, source: String?) {
    let (offset, overflow) = index.subtractingReportingOverflow(first)
    guard !overflow, offset >= 0, offset < count, let part = PartNumber(offset + 1, of: count)
    else {
      throw .variable(
        variable, value: "\(index)", expected: "a number from \(first) to \(first + count - 1)")
    }
    return (part, variable)
  }

  private func number(_ variable: String) throws(PartError) -> Int {
    let value = values[variable] ?? ""
    guard let number = PartNumber.number(value), number <= PartNumber.countMax else {
      throw .variable(
        variable, value: value, expected: "a whole number up to \(PartNumber.countMax)")
    }
    return number
  }
}
