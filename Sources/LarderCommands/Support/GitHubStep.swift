import Foundation
import LarderChecks
import LarderReports

/// What a check tells GitHub when it runs there.
enum GitHubStep {
  /// The longest summary of a step that GitHub takes is 1 MiB.
  private static let bytesMax = 1_000_000

  /// Prints annotations and adds to the step's summary, where there is a GitHub to read them.
  static func tell(_ result: CheckResult) {
    let environment = ProcessInfo.processInfo.environment
    guard environment["GITHUB_ACTIONS"] == "true" else { return }
    Output.text(CheckAnnotations.text(of: result))
    guard let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty else { return }
    let text = CheckDocument(result).markdown + "\n"
    guard text.utf8.count <= bytesMax else {
      Notes.line("the summary is too long for GitHub and was skipped")
      return
    }
    // What other steps and commands have written stays.
    guard let file = fopen(path, "a") else {
      Notes.line("\(path): cannot be written: \(String(cString: strerror(errno)))")
      return
    }
    let written = fputs(text, file)
    if fclose(file) != 0 || written < 0 { Notes.line("\(path): cannot be written") }
  }
}
