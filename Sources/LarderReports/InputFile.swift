import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderSupport

/// Files that are read as a whole; their contents are untrusted.
package enum InputFile {
  /// The largest file that is read; results of a million cells are smaller.
  private static let bytesMax = 1 << 30

  package static func bytes(_ path: String) throws(ReportError) -> Data {
    func refused(_ reason: String) -> ReportError {
      .file(path: path, action: "read", reason: reason)
    }
    // An endless device would fill the memory.
    var status = stat()
    if stat(path, &status) == 0, [S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT) {
      throw refused("it is a device")
    }
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try SystemFiles().read(path, most: bytesMax + 1)
    } catch {
      throw refused(error.code == EISDIR ? "it is a folder" : error.reason)
    }
    guard bytes.count <= bytesMax else { throw refused("it has more than \(bytesMax) bytes") }
    return Data(bytes)
  }
}

extension RunResults {
  /// The results in a folder, or in the file of such a folder.
  package static func read(_ path: String) throws(ReportError) -> RunResults {
    let isFolder = SystemFiles().kind(of: path) == .directory
    let folder = path.hasSuffix("/") ? path : path + "/"
    let file = isFolder ? folder + ResultsJSON().fileName : path
    guard SystemFiles().kind(of: file) != .nothing else {
      throw .file(
        path: path, action: "read",
        reason: isFolder
          ? "has no \(ResultsJSON().fileName); expected a results folder of larder run"
          : "no such folder; expected a results folder of larder run")
    }
    return try decode(try InputFile.bytes(file), name: file)
  }

  /// Parses the text of a `results.json`; `name` is its name in errors.
  package static func decode(
    _ bytes: some Collection<UInt8>, name: String
  ) throws(ReportError) -> RunResults {
    guard !bytes.isEmpty else { throw .damaged(name: name, reason: "it is empty") }
    let data = Data(bytes)
    let version = try decode(Version.self, from: data, name: name).schemaVersion
    guard version == currentSchemaVersion else {
      throw .unknownVersion(name: name, found: version, known: currentSchemaVersion)
    }
    let results = try decode(RunResults.self, from: data, name: name)
    if let fault = results.fault { throw .damaged(name: name, reason: fault) }
    return results
  }

  private struct Version: Decodable {
    let schemaVersion: Int
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, name: String
  ) throws(ReportError) -> Value {
    do throws(JSONFault) {
      return try JSONFile.decode(type, from: data)
    } catch {
      throw .damaged(name: name, reason: error.reason)
    }
  }

  /// The first inconsistency, or nil. After this check no computed property of the counts can trap.
  private var fault: String? {
    if plannedCells < 0 { return "plannedCells is negative" }
    for (index, record) in records.enumerated() {
      if let fault = Self.fault(of: record) { return "records[\(index)].\(fault)" }
    }
    return nil
  }

  private static func fault(of record: Record) -> String? {
    let parts = [
      ("counts: ", record.counts.fault), ("prefix: ", record.prefix?.fault),
      ("flash: ", record.flash?.fault), ("", record.course?.fault),
    ]
    for (name, fault) in parts {
      if let fault { return name + fault }
    }
    for (index, timing) in record.timings.enumerated() where timing.seconds < 0 {
      return "timings[\(index)].seconds is negative"
    }
    for (index, execution) in (record.executions ?? []).enumerated() {
      if let fault = fault(of: execution) { return "executions[\(index)].\(fault)" }
    }
    return nil
  }

  private static func fault(of execution: Execution) -> String? {
    if let fault = execution.counts.fault { return "counts: \(fault)" }
    if execution.seconds < 0 { return "seconds is negative" }
    if execution.threads < 1 { return "threads is less than 1" }
    if execution.valuesWrong > execution.valuesChecked {
      return "valuesWrong: more wrong values than checked values"
    }
    return execution.capacityExceeded > execution.capacityChecks
      ? "capacityExceeded: more violations than checks" : nil
  }
}
