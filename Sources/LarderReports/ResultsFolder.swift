import Foundation
import Larder
import LarderEngine
import LarderExperiments

package enum ResultsFolder {
  package static func results(in folder: String) throws(ReportError) -> RunResults {
    let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    return try RunResults.decode(try bytes(path), name: path)
  }

  private static func bytes(_ path: String) throws(ReportError) -> Data {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .file(
        path: path, action: "read", reason: "no such file; is it a results folder?")
    }
    return try InputFile.bytes(path)
  }

  static let name = ResultsJSON().fileName
}

/// Files that are read as a whole; their contents are untrusted.
package enum InputFile {
  /// The largest file that is read; results of a million cells are smaller.
  static let bytesMax = 1 << 30

  package static func bytes(_ path: String) throws(ReportError) -> Data {
    try bytes(path, bytesMax: bytesMax)
  }

  static func bytes(_ path: String, bytesMax: Int) throws(ReportError) -> Data {
    func refused(_ reason: String) -> ReportError {
      .file(path: path, action: "read", reason: reason)
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw refused(String(cString: strerror(errno))) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw refused("it is a folder")
    case S_IFCHR, S_IFBLK: throw refused("it is a device")
    default: break
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw refused(String(cString: strerror(errno)))
    }
    defer { try? handle.close() }
    var bytes = Data()
    do {
      while let part = try handle.read(upToCount: min(1 << 20, bytesMax + 1 - bytes.count)),
        !part.isEmpty
      {
        bytes.append(part)
        if bytes.count > bytesMax { break }
      }
    } catch {
      throw refused(error.localizedDescription)
    }
    guard bytes.count <= bytesMax else { throw refused("it has more than \(bytesMax) bytes") }
    return bytes
  }
}

extension RunResults {
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
    if let fault = record.counts.fault { return "counts: \(fault)" }
    if let fault = record.prefix?.fault { return "prefix: \(fault)" }
    if let fault = record.flash?.fault { return "flash: \(fault)" }
    if let fault = record.course?.fault { return fault }
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
