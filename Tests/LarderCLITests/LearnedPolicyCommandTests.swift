import Foundation
import TestSupport
import Testing

/// Learned policies at the command line, with and without LightGBM.
@Suite(.endsInTime) struct LearnedPolicyCommandTests {
  @Test func listNamesTheRequiredLibrary() throws {
    let run = try LarderProcess(["policies"])
    #expect(run.exitCode == 0)
    for name in ["lrb", "3l-cache"] { #expect(run.output.contains("\n\(name)  (adaptive)\n")) }
    #expect(run.output.contains("Needs: size, LightGBM"))
  }

  @Test(arguments: ["lrb", "3l-cache:batch=100"])
  func missingLibraryIsOneLine(policy: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n3\n", to: "ids.txt")
    let run = try LarderProcess(
      ["simulate", "ids.txt", "--policy", "lru,\(policy)", "--capacity", "2"],
      in: scratch.folder, environment: ["LARDER_LIGHTGBM": "absent.so"])
    #expect(run.exitCode == 2)
    #expect(run.output == "")
    #expect(run.noteLines.count == 1, "\(run.notes)")
    let name = policy.prefix { $0 != ":" }
    #expect(run.notes.contains("policy '\(name)' needs LightGBM"))
    #expect(run.notes.contains("'absent.so'"))
  }

  /// Commands over all policies do not need the library.
  @Test func allPoliciesNeedNoLibrary() throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n3\n", to: "ids.txt")
    let run = try LarderProcess(
      ["simulate", "ids.txt", "--policy", "all", "--capacity", "2", "--format", "csv"],
      in: scratch.folder, environment: ["LARDER_LIGHTGBM": "absent.so"])
    #expect(run.exitCode == 0, "\(run.notes)")
    #expect(!run.output.contains("lrb") && run.output.contains("la-cache"))
  }
}
