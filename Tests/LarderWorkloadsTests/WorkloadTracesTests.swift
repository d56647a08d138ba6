import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

@Suite struct WorkloadTracesTests {
  private static func workload(
    unit: CapacityUnit? = nil, memory: TierSpec = TierSpec(), latency: LatencyModel? = nil
  ) -> Workload {
    Workload(
      name: "w", source: .trace(TraceReference(path: "t")), unit: unit,
      configurations: [ConfigurationSpec(name: "memory", kind: .memory, memory: memory)],
      latency: latency)
  }

  @Test func timesAreKeptOnlyForExpiry() {
    let plain = Self.workload()
    #expect(plain.neededColumns(of: [.size, .time]) == [.size])
    #expect(plain.neededColumns(of: [.size, .time, .ttl]) == [.size, .time, .ttl])
    let expiring = Self.workload(memory: TierSpec(timeToLiveSeconds: 60))
    #expect(expiring.neededColumns(of: [.time]) == [.time])
  }

  @Test func sizesAreKeptOnlyForBytes() {
    #expect(Self.workload().neededColumns(of: [.size]) == [.size])
    #expect(Self.workload(unit: .objects).neededColumns(of: [.size, .cost]) == [.cost])
    let model = LatencyModel(
      memory: AccessLatency(), disk: AccessLatency(), origin: AccessLatency())
    let modelled = Self.workload(unit: .objects, latency: model)
    #expect(modelled.neededColumns(of: [.size]) == [.size])
  }

  @Test func oneTraceForEachSeedOfAGenerator() throws {
    let source = SourceSpec.generator(
      GeneratorSpec(component: try ComponentSpec(parsing: "zipf:objects=50"), requests: 100))
    let workload = Workload(name: "w", source: source, seeds: [5, 6, 5])
    let traces = try WorkloadTraces.prepare(workload)
    #expect(traces.facts.map(\.seed) == [5, 6])
    #expect(traces.table.all.count == 2)
    #expect(traces.facts.allSatisfy { $0.requests == 100 && $0.footprintBytes == nil })
  }

