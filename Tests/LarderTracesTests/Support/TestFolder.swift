import Foundation
import LarderEngine

@testable import LarderTraces

/// A separate folder for one test, removed at the end.
final class TestFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("larder-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// The names of the files in the folder, in order.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

/// Error that `body` throws; nil without an error.
func thrown(_ body: () throws -> Void) -> (any Error)? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Message of the error that `body` throws; empty without an error.
func message(_ body: () throws -> Void) -> String { thrown(body).map { "\($0)" } ?? "" }

/// Requests of a file with these bytes, read in a format with its options, or the recognised one.
func readRecords(
  _ bytes: some Sequence<UInt8>, _ name: String = "access.log", _ spec: String? = nil
) throws -> [TraceRecord] {
  let folder = try TestFolder()
  let path = try folder.write(Array(bytes), to: name)
  return try allRecords(FileSource(path: path, format: spec.map { try ComponentSpec(parsing: $0) }))
}

/// The file as a prepared trace.
func readTrace(
  _ bytes: some Sequence<UInt8>, _ name: String = "access.log", _ spec: String? = nil,
  maxBad: Double? = nil
) throws -> PreparedTrace {
  let folder = try TestFolder()
  let path = try folder.write(Array(bytes), to: name)
  return try PreparedTrace.load(
    TraceReference(
      path: path, format: spec.map { try ComponentSpec(parsing: $0) }, maxBadShare: maxBad))
}

/// The source of the file, which has been read, and its requests.
func readSource(
  _ bytes: some Sequence<UInt8>, _ name: String = "access.log", _ spec: String? = nil
) throws -> (FileSource, [TraceRecord]) {
  let folder = try TestFolder()
  let path = try folder.write(Array(bytes), to: name)
  let source = try FileSource(path: path, format: spec.map { try ComponentSpec(parsing: $0) })
  return (source, try allRecords(source))
}
