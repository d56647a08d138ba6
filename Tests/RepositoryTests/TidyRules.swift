import Foundation

/// House rules for a single file. Each returns the violations.
enum TidyRules {
  static let columns = 100
  static let fileLines = 800
  static let functionLines = 70

  static func layout(_ source: SwiftSource) -> [Finding] {
    var findings = source.lines.enumerated().filter { $0.element.count > columns }.map {
      source.finding($0.offset, "\($0.element.count) columns; at most \(columns)")
    }
    let count = source.lines.last == "" ? source.lines.count - 1 : source.lines.count
    if count > fileLines {
      findings.append(source.finding(fileLines, "the file has \(count) lines; at most 800"))
    }
    return findings
  }

  static func longFunctions(_ source: SwiftSource) -> [Finding] {
    FunctionFinder(source).functions.filter { $0.lines > functionLines }.map { function in
      source.finding(
        function.start, "the function has \(function.lines) lines; at most \(functionLines)")
    }
  }

  /// Every declaration marked `public` or `open` has a documentation comment. Others need a comment
  /// only if the code does not show the reason.
  static func documentation(_ source: SwiftSource) -> [Finding] {
    let pattern = declaration
    let fences = source.lines.indices.filter { index in
      let line = source.lines[index].trimmingPrefix { $0 == " " }
      return line.hasPrefix("///") && line.contains("```")
        && line.wholeMatch(of: #//// *```\w*/#) == nil
    }
    return fences.map { source.finding($0, "a fence of code beside other text") }
      + source.code.indices.filter { index in
        let line = source.code[index]
        // A word is found much faster than a pattern.
        let isCandidate = ["public", "open"].contains { line.contains($0) }
        return isCandidate && line.contains(pattern) && !isDocumented(source, index)
      }.map { source.finding($0, "a public declaration without a documentation comment") }
  }

  /// Library code has no constructs that crash or disable checks.
  static func forbidden(_ source: SwiftSource) -> [Finding] {
    var findings: [Finding] = []
    let pattern = force
    for (index, line) in source.code.enumerated()
    where line.contains("!") && line.contains(pattern) {
      findings.append(source.finding(index, "a forced unwrap, cast or try"))
    }
    // Also in comments and strings.
    let words = ["TODO", "FIXME", "-Ounchecked", "unsafeFlags", "fatalError(\"unimplemented\""]
    for (index, line) in source.lines.enumerated() {
      for word in words where line.contains(word) {
        findings.append(source.finding(index, "'\(word)' has no place here"))
      }
    }
    return findings
  }

  /// No release store ends the protection of a value, because the optimiser moves retains behind
  /// it. Use `larder_end_protection`, which explains the reason; a fence alone ends no protection.
  static func releaseStores(_ source: SwiftSource) -> [Finding] {
    source.code.indices.filter { index in
      let line = source.code[index]
      return line.contains("ordering: .releasing") && !line.contains("atomicMemoryFence")
    }.map { source.finding($0, "a release store: use larder_end_protection") }
  }

  /// JSON is decoded only in code that first limits its nesting.
  static func jsonFromOutside(_ source: SwiftSource) -> [Finding] {
    // The second finds the position of the error in text that the first has rejected.
    let places = [
      "JSONDecoder(": "Sources/Larder/Support/BoundedJSON.swift",
      "JSONSerialization.jsonObject(": "Sources/LarderExperiments/Results/JSONFile.swift",
    ]
    return source.code.enumerated().flatMap { index, line in
      places.filter { line.contains($0.key) && source.path != $0.value }.map { _ in
        source.finding(index, "decodes JSON: use BoundedJSON")
      }
    }
  }

  /// Tests that wait for threads or processes have a time limit.
  static func waiting(_ source: SwiftSource) -> [Finding] {
    var findings = source.code.enumerated().filter { $0.element.contains("waitUntilExit()") }
      .map { source.finding($0.offset, "waits without a limit: use Deadline.wait") }
    let words = [
      "withTaskGroup", "Thread {", "Thread.detachNewThread", "DispatchSemaphore(", "NSCondition(",
      "LarderProcess(", "VictimProcess.",
    ]
    guard source.path.hasSuffix("Tests.swift"),
      !source.code.contains(where: { $0.contains(".endsInTime") }),
      let first = source.code.firstIndex(where: { line in words.contains { line.contains($0) } })
    else { return findings }
    findings.append(source.finding(first, "waits, and its suite has no .endsInTime"))
    return findings
  }

  /// A file declares or extends the type it is named after.
  static func naming(_ source: SwiftSource) -> [Finding] {
    let name = source.typeName
    // Two files hold several declarations of one concept, and one passes the C library on.
    let concepts = ["main", "Package", "Libc", "Capabilities", "RequestOptions", "RecordTables"]
    guard !concepts.contains(name) else { return [] }
    let kinds = ["struct", "enum", "class", "actor", "protocol", "typealias", "extension", "macro"]
    let function = "func \(name.prefix(1).lowercased())\(name.dropFirst())"
    let type = "(\(kinds.joined(separator: "|"))) (\\w+\\.)*\(name)"
    let pattern = wordPattern("(\(type)|\(function))")
    let declares = source.code.contains { $0.contains(pattern) }
    return declares ? [] : [source.finding(0, "declares no '\(name)', for which it is named")]
  }

  /// No words of the development environment, which are meaningless to readers.
  static func workplace(path: String, text: String) -> [Finding] {
    // Concatenated, so that this file does not contain them.
    let words = ["/wo" + "rk/", "/ro" + "ot/", "Clau" + "de", "Anthro" + "pic", "LL" + "M"]
    var findings: [Finding] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      for word in words where line.contains(word) {
        findings.append(Finding(path: path, line: index + 1, message: "the word '\(word)'"))
      }
    }
    return findings
  }

  static func wordPattern(_ pattern: String) -> Regex<AnyRegexOutput> {
    // An invalid pattern is a fault of the tests and must trap.
    guard let regex = try? Regex("\\b\(pattern)\\b") else { preconditionFailure(pattern) }
    // Unicode's default rule sees no boundary in "LRU.self".
    return regex.wordBoundaryKind(.simple)
  }

  private static var declaration: Regex<AnyRegexOutput> {
    wordPatternAtStart(
      "(@\\w+(\\([^)]*\\))?\\s+)*(public|open)(\\((set)\\))?\\s+(\\w+(\\(\\w+\\))?\\s+)*"
        + "(struct|enum|class|actor|protocol|typealias|func|var|let|init|subscript|case|macro|"
        + "extension|associatedtype)\\b")
  }

  private static var force: Regex<AnyRegexOutput> {
    guard let regex = try? Regex("[\\w)\\]}\"?>]!(?!=)") else { preconditionFailure() }
    return regex
  }

  private static func wordPatternAtStart(_ pattern: String) -> Regex<AnyRegexOutput> {
    guard let regex = try? Regex("^\\s*\(pattern)") else { preconditionFailure(pattern) }
    return regex.wordBoundaryKind(.simple)
  }

  private static func isDocumented(_ source: SwiftSource, _ index: Int) -> Bool {
    var above = index - 1
    while above >= 0 {
      let line = source.lines[above].trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("///") || line.hasSuffix("*/") { return true }
      // Attributes, conditions and ordinary comments may come between.
      guard line.hasPrefix("@") || line.hasPrefix("#if") || line.hasPrefix("//") else {
        return false
      }
      above -= 1
    }
    return false
  }
}
