import TestSupport
import Testing

/// `larder simulate --fetch`, by the trace's times and by the number of requests.
@Suite(.endsInTime) struct FetchCommandTests {
  private func run(_ options: [String]) throws -> LarderProcess {
    let scratch = try ScratchFolder()
    try scratch.write("1\n1\n2\n1\n3\n2\n1\n", to: "t.txt")
    return try LarderProcess(
      ["simulate", "t.txt", "--policy", "lru", "--capacity", "2", "--csv", "-", "--quiet"]
        + options, in: scratch.folder)
  }

  @Test func plainNumberCountsRequestsIfTheyAreTheClock() throws {
    let plain = try run(["--fetch", "2", "--clock", "requests"])
    let named = try run(["--fetch", "2requests"])
    #expect(plain.exitCode == 0 && plain.output == named.output)
    #expect(plain.output.contains("lru,"))
  }

  @Test(arguments: [
    (["--fetch", "5ms", "--clock", "requests"], "expected a number of requests"),
    (["--fetch", "2requests", "--clock", "trace"], "expected a time such as 100ms"),
    (["--clock", "requests"], "need --fetch"), (["--fetch", "2", "--clock", "sun"], "'requests'"),
  ])
  func mismatchedClockIsMisuse(options: [String], message: String) throws {
    let run = try run(options)
    #expect(run.exitCode == 2 && run.output.isEmpty)
    #expect(run.notes.contains(message), "\(run.notes)")
  }
}
