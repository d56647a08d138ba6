import Foundation
import LarderEngine
import LarderSystem
import LarderTraces

/// Reads workload files. Whatever is wrong with one is told with file, line, what was expected and
/// what was found.
package struct WorkloadDecoder: Sendable {
  /// Says which policies, generators and formats there are.
  package var checks: ComponentChecks

  /// The keys of the file.
  var keys = WorkloadKeys.workload

  /// A decoder that asks `checks`.
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
    // One byte more than allowed, so that a device without an end is recognised as too large.
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try SystemFiles().read(path, most: YAMLDocument.bytesMax + 1)
    } catch {
      throw unreadable(path, error.reason)
    }
    return try decode(Data(bytes), file: path)
  }

  /// Reads a workload that came from `file`: its name is used for errors, for paths and, where the
  /// workload has none, as its name.
  ///
  /// - Throws: `WorkloadError`.
  package func decode(_ bytes: Data, file: String) throws(WorkloadError) -> Workload {
    let root = try YAMLDocument.parse(bytes, file: file)
    let reading = WorkloadReading(
      checks: checks,
      workload: Workload(
        name: Self.name(fromFile: file), folder: Self.folder(of: file),
        source: Form<SourceSpec>.unread))
    reading.workload.lines.file = file
    var target = reading
    try keys.read(root, into: &target, reading)
    return reading.workload
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
