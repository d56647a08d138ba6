import LarderEngine
import LarderTraces
import Testing

@testable import LarderWorkloads

@Suite struct WorkloadTracesTests {
  private static func workload(
    unit: CapacityUnit? = nil, memory: TierSpec = TierSpec(), latency: LatencyModel? = nil
  ) -> Workload {
    Workload(
      name: "w", source: .trace(TraceReference(path: "t")), unit: unit,
      configurations: [ConfigurationSpec(name: "memory", kind: .memory, memory: memory)],
      latency: latency)
  }

  @Test func timesAreKeptOnlyWhereSomethingExpires() {
    let plain = Self.workload()
    #expect(plain.neededColumns(of: [.size, .time]) == [.size])
    #expect(plain.neededColumns(of: [.size, .time, .ttl]) == [.size, .time, .ttl])
    let expiring = Self.workload(memory: TierSpec(timeToLiveSeconds: 60))
    #expect(expiring.neededColumns(of: [.time]) == [.time])
  }

  @Test func sizesAreKeptOnlyWhereBytesMatter() {
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
    #expect(Set(traces.bySeed.keys) == [5, 6])
    #expect(traces.facts.allSatisfy { $0.requests == 100 && $0.footprintBytes == nil })
  }

  @Test func theFutureIsWorkedOutWhenAPolicyNeedsIt() throws {
    let source = SourceSpec.generator(
      GeneratorSpec(component: try ComponentSpec(parsing: "loop:objects=3"), requests: 9))
    var workload = Workload(name: "w", source: source)
    #expect(try WorkloadTraces.prepare(workload).bySeed[1]?.requests.nextUses == nil)
    workload.configurations[0].memory.policy = try PolicySpec(parsing: "belady")
    #expect(try WorkloadTraces.prepare(workload).bySeed[1]?.requests.nextUses != nil)
  }
}
