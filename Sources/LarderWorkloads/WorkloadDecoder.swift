import Foundation
import LarderEngine
import LarderTraces

/// Reads workload files. Whatever is wrong with one is told with file, line, what was expected and
/// what was found.
package struct WorkloadDecoder: Sendable {
  /// Says which policies, generators and formats there are.
  package var checks: ComponentChecks

  /// A decoder; by default it knows what this build knows.
  package init(checks: ComponentChecks) { self.checks = checks }

  /// Reads a file. Paths in it are relative to its folder.
  ///
  /// - Throws: `WorkloadError`.
  package func decode(contentsOf path: String) throws(WorkloadError) -> Workload {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw unreadable(path, "no such file")
    }
    if isFolder.boolValue {
      throw unreadable(path, "this is a folder; expected a workload file")
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw unreadable(path, "permission denied")
    }
    defer { try? handle.close() }
    // One byte more than allowed, so that a device without an end is recognised as too large.
    let bytes: Data
    do {
      bytes = try handle.read(upToCount: YAMLDocument.bytesMax + 1) ?? Data()
    } catch {
      throw unreadable(path, "\(error.localizedDescription)")
    }
    return try decode(bytes, file: path)
  }

  /// Reads a workload that came from `file`: its name is used for errors, for paths and, where the
  /// workload has none, as its name.
  ///
  /// - Throws: `WorkloadError`.
  package func decode(_ bytes: Data, file: String) throws(WorkloadError) -> Workload {
    let root = try YAMLDocument.parse(bytes, file: file)
    let map = try YAMLMap(root, WorkloadKeys.workload, expected: "a map with the key 'source'")
    var workload = Workload(
      name: try map["name"].map { name throws(WorkloadError) in try self.name(name) }
        ?? Self.name(fromFile: file),
      folder: Self.folder(of: file),
      source: try source(map.required("source", in: WorkloadKeys.workload)))
    if let description = map["description"] {
      workload.description = String(try description.text(expected: "a text").trimmed)
    }
    workload.unit = try unit(map)
    workload.lines.unit = map.line(of: "unit") ?? map.line(of: "ignore-size")
    try decodeSweep(map, into: &workload)
    try decodeRun(map, into: &workload)
    if let execute = map["execute"] {
      let execute = try YAMLMap(
        execute, WorkloadKeys.execute, expected: "a map with keys such as threads, load, verify")
      workload.execution = try execution(execute)
      workload.executed = try executionFilter(execute, of: workload)
    }
    if let check = map["check"] { workload.check = try self.check(check, of: workload) }
    try checkModes(map, of: workload)
    workload.lines.file = file
    if let latency = map["latency"] {
      workload.latency = try self.latency(latency, for: workload.configurations)
    }
    return workload
  }

  private func decodeSweep(
    _ map: YAMLMap, into workload: inout Workload
  ) throws(WorkloadError) {
    if let configurations = map["configurations"] {
      workload.configurations = try self.configurations(
        configurations, unit: workload.unit, lines: &workload.lines)
    }
    if let policies = map["policies"] {
      for item in try policies.items(orSingle: [.string], of: "policies") {
        workload.policies += try self.policies(item)
      }
    } else if let open = workload.configurations.first(where: \.sweepsPolicies) {
      throw map.missing(
        "policies", because: "configuration '\(open.name)' does not name a policy",
        misspelt: nil)
    }
    if let capacities = map["capacities"] {
      workload.capacities =
        try capacities
        .items(orSingle: [.string, .integer, .number], of: "capacities")
        .map { item throws(WorkloadError) in
          let capacity = try capacity(item, unit: workload.unit)
          workload.lines.capacities[capacity.description] = item.line
          return capacity
        }
    } else if let open = workload.configurations.first(where: \.sweepsCapacities) {
      throw map.missing(
        "capacities", because: "configuration '\(open.name)' does not set a capacity",
        misspelt: nil)
    }
  }

  private func decodeRun(
    _ map: YAMLMap, into workload: inout Workload
  ) throws(WorkloadError) {
    if let seeds = map["seeds"] {
      workload.seeds = try seeds.items(orSingle: [.integer], of: "whole numbers")
        .map { item throws(WorkloadError) in try item.whole(in: 0...UInt64.max) }
    }
    if let warmUp = map["warm-up"] { workload.warmUp = try self.warmUp(warmUp) }
    if let repetitions = map["repetitions"] {
      workload.repetitions = Int(try repetitions.whole(in: 1...1000))
    }
    if let mode = map["mode"] {
      workload.modes = try mode.items(orSingle: [.string], of: "modes")
        .map { item throws(WorkloadError) in try item.choice(of: RunMode.self) }
    }
    if let reports = map["reports"] {
      workload.reports = try reports.items(orSingle: [.string], of: "reports")
        .map { item throws(WorkloadError) in try item.choice(of: ReportKind.self) }
    }
  }

  /// A cache with a policy of its own has counts only when it is executed.
  private func checkModes(_ map: YAMLMap, of workload: Workload) throws(WorkloadError) {
    guard !workload.modes.contains(.execute),
      let own = workload.configurations.first(where: { !$0.runsPolicies })
    else { return }
    throw map.error(
      at: workload.lines.configurations[own.name],
      .refused(
        "'\(own.contender)' has a built-in policy and cannot be simulated; add "
          + "'mode: [simulate, execute]'"))
  }

  private func unreadable(_ path: String, _ reason: String) -> WorkloadError {
    WorkloadError(file: path, line: nil, problem: .unreadable(reason: reason))
  }

  private static func folder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "" }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }

  /// The file's name without folder and ending, with `-` for what a name may not have.
  private static func name(fromFile file: String) -> String {
    var name = file.split(separator: "/").last.map(String.init) ?? ""
    for ending in [".yaml", ".yml"] where name.lowercased().hasSuffix(ending) {
      name.removeLast(ending.count)
    }
    let safe = String(name.map { isNameCharacter($0) ? $0 : "-" }.drop { $0 == "." })
    return safe.isEmpty ? "workload" : safe
  }

  static func isNameCharacter(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }
}
