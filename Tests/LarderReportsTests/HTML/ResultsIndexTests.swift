import Foundation
import Testing

@testable import LarderReports

struct ResultsIndexTests {
  @Test func newestRunIsListedFirst() throws {
    try inFolder { folder in
      try write("sample/first", in: folder, started: "2026-11-20T10:00:00Z")
      // In another time zone, and yet before the next.
      try write("other/second", in: folder, started: "2026-11-21T10:30:00+02:00")
      try write("sample/third", in: folder, started: "2026-11-21T09:00:00Z")
      let index = try ResultsIndex(of: folder)
      #expect(index.runs.map(\.path) == ["sample/third", "other/second", "sample/first"])
      #expect(index.unreadable.isEmpty)
      let shape = try #require(HTMLReportTests.shape(index.text))
      #expect(shape.attributes["href"]?.contains("./sample/third/report.html") ?? false)
      #expect(shape.texts.contains("s3-fifo"))
      #expect(try ResultsIndex(of: folder).text == index.text)
    }
  }

  @Test func foreignFoldersAreLeftAlone() throws {
    try inFolder { folder in
      try write("sample/run", in: folder, started: "2026-11-20T10:00:00Z")
      for (path, text) in [
        ("README.md", "x"), ("notes/a.txt", "x"), ("a/b/c/d/results.json", "too deep"),
        (".hidden/results.json", "{}"), ("broken/results.json", "{"),
        ("other-tool/results.json", "[1, 2]"), ("empty/results.json", ""),
      ] {
        let file = URL(filePath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      let index = try ResultsIndex(of: folder)
      #expect(index.runs.map(\.path) == ["sample/run"])
      #expect(index.unreadable.count == 3)
      #expect(index.text.contains("broken/results.json"))
      #expect(throws: ReportError.self) { try ResultsIndex(of: folder + "/README.md") }
      #expect(throws: ReportError.self) { try ResultsIndex(of: folder + "/nowhere") }
    }
  }

  @Test func anEmptyFolderIsAPage() throws {
    try inFolder { folder in
      let page = try ResultsIndex(of: folder).text
      #expect(HTMLReportTests.shape(page) != nil)
    }
  }

  /// Names of folders, workloads and machines cannot inject markup.
  @Test func hostileNamesKeepTheShape() throws {
    let expected = HTMLReportTests.shape(page("plain", path: "a/b"))?.elements
    #expect(expected != nil)
    for text in HostileText.examples + HostileText.random(count: 30, seed: 3) {
      let path = "a/" + text.replacing("/", with: "")
      let shape = try #require(HTMLReportTests.shape(page(text, path: path)))
      #expect(shape.elements == expected, "\(text.debugDescription)")
      #expect(shape.attributes["href"]?.allSatisfy { $0.hasPrefix("./a/") } ?? false)
    }
  }

  @Test(arguments: [
    ("a/b c", "./a/b%20c"), ("javascript:x", "./javascript%3Ax"), ("a?b#c", "./a%3Fb%23c"),
    ("é", "./%C3%A9"),
  ])
  func addresses(_ path: String, _ address: String) {
    #expect(RunSummary.address(path) == address)
  }

  private func page(_ text: String, path: String) -> String {
    var results = SampleResults.full
    results.workload = text
    results.workloadDescription = text
    results.started = text
    results.machine.processor = text
    for index in results.records.indices {
      results.records[index].cell.configuration = "x" + text
      results.records[index].cell.trace = text
      results.records[index].cell.policy = "lfu"
    }
    return "<table>\(RunSummary(results, path: path, files: ["report.html"]).row)</table>"
  }

  private func write(_ path: String, in folder: String, started: String) throws {
    var results = SampleResults.full
    results.started = started
    try ReportWriter(directory: "\(folder)/\(path)").write(results)
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-index-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }
}
