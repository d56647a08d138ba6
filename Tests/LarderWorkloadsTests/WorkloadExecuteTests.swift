import Foundation
import Larder
import LarderEngine
import Testing

@testable import LarderExperiments

/// Keys for driving real caches, and the caches and presets of configurations.
@Suite struct WorkloadExecuteTests {
  private static let checks: ComponentChecks = {
    var checks = Stand.checks
    checks.cache = { name, kind in
      guard ["larder", "theirs"].contains(name) else {
        throw ContenderError.unknown(name, known: ["larder", "theirs"])
      }
      guard name == "larder" || kind == .memory else {
        throw ContenderError.kind(name, kind, possible: [.memory])
      }
      return name == "larder"
    }
    checks.preset = { name in
      guard name == "app" else { throw ContenderError.unknownPreset(name, known: ["app"]) }
      return ConfigurationSpec(name: name, kind: .hybrid, preset: name)
    }
    return checks
  }()

  private func decode(_ yaml: String) throws -> Workload {
    try WorkloadDecoder(checks: Self.checks).decode(
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
    let workload = try WorkloadDecoder(checks: Self.checks).decode(
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

  @Test(arguments: [
    Case("execute: fast", "expected a map with keys such as threads, load, verify, found 'fast'"),
    Case("execute: {thread: 1}", "unknown key 'thread'; did you mean 'threads'?"),
    Case("execute: {threads: 0}", "threads: expected a whole number from 1 to 256, found '0'"),
    Case("execute: {threads: [2, 2]}", "threads[2]: 2 occurs twice"),
    Case(
      "execute: {load: open}",
      "load: expected 'closed', or a map such as {trace: 2x} or {rate: 5000}, found 'open'"),
    Case(
      "execute: {load: {}}",
      "load: expected 'closed', or a map such as {trace: 2x} or {rate: 5000}, found a map"),
    Case(
      "execute: {load: {trace: 2x, rate: 5}}",
      "load: 'trace' and 'rate' exclude each other; keep one"),
    Case(
      "execute: {load: {trace: fast}}",
      """
      load.trace: expected a factor relative to the trace's speed, such as 1x or 2.5x, found 'fast'
      """),
    Case(
      "execute: {load: {rate: 0}}",
      "load.rate: expected a number of requests per second above 0, found '0'"),
    Case(
      "execute: {verify: al}",
      "verify: expected one of all, header, none, found 'al'; did you mean 'all'?"),
    Case(
      "execute: {value-size: 0B}",
      "value-size: expected bytes from 1 to 1073741824, such as 100B or 4KiB, found '0B'"),
    Case(
      "execute: {inline: 5GiB}",
      "inline: expected bytes from 0 to 500000000, such as 20KiB, found '5GiB'"),
    Case(
      "execute: {shards: 3}", "shards: expected a power of two from 1 to 1024, found '3'"),
    Case(
      "execute: {shards: 2048}",
      "shards: expected a whole number from 1 to 1024, found '2048'"),
    Case("execute: {pressure: [{at: 50%}]}", "pressure[1]: key 'level' is missing"),
    Case(
      "execute: {pressure: [{at: 0%, level: warning}]}",
      """
      pressure[1].at: expected a share above 0% and at most 100%, such as 10%, 0.1 or 1/10, found \
      '0%'
      """),
    Case(
      "execute: {policies: [sieve]}",
      "policies[1]: 'sieve' is not among the workload's 'policies', so it cannot be executed"),
    Case(
      "execute: {capacities: 99}",
      "capacities: '99' is not among the workload's 'capacities', so it cannot be executed"),
    Case(
      "execute: {configurations: memroy}",
      """
      configurations: 'memroy' is not among the workload's 'configurations', so it cannot be \
      executed; did you mean 'memory'?
      """),
  ])
  func executeErrors(_ example: Case) throws {
    let message = try #require(Case.message(Case.start + example.yaml, checks: Self.checks))
    let path = example.message.first == "e" || example.message.first == "u" ? ": " : "."
    #expect(message == "w.yaml:4: execute\(path)" + example.message)
  }

  @Test(arguments: [
    Case(
      "{kind: memory, cache: thiers}",
      ".cache: unknown cache 'thiers'; did you mean 'theirs'? ('larder list caches' lists them all)"
    ),
    Case(
      "{kind: disk, cache: theirs}",
      ".cache: 'theirs' does not support the kind disk; it supports memory"),
    Case(
      "{kind: memory, cache: theirs, memory: {policy: lru}}",
      ".memory: 'policy' does not apply here: 'theirs' has a built-in policy"),
    Case(
      "{kind: memory, cache: theirs}",
      """
      : 'theirs' has a built-in policy and cannot be simulated; add 'mode: [simulate, execute]'
      """),
    Case(
      "{preset: ap}",
      ".preset: unknown preset 'ap'; did you mean 'app'? ('larder list caches' lists them all)"),
    Case(
      "{preset: app, kind: memory}",
      ": 'kind' is set by the preset; only 'name' and 'admission' may be given with 'preset'"
    ),
    Case(
      "{kind: memory, memory: {objects: 0}}",
      ".memory.objects: expected a whole number from 1 to 4294967294, found '0'"),
    Case("{name: x}", ": key 'kind' is missing"),
    Case(
      "{kind: disk, placement: by-lifetime}",
      ": 'placement' does not apply here: a disk cache has no second tier"),
    Case(
      "{kind: hybrid, placement: by-life}",
      """
      .placement: expected 'by-lifetime', or a map such as {memory-only-below: 5m, \
      disk-only-from: 1h}, found 'by-life'
      """),
    Case(
      "{kind: hybrid, placement: {memory-only-below: 2h}}",
      """
      .placement: 'memory-only-below' (7200 s) is above 'disk-only-from' (3600 s): nothing would \
      be stored in both tiers
      """),
  ])
  func configurationErrors(_ example: Case) throws {
    let yaml = Case.start + "configurations: \(example.yaml)\n"
    let message = try #require(Case.message(yaml, checks: Self.checks))
    let place = message.contains("cannot be simulated") ? "" : "configurations"
    let expected = place.isEmpty ? String(example.message.dropFirst(2)) : example.message
    #expect(message == "w.yaml:4: \(place)\(expected)")
  }
}
