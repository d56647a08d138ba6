import Foundation
import LarderExperiments
import LarderHarness
import LarderReports

/// The default folder for the files of a run: `Results/<workload>/<date-time>`.
enum RunDirectory {
  static let root = "Results"

  /// The folder for a run of `workload` that starts now, in UTC: names are in the
  /// order of time also where clocks are put back.
  static func standard(workload: String, now: Date = Date()) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return "\(root)/\(safe(workload))/\(formatter.string(from: now))"
  }

  /// Creates the folder, or with a number appended if it exists: runs that start in the same second
  /// do not overwrite each other. Errors are left to the writer of the first file.
  static func claim(_ path: String) -> String {
    if let folder = folder(of: path) {
      try? FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }
    for number in 1...1000 {
      let candidate = number == 1 ? path : "\(path)-\(number)"
      if mkdir(candidate, 0o777) == 0 { return candidate }
      if errno != EEXIST { break }
    }
    return path
  }

  static func missing(on path: String) -> [String] {
    var missing: [String] = []
    var rest: String? = path
    while let folder = rest, !FileManager.default.fileExists(atPath: folder) {
      missing.append(folder)
      rest = Self.folder(of: folder)
    }
    return missing
  }

  private static func folder(of path: String) -> String? {
    var rest = path[...]
    while rest.last == "/" { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/") else { return nil }
    rest = rest[..<slash]
    while rest.last == "/" { rest.removeLast() }
    return rest.isEmpty ? nil : String(rest)
  }

  /// Removes those of the folders that hold nothing, the first first: a request that failed leaves
  /// none behind.
  static func removeEmpty(_ folders: [String]) {
    for folder in folders where rmdir(folder) != 0 { return }
  }

  static func timestamp(_ date: Date = Date()) -> String {
    let formatter = ISO8601DateFormatter()
    formatter.timeZone = .current
    return formatter.string(from: date)
  }

  static func safe(_ name: String) -> String {
    let kept = name.map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "-"
    }
    let text = String(kept)
    return text.allSatisfy { $0 == "." } ? "workload" : text
  }
}

/// A file with one line of JSON for each run: `--export history=FILE`.
struct HistoryFile {
  let path: String

  private static let drawn = 100

  /// Runs of the workload, the oldest first; empty if the file does not exist.
  func entries(of workload: String) throws -> [HistoryEntry] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let text = String(decoding: try InputFile.bytes(path), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return try lines.enumerated().filter { !$0.element.isEmpty }.map { number, line in
      do {
        return try JSONFile.decode(HistoryEntry.self, from: Data(line.utf8))
      } catch {
        throw UsageError(
          "\(path):\(number + 1): not a line of a history; expected what --history writes")
      }
    }.filter { $0.workload == workload }.suffix(Self.drawn)
  }

  func append(_ entry: HistoryEntry) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = String(decoding: try encoder.encode(entry), as: UTF8.self) + "\n"
    guard let file = fopen(path, "a") else {
      throw UsageError("\(path): cannot be written: \(String(cString: strerror(errno)))")
    }
    let written = fputs(line, file)
    if fclose(file) != 0 || written < 0 { throw UsageError("\(path): cannot be written") }
  }
}

extension RunResults {
  init(of plan: RunPlan, of workload: Workload, file: String, threads: Int) {
    self.init(
      workload: workload.name, workloadDescription: workload.description,
      command: "\(ShellText.command([LarderProgram.name, "run"])) \(ShellWord.path(file))",
      started: RunDirectory.timestamp(), plannedCells: plan.cells.count, threads: threads,
      machine: .current(), traces: plan.facts,
      latencyModel: workload.latency?.describe(for: Set(plan.cells.map(\.cell.kind))),
      warmUp: workload.warmUp.description,
      execution: ExecutionConditions(
        workload.execution ?? ExecutionSpec(), cells: plan.cells,
        repetitions: workload.repetitions, hasLatency: workload.latency != nil),
      caches: CacheFacts.all(of: plan.cells),
      notes: plan.notes + Plan.notes(of: plan.cells, in: workload))
    assumptions = ConfigurationAssumptions.all(of: workload)
  }
}
