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

  /// The other options may follow the time.
  @Test func fetchTakesItsDetailsBehindColons() throws {
    let single = try run(["--fetch", "2requests:servers=1:coalescing=false"])
    let separate = try run(["--fetch", "2requests", "--servers", "1", "--no-coalescing"])
    #expect(single.exitCode == 0 && single.output == separate.output, "\(single.notes)")
    #expect(single.output != (try run(["--fetch", "2requests"])).output)
  }

  @Test(arguments: [
    (["--fetch", "5ms", "--clock", "requests"], "expected a number of requests"),
    (["--fetch", "2requests", "--clock", "trace"], "expected a time such as 100ms"),
    (["--clock", "requests"], "needs the option 'fetch'"),
    (["--fetch", "2", "--clock", "sun"], "one of trace, requests"),
    (["--fetch", "2requests:servers=0"], "fetch: servers: expected a whole number from 1"),
    (["--fetch", "2requests:server=1"], "did you mean 'servers'?"),
  ])
  func mismatchedClockIsMisuse(options: [String], message: String) throws {
    let run = try run(options)
    #expect(run.exitCode == 2 && run.output.isEmpty)
    #expect(run.notes.contains(message), "\(run.notes)")
  }
}
