import LarderSupport

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

/// Which task of a scheduler's array this process is, as environment variables say it.
struct PartEnvironment {
  private let values: [String: String]

  /// The variables that name a task, in the order in which they are asked.
  static let variables = [
    "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX",
  ]

  /// The variables of a process.
  init(_ values: [String: String]) { self.values = values.filter { !$0.value.isEmpty } }

  /// The part, and the variable that named it.
  ///
  /// - Parameter count: How many parts there are, where the user says it.
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

  /// A task of a Slurm array without gaps: `--array=1-100` or `0-99`. Some tasks of one, such as
  /// `--array=3,7`, do not tell how many there were.
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
