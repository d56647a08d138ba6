import Foundation
import HTTPCaseSuite
import TestSupport
import Testing

/// The cases of http-tests/cache-tests: see Fixtures/README.md.
@Suite(.endsInTime) struct CaseSuiteTests {
  static func cases() throws -> [HTTPCase] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/cases.json")
    return try HTTPCase.read(Data(contentsOf: file))
  }

  /// Cases that apply to a private cache and do not pass: docs/http.md has the reasons.
  static let failingRequired: [String] = []
  static let failingOptimal = [
    "partial-store-partial-reuse-partial-absent", "partial-store-partial-reuse-partial-suffix",
  ]

  @Test(arguments: [false, true]) func casesPassExceptThoseNamed(onDisk: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "http-cases-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let cases = try Self.cases()
    #expect(cases.count == 287)
    let results = try await CaseRunner(directory: onDisk ? folder : nil).run(cases)
    let report = CaseReport(cases, results)
    let text = report.lines.joined(separator: "\n")
    #expect(report.failing(.required) == Self.failingRequired, "\(text)")
    #expect(report.failing(.optimal) == Self.failingOptimal, "\(text)")
    #expect(report.failing(.required, skipped: true) == [], "\(text)")
  }

  @Test(arguments: [
    "", "{", "{}", "[1]", #"{"tests": [{"id": "a"}]}"#,
    #"{"tests": [{"id": "a", "kind": "other", "requests": []}]}"#,
  ])
  func fileWithoutCasesIsAnError(text: String) {
    #expect(throws: HTTPCaseError.self) { try HTTPCase.read(Data(text.utf8)) }
  }
}
