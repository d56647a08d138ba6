/// A folder whose types must all be in a list.
struct Registration: CustomStringConvertible {
  /// The folder, relative to the root.
  let folder: String
  let conformance: String
  let registry: String
  /// True if every file in the folder must declare such a type; else helpers are allowed.
  let everyFile: Bool

  var description: String { folder }

  static let all = [
    Registration(
      folder: "Sources/LarderTraces/Formats", conformance: "TraceFormat",
      registry: "Sources/LarderTraces/Formats/FormatRegistry.swift", everyFile: false),
    Registration(
      folder: "Sources/LarderReports/Formats", conformance: "ReportFormat",
      registry: "Sources/LarderReports/ReportRegistry.swift", everyFile: true),
  ]

  /// The types in `source` that conform, with the index of their line.
  func conformingTypes(_ source: SwiftSource) -> [(name: String, line: Int)] {
    let text =
      "\\s*((public|package|internal|private|fileprivate|final)\\s+)*"
      + "(struct|enum|class|actor) (\\w+)[^{]*:[^{]*\\b\(conformance)\\b"
    guard let pattern = try? Regex(text) else { preconditionFailure(text) }
    return source.code.indices.compactMap { index in
      // The declaration may continue on the next lines, up to the brace.
      let declaration = source.code[index...].prefix(4).joined(separator: " ")
      guard let match = declaration.prefixMatch(of: pattern.wordBoundaryKind(.simple)),
        let name = match.output[4].substring
      else { return nil }
      return (String(name), index)
    }
  }

  /// Folders of policies: the families, and the registry with `auto`.
  static let policies = [
    "Sources/LarderPolicies", "Sources/LarderQueuePolicies", "Sources/LarderHistoryPolicies",
    "Sources/LarderValuePolicies", "Sources/LarderResearchQueues",
    "Sources/LarderResearchAdaptive", "Sources/LarderResearchModels",
    "Sources/LarderResearchServers",
  ]

  /// Policies that are not registered in their own file, or whose constant is not in the registry.
  static func unregisteredPolicies(_ source: SwiftSource, registryCode: String) -> [Finding] {
    let policies = Registration(
      folder: "", conformance: "EvictionPolicy", registry: "PolicyRegistry.swift", everyFile: false)
    let entries = registryCode.split { $0.isWhitespace || $0 == "," || $0 == "[" || $0 == "]" }
    return policies.conformingTypes(source).compactMap { type in
      let line = "= RegisteredPolicy(\(type.name).self)"
      guard let registered = source.code.first(where: { $0.contains(line) }),
        let name = registered.firstMatch(of: /static let (\w+) =/)
      else { return source.finding(type.line, "\(type.name) has no constant of RegisteredPolicy") }
      return entries.contains(".\(name.1)")
        ? nil : source.finding(type.line, "\(type.name) is not in PolicyRegistry.swift")
    }
  }

  /// The types missing from `registryCode`, the code of the file with the list.
  func findings(_ sources: [SwiftSource], registryCode: String) -> [Finding] {
    sources.flatMap { source -> [Finding] in
      let types = conformingTypes(source)
      if types.isEmpty, everyFile, !source.name.contains("+") {
        return [source.finding(0, "declares no \(conformance), as every file in \(folder) does")]
      }
      return types.filter { !registryCode.contains(TidyRules.wordPattern($0.name)) }.map {
        source.finding($0.line, "\($0.name) is not in \(registry)")
      }
    }
  }
}
