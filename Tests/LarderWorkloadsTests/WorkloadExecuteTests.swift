import Foundation
import Larder
import LarderEngine
import Testing

@testable import LarderExperiments

/// Keys for driving real caches, and the caches and presets of configurations.
@Suite struct WorkloadExecuteTests {
  private func decode(_ yaml: String) throws -> Workload {
    try WorkloadDecoder(checks: WorkloadMistakeTests.checks).decode(
      Data((Case.start + yaml).utf8), file: "w.yaml")
  }

  @Test func everyKeyIsRead() throws {
    let workload = try decode(
      """
      mode: [simulate, execute]
      execute:
        threads: [1, 4]
        load: {trace: 2.5x}
        origin: wait
        verify: none
        value-size: 4KiB
        page-cache: dropped
        durability: full
        inline: 0
        hashing: fast
        shards: 8
        pressure: [{at: 50%, level: warning}, {at: 100%, level: critical}]
      """)
    #expect(workload.modes == [.simulate, .execute])
    var spec = ExecutionSpec(threads: [1, 4], load: .trace(speed: 2.5))
    (spec.origin, spec.verification, spec.valueBytes) = (.wait, .none, 4096)
    (spec.pageCache, spec.durability, spec.inlineBytesMax) = (.dropped, .full, 0)
    (spec.hashing, spec.shards) = (.fast, 8)
    spec.pressure = [
      ExecutionSpec.Pressure(at: Share(percent: 50), level: .warning),
      ExecutionSpec.Pressure(at: Share(percent: 100), level: .critical),
    ]
    #expect(workload.execution == spec)
  }

  @Test func singleValuesAndDefaults() throws {
    #expect(try decode("").execution == nil)
    #expect(try decode("mode: execute").modes == [.execute])
    #expect(try decode("execute: {}").execution == ExecutionSpec())
    let spec = try #require(try decode("execute: {threads: 2, load: {rate: 5000}}").execution)
    #expect(spec == ExecutionSpec(threads: [2], load: .rate(perSecond: 5000)))
    #expect(try decode("execute: {load: closed}").execution?.load == .closed)
  }

  @Test func filterSelectsAmongWorkloadValues() throws {
    let workload = try WorkloadDecoder(checks: WorkloadMistakeTests.checks).decode(
      Data(
        """
        source: {generator: zipf, requests: 100}
        configurations: [memory, disk]
        policies: [lru, "s3-fifo:small=0.2"]
        capacities: [1%, 1000]
        execute: {configurations: disk, policies: ["s3-fifo:small=0.2"], capacities: [1_000]}
        """.utf8), file: "w.yaml")
    #expect(
      workload.execution?.filter
        == ExecutionFilter(
          configurations: ["disk"], policies: [try PolicySpec(parsing: "s3-fifo:small=0.2")],
          capacities: [try CapacitySpec(parsing: "1000")]))
  }

  @Test func configurationsNameCachesPresetsAndLimits() throws {
    let workload = try decode(
      """
      mode: [simulate, execute]
      configurations:
        - {kind: memory, cache: theirs}
        - {kind: memory, cache: theirs, name: again}
        - {kind: disk, cache: larder, disk: {objects: 5k}}
        - {preset: app}
        - {preset: app, name: other}
      """)
    #expect(
      workload.configurations == [
        ConfigurationSpec(
          name: "theirs", kind: .memory, contender: "theirs", runsPolicies: false),
        ConfigurationSpec(
          name: "again", kind: .memory, contender: "theirs", runsPolicies: false),
        ConfigurationSpec(name: "disk", kind: .disk, disk: TierSpec(objectsMax: 5000)),
        ConfigurationSpec(name: "app", kind: .hybrid, preset: "app"),
        ConfigurationSpec(name: "other", kind: .hybrid, preset: "app"),
      ])
    #expect(workload.lines.configurations["disk"] == 8)
    #expect(workload.lines.capacities["10"] == 3)
  }

  @Test(arguments: [
    ("{cache: redis, policy: lru}", "'redis' has no policy 'lru'; it has allkeys-lru, allkeys-lfu"),
    ("{kind: memory, cache: memcached}", "'kind' does not apply here: 'memcached' is a server"),
    ("{cache: redis, admission: second-hit}", "'redis' has built-in rules"),
    ("{cache: redis, memory: {policy: sieve}}", "'policy' does not apply here: 'redis' has"),
    ("{cache: redis, memory: {ttl: 5m}}", "'ttl' does not apply here: 'redis' has built-in"),
    ("{kind: memory, address: here}", "'address' applies to a server"),
    ("{cache: theirs}", "kind"),
  ])
  func wrongServerIsRefused(configuration: String, message: String) throws {
    let decoder = WorkloadDecoder(checks: .registered { _, _ in true })
    let yaml = Case.start + "configurations: \(configuration)\n"
    let error = #expect(throws: WorkloadError.self) {
      try decoder.decode(Data(yaml.utf8), file: "w.yaml")
    }
    #expect(try #require(error).description.contains(message))
  }

  @Test func placementHasTwoBounds() throws {
    func placement(_ yaml: String) throws -> HybridRules.Placement? {
      try decode("configurations: {kind: hybrid, placement: \(yaml)}").configurations[0].rules
        .placement
    }
    #expect(try placement("by-lifetime") == HybridRules.Placement())
    #expect(
      try placement("{memory-only-below: 1m}")
        == HybridRules.Placement(memoryOnlyBelowSeconds: 60))
    #expect(
      try placement("{memory-only-below: 1m, disk-only-from: 2d}")
        == HybridRules.Placement(memoryOnlyBelowSeconds: 60, diskOnlyFromSeconds: 172_800))
    #expect(try decode("configurations: hybrid").configurations[0].rules.placement == nil)
  }
}
