import Foundation
import LarderEngine
import LarderSupport
import LarderTraces

package struct WorkloadDecoder: Sendable {
  package var checks: ComponentChecks

  package init(checks: ComponentChecks) { self.checks = checks }

  package func decode(contentsOf path: String) throws(WorkloadError) -> Workload {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw unreadable(path, "no such file")
    }
    if isFolder.boolValue { throw unreadable(path, "this is a folder; expected a workload file") }
    // Reads one byte more than allowed, so that an endless device is recognised as too large.
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try SystemFiles().read(path, most: YAMLDocument.bytesMax + 1)
    } catch {
      throw unreadable(path, error.reason)
    }
    return try decode(Data(bytes), file: path)
  }

  package func decode(_ bytes: Data, file: String) throws(WorkloadError) -> Workload {
    let root = try YAMLDocument.parse(bytes, file: file)
    let reading = WorkloadReading(
      checks: checks,
      workload: Workload(
        name: Self.name(fromFile: file), folder: Self.folder(of: file),
        source: SourceSpec.unread))
    reading.workload.lines.file = file
    return try WorkloadKeys.workload.read(root, into: reading, reading).workload
  }

  private func unreadable(_ path: String, _ reason: String) -> WorkloadError {
    WorkloadError(file: path, line: nil, problem: .unreadable(reason: reason))
  }

  private static func folder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "" }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }

  /// File name without folder and suffix, with `-` for characters that a name must not have.
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

/// An error in a workload file: one line, with the file, the line and the key.
package struct WorkloadError: Error, Hashable, Sendable, CustomStringConvertible {
  package var file: String
  package var line: Int?
  package var path = ""
  package var problem: Problem

  package enum Problem: Hashable, Sendable {
    case unreadable(reason: String)
    case tooLarge(limitBytes: Int)
    case notUTF8(offset: Int)
    case empty
    case syntax(String)
    case repetition
    case duplicateKey(String, again: Int?)
    case unknownKey(String, hint: String)
    case missingKey(String, reason: String?, misspelt: String?)
    case unexpected(expected: String, found: String)
    case refused(String)
  }

  package var description: String {
    let place = line.map { "\(file):\($0): " } ?? "\(file): "
    // The path comes from the file: a name may have several lines.
    return TextSafety.singleLine(place + (path.isEmpty ? "" : "\(path): ") + problem.sentence)
  }
}

extension WorkloadError.Problem {
  var sentence: String {
    switch self {
    case .unreadable(let reason):
      return "cannot be read: \(reason)"
    case .tooLarge(let limit):
      return "expected at most \(limit >> 10) KiB, found more"
    case .notUTF8(let offset):
      return "expected UTF-8 text, found other bytes at offset \(offset)"
    case .empty:
      return "expected a map of keys, found an empty file"
    case .syntax(let problem):
      return "not valid YAML: \(problem)"
    case .repetition:
      return "aliases (*name) expand to too many values; write the values out"
    case .duplicateKey(let key, let again):
      let second = again.map { " on line \($0)" } ?? ""
      return "key '\(key)' occurs again\(second) in the same map; keep one"
    case .unknownKey(let key, let hint): return "unknown key '\(key)'\(hint)"
    case .missingKey(let key, let reason, let misspelt):
      let why = reason.map { ": \($0)" } ?? ""
      let hint = misspelt.map { "; found '\($0)' instead" } ?? ""
      return "key '\(key)' is missing\(why)\(hint)"
    case .unexpected(let expected, let found):
      return "expected \(expected), found \(found)"
    case .refused(let message):
      return message
    }
  }
}
