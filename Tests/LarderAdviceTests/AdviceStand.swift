import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Traces and settings of these tests.
enum AdviceStand {
  static func generated(
    _ generator: String, requests: Int = 6000, sizes: String? = nil, lives: String? = nil
  ) throws -> PreparedTrace {
    var spec = GeneratorSpec(component: try ComponentSpec(parsing: generator), requests: requests)
    if let sizes { spec.sizes = try ComponentSpec(parsing: sizes) }
    if let lives { spec.ttls = try ComponentSpec(parsing: lives) }
    var workload = Workload(name: "advice", source: .generator(spec), seeds: [9])
    // Prompts are kept only where they are used.
    if generator.hasPrefix("llm-prefix") { workload.advise = AdviceSettings() }
    return try #require(try WorkloadTraces.prepare(workload).table.all.first)
  }

  static func csv(_ lines: String, format: String = "csv:id=1:op=2") throws -> PreparedTrace {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-advice-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "t.csv")
    try lines.write(to: path, atomically: true, encoding: .utf8)
    return try PreparedTrace.load(path: path.path, format: try ComponentSpec(parsing: format))
  }

  static func settings(
    _ capacities: String, learned: Share? = nil, requestsMax: Double? = nil, threads: Int = 2
  ) throws -> AdviceSettings {
    AdviceSettings(
      capacities: try CapacitySpec.list(parsing: capacities), learned: learned,
      requestsMax: requestsMax, threads: threads)
  }
}
