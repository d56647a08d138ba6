import Testing

@testable import LarderExperiments

struct PartNumberTests {
  private static func parse(
    _ text: String, _ environment: [String: String] = [:]
  ) throws(PartError) -> String {
    let (part, source) = try PartNumber.parse(text, environment: environment)
    return "\(part)" + (source.map { " \($0)" } ?? "")
  }

  @Test(arguments: ["1/1", "3/10", "10/10", "1000000/1000000"])
  func validPartsAreParsed(_ text: String) throws {
    #expect(try Self.parse(text) == text)
  }

  @Test(arguments: [
    "", "3", "/", "3/", "/3", "0/3", "4/3", "-1/3", "+1/3", "1/0", "1/1000001", "1/2/3", "a/b",
    "1 /3", "1.0/3", "auto/", "auto/0", "auto/x", "auto/1/2", "99999999999999999999/1", "Auto",
  ])
  func invalidPartsAreRejected(_ text: String) {
    #expect(throws: PartError.self) { try Self.parse(text, ["SLURM_ARRAY_TASK_ID": "1"]) }
  }

  @Test func slurmCountsFromItsFirstTask() throws {
    let task = { (id: String, count: String, first: String, last: String) in
      [
        "SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_COUNT": count,
        "SLURM_ARRAY_TASK_MIN": first, "SLURM_ARRAY_TASK_MAX": last,
      ]
    }
    #expect(try Self.parse("auto", task("1", "9", "1", "9")) == "1/9 SLURM_ARRAY_TASK_ID")
    #expect(try Self.parse("auto", task("0", "9", "0", "8")) == "1/9 SLURM_ARRAY_TASK_ID")
    #expect(try Self.parse("auto", task("8", "9", "0", "8")) == "9/9 SLURM_ARRAY_TASK_ID")
    // Some tasks of an array, which do not give their number.
    #expect(throws: PartError.noCount(variable: "SLURM_ARRAY_TASK_ID")) {
      try Self.parse("auto", task("7", "2", "3", "7"))
    }
    #expect(throws: PartError.self) { try Self.parse("auto", task("10", "9", "1", "9")) }
    #expect(throws: PartError.noCount(variable: "SLURM_ARRAY_TASK_ID")) {
      try Self.parse("auto", ["SLURM_ARRAY_TASK_ID": "7"])
    }
    // With the number of parts, a task's number is that of its part.
    #expect(try Self.parse("auto/9", task("7", "2", "3", "7")) == "7/9 SLURM_ARRAY_TASK_ID")
    #expect(throws: PartError.self) { try Self.parse("auto/9", task("0", "9", "0", "8")) }
  }

  @Test func otherSchedulersCountFromZero() throws {
    #expect(
      try Self.parse("auto/4", ["JOB_COMPLETION_INDEX": "3"]) == "4/4 JOB_COMPLETION_INDEX")
    #expect(throws: PartError.noCount(variable: "JOB_COMPLETION_INDEX")) {
      try Self.parse("auto", ["JOB_COMPLETION_INDEX": "3"])
    }
    #expect(throws: PartError.self) { try Self.parse("auto/3", ["JOB_COMPLETION_INDEX": "3"]) }
    let batch = ["AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "5"]
    #expect(try Self.parse("auto", batch) == "1/5 AWS_BATCH_JOB_ARRAY_INDEX")
    #expect(try Self.parse("auto/7", batch) == "1/7 AWS_BATCH_JOB_ARRAY_INDEX")
    #expect(throws: PartError.noCount(variable: "AWS_BATCH_JOB_ARRAY_INDEX")) {
      try Self.parse("auto", ["AWS_BATCH_JOB_ARRAY_INDEX": "0"])
    }
  }

  @Test func missingOrInvalidVariablesAreRejected() {
    #expect(throws: PartError.noScheduler) { try Self.parse("auto") }
    #expect(throws: PartError.noScheduler) { try Self.parse("auto", ["JOB_COMPLETION_INDEX": ""]) }
    for value in ["x", "-1", "1.5", " 1", "99999999999999999999", "$(reboot)"] {
      #expect(throws: PartError.self) { try Self.parse("auto/3", ["SLURM_ARRAY_TASK_ID": value]) }
    }
  }
}
