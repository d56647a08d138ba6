import Foundation
import Testing

/// The house rules for the whole repository. A finding names file and line.
struct TidyTests {
  static let everything = ["Sources", "Tests"]

  @Test func layout() throws { try check(Self.everything, TidyRules.layout) }

  @Test func functionsAreShort() throws { try check(Self.everything, TidyRules.longFunctions) }

  @Test func publicDeclarationsAreDocumented() throws {
    try check(["Sources"], TidyRules.documentation)
  }

  @Test func forbiddenConstructsAreAbsent() throws { try check(["Sources"], TidyRules.forbidden) }

  /// `try?` hides a fault: it is for clean-up. What else there is of it only becomes fewer.
  @Test func faultsAreNotHidden() throws {
    let cleanUp = #/close|[rR]emove|sweep|checkpoint|ROLLBACK|sleep|end\(/#
    let lines = try Repository.swiftFiles(below: ["Sources"]).flatMap(\.code)
    let others = lines.filter { $0.contains("try? ") && !$0.contains(cleanUp) }
    #expect(others.count <= 90, "\(others.count) lines with try?")
  }

  @Test func protectionEndsInOnePlace() throws {
    try check(["Sources/Larder"], TidyRules.releaseStores)
  }

  @Test func thePublicInterfaceKeepsItsVocabulary() throws {
    try check(["Sources/Larder"], VocabularyRule.findings)
  }

  @Test func commentsAvoidCountedPatterns() throws {
    report(VocabularyRule.commentFindings(try Repository.swiftFiles(below: ["Sources"])))
  }

  @Test func jsonFromOutsideIsBounded() throws { try check(["Sources"], TidyRules.jsonFromOutside) }

  // The programs of Tests/Foreign are not tests; they kill children that take too long.
  @Test func testsThatWaitHaveALimit() throws {
    try check(["Tests"]) { $0.path.hasPrefix("Tests/Foreign/") ? [] : TidyRules.waiting($0) }
  }

  @Test func theManifestIsPlain() throws {
    let manifest = try Repository.source("Package.swift")
    report(TidyRules.layout(manifest) + TidyRules.forbidden(manifest))
  }

  // A stub is named after its module.
  @Test func filesAreNamedForTheirType() throws {
    try check(Self.everything) {
      $0.path.hasPrefix("Tests/Apple/Stubs/") ? [] : TidyRules.naming($0)
    }
  }

  /// Errors that are caught before they reach a command, or that no command can cause.
  private static let caughtErrors: Set = [
    "Absence", "AtomicFileError", "BoundedJSONError", "CacheMetricsError", "CachePersistError",
    "CacheServiceError", "CallError", "Cancelled", "ContractProblem", "ContractViolation",
    "ExecutionError", "Fault", "FileFailure", "FileFault", "HTTPCacheError", "HTTPStatusError",
    "HybridCacheError", "JSONFault", "LoadError", "LogPatternError", "NoValueError",
    "RecordingError", "SQLiteError", "SealFault", "ValueMemoryError",
  ]

  @Test func errorsHaveExitCodes() throws {
    let declaration = /(?:struct|enum|class) (\w+)\s*:[^{]*\b(?:Error|UserFacingError)\b/
    let conformance = /(\w+)\s*:[^{]*\bUserFacingError\b/
    var (declared, facing): (Set<String>, Set<String>) = ([], [])
    for source in try Repository.swiftFiles(below: ["Sources"]) {
      for line in source.code where line.contains("Error") {
        if let match = line.firstMatch(of: declaration) { declared.insert(String(match.1)) }
        if let match = line.firstMatch(of: conformance) { facing.insert(String(match.1)) }
      }
    }
    let unsaid = declared.subtracting(facing).subtracting(Self.caughtErrors)
    #expect(unsaid.isEmpty, "conform to UserFacingError, or add to the errors that are caught")
    #expect(Self.caughtErrors.isSubset(of: declared.subtracting(facing)), "no longer there")
  }

  @Test(arguments: Registration.all)
  func everythingIsRegistered(_ registration: Registration) throws {
    let sources = try Repository.swiftFiles(below: [registration.folder])
    try #require(!sources.isEmpty, "\(registration.folder) is empty")
    let registry = try Repository.source(registration.registry)
    let types = sources.flatMap { registration.conformingTypes($0) }
    #expect(!types.isEmpty, "\(registration.folder): found no \(registration.conformance) at all")
    let others = sources.filter { $0.path != registry.path }
    report(registration.findings(others, registryCode: registry.code.joined(separator: "\n")))
  }

  @Test func policiesAreRegistered() throws {
    let registry = try Repository.source("Sources/LarderPolicies/PolicyRegistry.swift")
    let code = registry.code.joined(separator: "\n")
    try check(Registration.policies) {
      Registration.unregisteredPolicies($0, registryCode: code)
    }
  }

  @Test func workplaceWordsAreAbsent() throws {
    // Output of runs in Results is generated; only the examples are checked.
    let folders = [
      "Sources", "Tests", "Workloads", "Results/examples", "analysis", "docs", ".ci", ".github",
    ]
    // Every file at the top, so that one that is left there is found.
    let top = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
    let files = ["Results/README.md"] + top.sorted()
    let endings = ["swift", "md", "py", "yml", "yaml", "json", "csv", "txt", "run", "h", "c"]
    for path in Repository.paths(below: folders) + files.filter({ Repository.exists($0) }) {
      let name = path.split(separator: "/").last ?? ""
      let ending = name.split(separator: ".").last ?? ""
      guard endings.contains(String(ending)) || name == "Makefile" else { continue }
      // A binary file (a trace may end in .txt) has no sentences.
      guard let text = try? Repository.text(of: path) else { continue }
      report(TidyRules.workplace(path: path, text: text))
    }
  }

  private func check(_ folders: [String], _ rule: (SwiftSource) -> [Finding]) throws {
    let sources = try Repository.swiftFiles(below: folders)
    #expect(sources.count > 10, "the sources were not found from \(#filePath)")
    report(sources.flatMap(rule))
  }

  private func report(_ findings: [Finding]) {
    for finding in findings {
      let file = finding.path.split(separator: "/").last ?? ""
      let location = SourceLocation(
        fileID: "larder/\(file)", filePath: Repository.root.appending(path: finding.path).path,
        line: finding.line, column: 1)
      Issue.record("\(finding)", sourceLocation: location)
    }
  }
}
