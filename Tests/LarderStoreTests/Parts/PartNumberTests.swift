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

  private static let slurm = ["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MAX": "9"]
  private static let pod = ["JOB_COMPLETION_INDEX": "3"]
  private static let batch = [
    "AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "5",
  ]

  /// Slurm's tasks count from 1, those of others from 0.
  @Test(arguments: [
    ("auto", slurm, "7/9 SLURM_ARRAY_TASK_ID"), ("auto/12", slurm, "7/12 SLURM_ARRAY_TASK_ID"),
    ("auto/4", pod, "4/4 JOB_COMPLETION_INDEX"), ("auto", batch, "1/5 AWS_BATCH_JOB_ARRAY_INDEX"),
    ("auto/7", batch, "1/7 AWS_BATCH_JOB_ARRAY_INDEX"),
  ])
  func schedulersNameTheTask(
    _ text: String, _ environment: [String: String], _ part: String
  ) throws {
    #expect(try Self.parse(text, environment) == part)
  }

  @Test(arguments: [
    ("auto/6", slurm), ("auto", ["SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MAX": "9"]),
    ("auto/3", pod),
  ])
  func tasksOutsideAreRejected(_ text: String, _ environment: [String: String]) {
    #expect(throws: PartError.self) { try Self.parse(text, environment) }
  }

  @Test(arguments: [
    "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX",
  ])
  func taskWithoutACountIsRejected(_ variable: String) {
    #expect(throws: PartError.noCount(variable: variable)) {
      try Self.parse("auto", [variable: "1"])
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
