import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Traces for the tests of curves.
enum CurveTraces {
  /// The folder of the real traces, nil when `LARDER_TRACES` is not set.
  static let folder = ProcessInfo.processInfo.environment["LARDER_TRACES"]

  private static let samplesFolder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Workloads/samples")

  static let samples: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: samplesFolder.path)
    return (names ?? []).filter { $0.hasPrefix("sample") }.sorted()
  }()

  static func sample(_ name: String) throws -> PreparedTrace {
    try PreparedTrace.load(path: samplesFolder.appending(path: name).path)
  }

  static func generated(
    _ generator: String, requests: Int, sizes: String? = nil, lives: String? = nil
  ) throws -> PreparedTrace {
    var spec = GeneratorSpec(component: try ComponentSpec(parsing: generator), requests: requests)
    if let sizes { spec.sizes = try ComponentSpec(parsing: sizes) }
    if let lives { spec.ttls = try ComponentSpec(parsing: lives) }
    let workload = Workload(name: "curves", source: .generator(spec), seeds: [9])
    return try #require(try WorkloadTraces.prepare(workload).table.all.first)
  }

  static func text(_ ids: String) throws -> PreparedTrace {
    try file(ids.replacing(" ", with: "\n") + "\n", "t.txt", format: "txt")
  }

  static func csv(_ lines: String) throws -> PreparedTrace {
    try file(lines, "t.csv", format: "csv:id=1:op=2")
  }

  private static func file(_ text: String, _ name: String, format: String) throws -> PreparedTrace {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-curves-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    return try PreparedTrace.load(
      path: folder.appending(path: name).path, format: try ComponentSpec(parsing: format))
  }
}
