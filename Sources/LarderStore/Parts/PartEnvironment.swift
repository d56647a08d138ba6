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
