import Foundation
import Larder
import LarderEngine
import LarderSimulation

extension RunResults {
  /// Reads the text of a `results.json`.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - name: What errors call it: the path.
  /// - Throws: `ReportError.unknownVersion` for a version other than `currentSchemaVersion`,
  ///   `ReportError.damaged` for anything that is not whole: bad JSON, a missing key, a wrong type,
  ///   or counts that contradict each other.
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

  /// The one key that every version has.
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

  /// The first contradiction, or nil. After this no computed property of the counts can trap.
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
