import LarderSupport

/// One part of a workload that is run in parts: part `number` of `count`, from 1.
package struct PartNumber: Hashable, Sendable, CustomStringConvertible {
  package let number: Int
  package let count: Int

  package static let countMax = 1_000_000

  package init?(_ number: Int, of count: Int) {
    guard 1...Self.countMax ~= count, 1...count ~= number else { return nil }
    self.number = number
    self.count = count
  }

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
    if words == ["auto"] { return try scheduled(of: nil, environment) }
    guard words.count == 2, let count = wholeNumber(words[1]) else { throw .malformed(text) }
    if words[0] == "auto" {
      guard 1...countMax ~= count else { throw .malformed(text) }
      return try scheduled(of: count, environment)
    }
    guard let number = wholeNumber(words[0]) else { throw .malformed(text) }
    guard let part = PartNumber(number, of: count) else { throw .absent(text) }
    return (part, nil)
  }

  /// Schedulers of arrays: the variable with the task's number, that of the first task, and the
  /// variable with the number of tasks, of which Slurm gives the number of the last.
  static let schedulers: [(task: String, first: Int, count: String?)] = [
    ("SLURM_ARRAY_TASK_ID", 1, "SLURM_ARRAY_TASK_MAX"), ("JOB_COMPLETION_INDEX", 0, nil),
    ("AWS_BATCH_JOB_ARRAY_INDEX", 0, "AWS_BATCH_JOB_ARRAY_SIZE"),
  ]

  private static func scheduled(
    of count: Int?, _ environment: [String: String]
  ) throws(PartError) -> (part: PartNumber, source: String?) {
    func number(_ variable: String) throws(PartError) -> Int? {
      guard let text = environment[variable], !text.isEmpty else { return nil }
      guard let number = wholeNumber(text), number <= countMax else {
        throw .variable(variable, value: text, expected: "a whole number up to \(countMax)")
      }
      return number
    }
    for (variable, first, total) in schedulers {
      guard let task = try number(variable) else { continue }
      var given = count
      if given == nil, let total { given = try number(total) }
      guard let given else { throw .noCount(variable: variable) }
      guard let part = PartNumber(task - first + 1, of: given) else {
        throw .variable(
          variable, value: "\(task)", expected: "a number from \(first) to \(first + given - 1)")
      }
      return (part, variable)
    }
    throw .noScheduler
  }

  private static func wholeNumber(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}

/// An error in determining a part.
package enum PartError: Error, Hashable, Sendable, CustomStringConvertible {
  case malformed(String)
  case absent(String)
  case noScheduler
  case variable(String, value: String, expected: String)
  case noCount(variable: String)

  package var description: String {
    switch self {
    case .malformed(let text):
      return "part '\(TextSafety.singleLine(text))': expected k/N, auto or auto/N, such as 3/10; "
        + "N is at most \(PartNumber.countMax)"
    case .absent(let text):
      return "part '\(TextSafety.singleLine(text))': parts are numbered from 1/N to N/N; "
        + "N is at most \(PartNumber.countMax)"
    case .noScheduler:
      let variables = PartNumber.schedulers.map(\.task).joined(separator: ", ")
      return "--part auto: none of \(variables) is set; name the part as k/N"
    case .variable(let name, let value, let expected):
      return "--part auto: \(name) is '\(TextSafety.singleLine(value))', expected \(expected)"
    case .noCount(let variable):
      return "--part auto: \(variable) does not give the number of parts; use --part auto/N"
    }
  }
}
