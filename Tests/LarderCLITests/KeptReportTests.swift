import Foundation
import TestSupport
import Testing

/// Reports that are kept in the repository are those that the code writes from their results.
@Suite(.endsInTime) struct KeptReportTests {
  private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Results/examples")

  @Test func keptReportIsWrittenFromItsResults() throws {
    let all = FileManager.default.enumerator(atPath: Self.examples.path)?.compactMap {
      $0 as? String
    }
    let kept = (all ?? []).filter { $0.hasSuffix("/report.md") || $0.hasSuffix("/report.html") }
    #expect(kept.count >= 6)
    for file in kept {
      let url = Self.examples.appending(path: file)
      let scratch = try ScratchFolder()
      let run = try LarderProcess(
        ["report", url.deletingLastPathComponent().path, "--export"]
          + ["\(url.pathExtension == "md" ? "markdown" : "html")=made"], in: scratch.folder)
      #expect(run.exitCode == 0, "\(run.notes)")
      let made = try Data(contentsOf: scratch.url("made"))
      #expect(
        try made == Data(contentsOf: url), "\(file): run larder report on its folder, and read it")
    }
  }
}
