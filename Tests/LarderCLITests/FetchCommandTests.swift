import TestSupport
import Testing

/// `larder simulate --fetch`.
@Suite(.endsInTime) struct FetchCommandTests {
  private func run(_ options: [String]) throws -> LarderProcess {
    let scratch = try ScratchFolder()
    try scratch.write("1\n1\n2\n1\n3\n2\n1\n", to: "t.txt")
    return try LarderProcess(
      ["simulate", "t.txt", "--policy", "lru", "--capacity", "2", "--csv", "-", "--quiet"]
        + options, in: scratch.folder)
  }

  @Test func fetchTakesItsDetailsBehindColons() throws {
    let single = try run(["--fetch", "2requests:servers=1:coalescing=false"])
    #expect(single.exitCode == 0 && single.output.contains("lru,"), "\(single.notes)")
    #expect(single.output != (try run(["--fetch", "2requests"])).output)
  }

  @Test(arguments: [
    (["--fetch", "2requests:servers=0"], "fetch: servers: expected a whole number from 1"),
    (["--fetch", "2requests:server=1"], "did you mean 'servers'?"),
  ])
  func badDetailIsMisuse(options: [String], message: String) throws {
    let run = try run(options)
    #expect(run.exitCode == 2 && run.output.isEmpty)
    #expect(run.notes.contains(message), "\(run.notes)")
  }
}
