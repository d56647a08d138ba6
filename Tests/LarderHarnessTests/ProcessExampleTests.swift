import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The example caches in compiled languages, built with the commands in their first lines, have the
/// counts of the policies they implement.
@Suite(.endsInTime) struct ProcessExampleTests {
  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private func compile(_ compiler: String, _ arguments: [String], in folder: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(ServerProgram.path(compiler)))
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["GOCACHE"] = folder.appending(path: "go-cache").path
    process.environment = environment
    let errors = folder.appending(path: "errors")
    try Data().write(to: errors)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    try Deadline.wait(for: process)
    let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    try #require(process.terminationStatus == 0, "\(compiler): \(text)")
    // Both examples must compile without warnings.
    #expect(text.isEmpty, "\(compiler): \(text)")
  }

  private func expectHits(
    of policy: String, from program: String, unit: CapacityUnit, capacity: UInt64
  ) throws {
    var trace = ExecutionTrace(requests: 2_000, seed: 12)
    // The examples do not support TTLs.
    trace.isTimed = false
    let prepared = trace.prepared()
    let stand = ExecutionStand()
    let tier = try ExecutionStand.tier(policy, capacity: capacity)
    let planned = ProcessCacheTests.cell([program, "{capacity}", "{unit}"], tier, unit: unit)
    let simulated = try stand.simulate(
      ExecutionStand.cell(.memory(tier), unit: unit), over: prepared)
    let execution = try stand.first(planned, over: prepared)
    #expect(execution.counts.hits == simulated.hits)
    #expect(execution.counts.bytesHit == simulated.bytesHit)
    #expect(execution.valuesChecked == execution.counts.hits && execution.valuesWrong == 0)
    #expect(simulated.hits > 100 && simulated.evictions > 100)
  }

  @Test(.enabled(if: ServerProgram.path("rustc") != nil, "rustc is not installed"))
  func theExampleInRustHasTheHitsOfSIEVE() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "sieve").path
    try compile(
      "rustc", ["-O", "-o", program, "\(ProcessCacheTests.examples)/sieve.rs"], in: folder)
    try expectHits(of: "sieve", from: program, unit: .objects, capacity: 50)
  }

  @Test(.enabled(if: ServerProgram.path("go") != nil, "go is not installed"))
  func theExampleInGoHasTheHitsOfFIFO() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "fifo").path
    try compile(
      "go", ["build", "-o", program, "\(ProcessCacheTests.examples)/fifo.go"], in: folder)
    try expectHits(of: "fifo", from: program, unit: .objects, capacity: 50)
    try expectHits(of: "fifo", from: program, unit: .bytes, capacity: 1_500)
  }
}