  /// Two folders have a file of one name: the second is identified by its path.
  @Test func severalTracesHaveSeparateCells() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-traces-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, ids) in [("a/t.txt", "1 1 1 2"), ("b/t.txt", "1 2 3 1"), ("b/u.txt", "5 6")] {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((ids.replacing(" ", with: "\n") + "\n").utf8).write(to: file)
    }
    let workload = try WorkloadDecoder(checks: Stand.checks).decode(
      Data(
        """
        source: {traces: [a/t.txt, b/t.txt, {trace: b/u.txt}], format: txt}
        policies: [lru, random]
        capacities: [1, 50%]
        seeds: [1, 2]
        """.utf8), file: folder.path + "/w.yaml")
    #expect(workload.sources.count == 3)
    #expect(workload.sources.flatMap(\.references).allSatisfy { $0.format?.name == "txt" })
    let traces = try WorkloadTraces.prepare(workload)
    #expect(traces.facts.map(\.name) == ["t.txt", "b/t.txt", "u.txt"])
    #expect(traces.facts.map(\.requests) == [4, 4, 2] && traces.facts.map(\.objects) == [2, 3, 2])
    let cells = try Plan.cells(of: workload, facts: traces.facts).map(\.cell)
    // 50 % of 2 and of 3 objects is 1: equal to the cell of capacity 1. Only random depends on
    // seeds.
    let names = cells.map { "\($0.trace) \($0.policy) \($0.capacityLabel) \($0.seed)" }
    #expect(
      names == [
        "t.txt lru 1 1", "t.txt random 1 1", "t.txt random 1 2", "b/t.txt lru 1 1",
        "b/t.txt random 1 1", "b/t.txt random 1 2", "u.txt lru 1 1", "u.txt random 1 1",
        "u.txt random 1 2",
      ])
    for cell in cells {
      let facts = try #require(traces.facts.first { $0.name == cell.trace })
      #expect(traces.table[cell]?.requests.count == Int(facts.requests))
    }
  }

  /// One line for each server; the memory cache is simulated only, as it is without servers.
  @Test func serversAreExecutedAndSimulatedOnTracesWithSizes() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-servers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("1\n2\n1\n".utf8).write(to: folder.appending(path: "t.txt"))
    func cells(_ source: String, _ more: String = "") throws -> [PlannedCell] {
      let first = source.contains("sizes") ? "memory, " : ""
      let workload = try WorkloadDecoder(checks: .registered { _, _ in true }).decode(
        Data(
          """
          source: \(source)
          configurations: [\(first){cache: redis, policy: allkeys-lfu}, {cache: memcached}]
          policies: lru
          capacities: 4MiB
          \(more)
          """.utf8), file: folder.path + "/w.yaml")
      let traces = try WorkloadTraces.prepare(workload)
      #expect(traces.facts.allSatisfy { $0.footprintBytes == nil || $0.footprintBytes == 128 })
      return try Plan.cells(of: workload, facts: traces.facts)
    }
    let planned = try cells("{trace: t.txt, sizes: 64}")
    #expect(planned.map(\.isSimulated) == [true, true, true])
    #expect(planned.map(\.isExecuted) == [false, true, true])
    #expect(planned.map(\.cell.policy) == ["lru", "allkeys-lfu", "memcached"])
    #expect(planned.map(\.cell.configuration) == ["memory", "redis-allkeys-lfu", "memcached"])
    let policies = planned.map { $0.setup.tiers[0].policy.description }
    #expect(policies[1] == "redis-lfu:clock=requests:rate=20000")
    let slower = try cells("{trace: t.txt, sizes: 64}", "execute: {load: {rate: 50}}")
    #expect(slower[2].setup.tiers[0].policy.description == "memcached:clock=requests:rate=50")
    // Such a cell is measured without the key 'mode', too.
    _ = try cells("{trace: t.txt, sizes: 64}", #"require: {get_p99: "<= 2ms"}"#)
    let faster = #expect(throws: PlanError.self) {
      try cells("{trace: t.txt, sizes: 64}", "execute: {load: {trace: 2x}}")
    }
    #expect(try #require(faster).description.contains("ages by its own clock"))
    let simulated = try cells("{trace: t.txt, sizes: 64}", "mode: simulate")
    #expect(!simulated.contains { $0.isExecuted })
    let error = #expect(throws: PlanError.self) { try cells("{trace: t.txt}") }
    #expect(try #require(error).description.contains("set them in the source"))
  }

  /// Each trace has the unit of its own sizes.
  @Test func tracesMayBeGenerated() throws {
    let workload = try WorkloadDecoder(checks: Stand.checks).decode(
      Data(
        """
        source:
          traces:
            - {generator: loop, requests: 9, objects: 3}
            - {generator: loop, requests: 10, objects: 5, sizes: 2KiB}
            - mix: [{weight: 1, source: {generator: loop, requests: 4, objects: 2}}]
              requests: 7
        policies: [lru]
        capacities: [60%]
        """.utf8), file: "w.yaml")
    let facts = try WorkloadTraces.prepare(workload).facts
    #expect(facts.map(\.requests) == [9, 10, 7])
    let cells = try Plan.cells(of: workload, facts: facts).map(\.cell)
    #expect(cells.map(\.unit) == [.objects, .bytes, .objects])
    #expect(cells.map(\.capacity) == [1, 6144, 1])
  }

  @Test func takenNamesAreNotReused() throws {
    let source = SourceSpec.generator(
      GeneratorSpec(component: try ComponentSpec(parsing: "loop:objects=3"), requests: 9))
    var workload = Workload(name: "w", source: source)
    workload.moreSources = [source]
    let traces = try WorkloadTraces.prepare(workload, taken: ["loop"])
    #expect(traces.facts.map(\.name) == ["loop (2)", "loop (3)"])
  }

  @Test func nextUsesAreComputedForOfflinePolicies() throws {
    let source = SourceSpec.generator(
      GeneratorSpec(component: try ComponentSpec(parsing: "loop:objects=3"), requests: 9))
    var workload = Workload(name: "w", source: source)
    #expect(try WorkloadTraces.prepare(workload).table.all.first?.requests.nextUses == nil)
    workload.configurations[0].memory.policy = try PolicySpec(parsing: "belady")
    #expect(try WorkloadTraces.prepare(workload).table.all.first?.requests.nextUses != nil)
  }
}
