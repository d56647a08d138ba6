import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

@Suite struct WorkloadDecoderTests {
  private func decode(_ yaml: String, file: String = "w.yaml") throws -> Workload {
    try WorkloadDecoder(checks: Stand.checks).decode(Data(yaml.utf8), file: file)
  }

  @Test func minimalWorkloadHasDefaults() throws {
    var workload = try decode(
      """
      source: {trace: OLTP.lis.zst}
      policies: lru
      capacities: 1000
      """, file: "/data/my runs/OLTP (new).yaml")
    workload.lines = WorkloadLines()
    #expect(
      workload
        == Workload(
          name: "OLTP--new-", folder: "/data/my runs",
          source: .trace(TraceReference(path: "OLTP.lis.zst")),
          policies: [try PolicySpec(parsing: "lru")],
          capacities: [try CapacitySpec(parsing: "1000")]))
    #expect(workload.configurations == [ConfigurationSpec(name: "memory", kind: .memory)])
    #expect(workload.seeds == [1])
    #expect(workload.warmUp == .none)
    #expect(workload.repetitions == 1)
    #expect(workload.modes == [.simulate])
    #expect(workload.reports == ReportKind.allCases)
    #expect(workload.unit == nil)
    #expect(workload.latency == nil)
  }

  private static let full = """
    name: shop
    description: >
      Two lines
      of words.
    source:
      generator: zipf
      requests: 2M
      objects: 100_000
      exponent: 0.9
      sizes: {distribution: list, values: [1KiB, 8KiB], weights: [3, 1]}
      ttl: 1h
      operations: {get: 95%, set: 0.04, delete: 0.01}
      rate: 250.5
    unit: bytes
    configurations:
      - memory
      - name: flash
        kind: disk
        disk: {policy: FIFO, ttl: 30d}
      - name: both
        kind: hybrid
        memory: {policy: lru, share: 2.5%, ttl: 5m}
        disk: {capacity: 1GiB}
        inclusion: exclusive
        promotion: second-hit
    policies: [lru, 's3-fifo:small=0.2']
    capacities: [1%, 64MiB]
    seeds: [1, 18446744073709551615]
    warm-up: 12.5%
    latency:
      memory: 0.5us
      disk: {distribution: normal, mean: 100us, deviation: 20us, throughput: 500MB/s}
      origin: {distribution: log-normal, median: 80ms, sigma: 0.5, per-byte: 100ns}
    repetitions: 3
    mode: [simulate]
    reports: [counts, markdown]
    """

  @Test func everyKeyIsRead() throws {
    let workload = try decode(Self.full)
    #expect(workload.name == "shop")
    #expect(workload.description == "Two lines of words.")
    #expect(workload.folder == "")
    #expect(workload.unit == .bytes)
    #expect(
      workload.source
        == .generator(
          GeneratorSpec(
            component: ComponentSpec(
              name: "zipf", values: ["objects": "100_000", "exponent": "0.9"]),
            requests: 2_000_000,
            sizes: ComponentSpec(
              name: "list", values: ["values": "1KiB,8KiB", "weights": "3,1"]),
            ttls: ComponentSpec(name: "constant", values: ["value": "1h"]),
            operations: ["get": 0.95, "set": 0.04, "delete": 0.01], rate: 250.5)))
    #expect(workload.seeds == [1, .max])
    #expect(workload.warmUp == .share(Share(billionths: 125_000_000)))
    #expect(workload.repetitions == 3)
    #expect(workload.reports == [.counts, .markdown])
    #expect(workload.policies.map(\.description) == ["lru", "s3-fifo:small=0.2"])
    #expect(workload.capacities.map(\.description) == ["1%", "64MiB"])
  }

  @Test func configurationsAreRead() throws {
    let configurations = try decode(Self.full).configurations
    #expect(
      configurations == [
        ConfigurationSpec(name: "memory", kind: .memory),
        ConfigurationSpec(
          name: "flash", kind: .disk,
          disk: TierSpec(
            policy: try PolicySpec(parsing: "fifo"), timeToLiveSeconds: 30 * 86_400)),
        ConfigurationSpec(
          name: "both", kind: .hybrid,
          memory: TierSpec(
            policy: try PolicySpec(parsing: "lru"), share: Share(billionths: 25_000_000),
            timeToLiveSeconds: 300),
          disk: TierSpec(capacity: try CapacitySpec(parsing: "1GiB")),
          rules: HybridRules(inclusion: .exclusive, promotion: .secondHit)),
      ])
    #expect(configurations.map(\.sweepsPolicies) == [true, false, true])
    #expect(configurations.map(\.sweepsCapacities) == [true, true, false])
  }

  @Test func latencyIsRead() throws {
    #expect(
      try decode(Self.full).latency
        == LatencyModel(
          memory: AccessLatency(base: .constant(500)),
          disk: AccessLatency(
            base: .normal(mean: 100_000, deviation: 20_000), nanosecondsPerByte: 2),
          origin: AccessLatency(
            base: .logNormal(median: 8e7, sigma: 0.5), nanosecondsPerByte: 100)))
    let start = "source: {trace: a}\npolicies: [lru]\ncapacities: [1%]\n"
    let list = try decode(start + "latency: {memory: 1us, origin: [2ms, 1ms]}").latency
    #expect(list?.origin.base == LatencySamples([1e6, 2e6]).map { .empirical($0) })
    let map = "{distribution: list, values: [2ms, 1ms]}"
    #expect(try decode(start + "latency: {memory: 1us, origin: \(map)}").latency == list)
    let constant = "{distribution: constant, value: 3ms}"
    let model = try decode(start + "latency: {memory: 1us, origin: \(constant)}").latency
    #expect(model?.origin == AccessLatency(base: .constant(3e6)))
  }

  @Test func sourcesNest() throws {
    let workload = try decode(
      """
      source:
        phases:
          - {trace: a.csv, format: "csv:time=1:id=2"}
          - mix:
              - {weight: 9, source: {generator: zipf, requests: 10}}
              - {weight: 1, source: {trace: /abs/b}}
            requests: 1e6
            shared-keys: true
      policies: [lru]
      capacities: [1%]
      """, file: "runs/w.yaml")
    let csv = TraceReference(
      path: "a.csv", format: ComponentSpec(name: "csv", values: ["time": "1", "id": "2"]))
    let absolute = TraceReference(path: "/abs/b")
    #expect(
      workload.source
        == .phases(
          [
            .trace(csv),
            .mix(
              [
                MixPart(
                  weight: 9,
                  source: .generator(
                    GeneratorSpec(component: ComponentSpec(name: "zipf"), requests: 10))),
                MixPart(weight: 1, source: .trace(absolute)),
              ], requests: 1_000_000, sharedKeys: true),
          ], sharedKeys: false))
    #expect(workload.path(of: csv) == "runs/a.csv")
    #expect(workload.path(of: absolute) == "/abs/b")
    #expect(workload.source.dependsOnSeed)
  }

  @Test func anchorsAndAliasesWork() throws {
    let workload = try decode(
      """
      source: {trace: a}
      policies: &p [lru, fifo]
      capacities: [1%]
      configurations:
        - {kind: memory, memory: &tier {ttl: 1h}}
        - {kind: disk, disk: *tier}
      """)
    #expect(workload.configurations.map(\.memory.timeToLiveSeconds) == [3600, nil])
    #expect(workload.configurations.map(\.disk.timeToLiveSeconds) == [nil, 3600])
  }

  @Test(arguments: [
    ("warm-up: none", WarmUp.none), ("warm-up: 0", .none), ("warm-up: 10k", .requests(10_000)),
    ("warm-up: 500", .requests(500)), ("warm-up: until-full", .untilFull),
    ("warm-up: '5%'", .share(Share(percent: 5))),
  ])
  func warmUps(_ line: String, _ warmUp: WarmUp) throws {
    #expect(try decode(Case.start + line).warmUp == warmUp)
  }

  @Test func eitherKeyIgnoresSizes() throws {
    #expect(try decode(Case.start + "ignore-size: true").unit == .objects)
    #expect(try decode(Case.start + "unit: objects").unit == .objects)
    #expect(try decode(Case.start + "ignore-size: true\nunit: objects").unit == .objects)
    #expect(try decode(Case.start + "ignore-size: false").unit == nil)
  }

  @Test(arguments: [
    ("w.yaml", "w"), ("a/b.YML", "b"), ("/x", "x"), ("a b.yaml", "a-b"), ("..yaml", "workload"),
    ("-", "-"),
  ])
  func nameComesFromTheFile(_ file: String, _ name: String) throws {
    #expect(try decode(Case.start, file: file).name == name)
  }

  @Test func unsweptPoliciesAndCapacitiesAreOptional() throws {
    let workload = try decode(
      """
      source: {trace: a}
      configurations: {kind: memory, memory: {policy: lru, capacity: 100}}
      """)
    #expect(workload.policies.isEmpty)
    #expect(workload.capacities.isEmpty)
  }
}
