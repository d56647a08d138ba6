import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments

/// The JSON Schema agrees with the decoder.
@Suite struct WorkloadSchemaTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
  }

  private static func schema() throws -> JSONValue {
    try JSONValue(json: text("Workloads/workload.schema.json"))
  }

  /// A workload with all kinds of maps, and the path to one of each.
  private static let example = """
    {"name": "x", "description": "y", "unit": "objects", "ignore-size": true,
     "source": {"phases": [
       {"trace": ["a", "b"], "format": "csv", "max-bad": "2%", "sample": "1/100"},
       {"generator": "zipf", "requests": 10, "sizes": {"distribution": "constant"}, "ttl": "1h",
        "operations": {"get": 1, "set": 0, "delete": 0, "modify": 0}, "rate": 5},
       {"mix": [{"weight": 1, "source": {"trace": "b"}}], "requests": 5, "shared-keys": true}],
      "shared-keys": false},
     "configurations": [{"kind": "hybrid", "name": "h",
       "memory": {"policy": "lru", "share": "10%", "ttl": 5, "objects": 7},
       "disk": {"policy": "lru", "capacity": 10, "ttl": 5, "objects": 70,
         "drive": {"endurance": "600TB", "utilisation": "50%"}},
       "inclusion": "exclusive", "promotion": "never", "cache": "larder",
       "prefix": {"order": "tail", "prefill": "8k tokens/s"},
       "placement": {"memory-only-below": "2s", "disk-only-from": "1h"}},
       {"kind": "hybrid", "name": "m", "memory": {"capacity": 5},
        "time": {"fetch": "5ms", "disk": "1ms", "bandwidth": "1MB/s", "servers": 2,
          "coalescing": true}},
       {"kind": "memory", "name": "p", "cache": {"process": ["a", "{unit}"], "timeout": "5s"}}],
     "policies": ["lru"], "capacities": [10], "seeds": [1], "warm-up": "none", "prefix": {},
     "latency": {
       "memory": {"distribution": "constant", "value": "1us", "per-byte": "1ns"},
       "disk": {"distribution": "normal", "mean": "1us", "deviation": "1us",
         "throughput": "1MB/s"},
       "origin": {"distribution": "list", "values": ["1ms"]}},
     "repetitions": 1, "mode": ["simulate", "execute"], "reports": ["counts"],
     "execute": {"threads": [1, 2], "load": {"trace": "2x"}, "origin": "wait", "verify": "header",
       "value-size": 100, "page-cache": "warm", "durability": "none", "inline": "20KiB",
       "hashing": "fast", "shards": 4, "pressure": [{"at": "50%", "level": "warning"}],
       "configurations": ["h"], "policies": ["lru"], "capacities": [10]},
     "advise": {"capacities": [10], "tiers": "auto", "prices": "p.yaml", "learn": "20%",
       "max-requests": "20M"},
     "check": {"exact": true, "tolerance": {"hit_ratio": 0.001, "evictions": "1%"},
       "resources": {"memory_bytes_per_object": "2%", "disk_bytes": 0.1},
       "timed": {"configurations": ["h"], "policies": ["lru"], "capacities": [10]}},
     "require": {"hit_ratio": ">= 60 %"}}
    """

  /// The example with several traces, which exclude other sources.
  private static let severalTraces = """
    {"traces": ["a", ["b", "c"], {"generator": "loop", "requests": 3}],
     "format": "csv", "max-bad": 0.5, "sample": 0.5}
    """

  private static func example(for table: any KeyTable) throws -> JSONValue {
    let example = try JSONValue(json: example)
    guard table.name == WorkloadKeys.traces.name else { return example }
    return example.replacing(["source"], with: try JSONValue(json: severalTraces))
  }

  private static let places: [String: [String]] = [
    "workload": [], "phases": ["source"], "trace": ["source", "phases", "0"],
    "generator": ["source", "phases", "1"],
    "distribution": ["source", "phases", "1", "sizes"],
    "operations": ["source", "phases", "1", "operations"], "mix": ["source", "phases", "2"],
    "mix-part": ["source", "phases", "2", "mix", "0"], "configuration": ["configurations", "0"],
    "memory-tier": ["configurations", "0", "memory"],
    "disk-tier": ["configurations", "0", "disk"], "latency": ["latency"],
    "placement": ["configurations", "0", "placement"],
    "execute": ["execute"], "load": ["execute", "load"],
    "pressure": ["execute", "pressure", "0"], "check": ["check"],
    "tolerance": ["check", "tolerance"], "resources": ["check", "resources"],
    "timed": ["check", "timed"], "require": ["require"],
    "latency-constant": ["latency", "memory"], "latency-normal": ["latency", "disk"],
    "latency-list": ["latency", "origin"], "traces": ["source"], "advise": ["advise"],
    "fetches": ["configurations", "1", "time"], "prefix": ["configurations", "0", "prefix"],
    "drive": ["configurations", "0", "disk", "drive"], "process": ["configurations", "2", "cache"],
  ]

  private static let samples: [(types: Set<String>, value: JSONValue)] = [
    (["string"], .string("banana")), (["string"], .string("zipf")), (["string"], .string("1MB")),
    (["string"], .string("5ms")),
    (["string"], .string("2x")),
    (["string"], .string("10%")), (["string"], .string("simulate")), (["string"], .string("")),
    (["string"], .string("memory")), (["string"], .string("1MB/s")),
    (["string"], .string("5 tokens/s")), (["string"], .string("lru:10")),
    (["string"], .string(">= 1")),
    (["string"], .string("<= 5ms")), (["string"], .string("<= 2 TB")),
    (["integer", "number"], .number(3)), (["integer", "number"], .number(2)),
    (["integer", "number"], .number(0)), (["integer", "number"], .number(-1)),
    (["number"], .number(0.5)),
    (["boolean"], .bool(true)), (["array"], .array([])), (["array"], .array([.string("10")])),
    (["array"], .array([.number(2)])), (["array"], .array([.string("5ms")])),
    (["array"], .array([.bool(true)])), (["array"], .array([.array([])])),
    (["object"], .object([:])), (["object"], .object(["banana": .number(1)])), ([], .null),
  ]

  private static let dependent = [
    "distribution", "kind", "phases", "mix", "get", "preset", "configurations", "policies",
    "capacities", "at", "rate", "pressure", "region", "reinsert-hits", "log", "threshold",
    "segment", "policy", "address", "origin",
  ]

  /// All policies and formats are accepted; generators are those of the schema.
  private static let checks: ComponentChecks = {
    var checks = ComponentChecks.none
    checks.generator = Stand.checks.generator
    return checks
  }()

  private func decodes(_ value: JSONValue) -> Bool {
    (try? WorkloadDecoder(checks: Self.checks).decode(Data(value.text.utf8), file: "w.json")) != nil
  }

  /// Every key is removed, and set to values of every type. Both reject wrong types, and the schema
  /// accepts all values that the decoder accepts.
  @Test func schemaAndDecoderAgreeOnEveryKey() throws {
    let validator = SchemaValidator(root: try Self.schema())
    let example = try JSONValue(json: Self.example)
    #expect(decodes(example))
    #expect(try validator.accepts(example))
    for table in WorkloadKeys.all where table.name != "latency-log-normal" {
      let place = try #require(Self.places[table.name], "\(table.name)")
      for key in table.rows {
        // Removes an excluded key.
        var base = try Self.example(for: table)
        if table.name == "memory-tier", key.name == "capacity" {
          base = base.replacing((place + ["share"])[...], with: nil)
        }
        if table.name == "configuration", key.name == "name" {
          base = base.replacing(["execute", "configurations"][...], with: nil)
          base = base.replacing(["check", "timed", "configurations"][...], with: nil)
        }
        for (mine, other) in [("throughput", "per-byte"), ("per-byte", "throughput")]
        where key.name == mine {
          base = base.replacing((place + [other])[...], with: nil)
        }
        let path = (place + [key.name])[...]
        var accepted = 0
        for sample in Self.samples {
          let changed = base.replacing(path, with: sample.value)
          let isTaken = decodes(changed)
          let isValid = try validator.accepts(changed)
          accepted += isTaken ? 1 : 0
          if Set(key.types.map(\.rawValue)).isDisjoint(with: sample.types) {
            #expect(!isTaken, "\(path) \(sample.value)")
            #expect(!isValid, "\(path) \(sample.value)")
          } else if isTaken {
            #expect(isValid, "\(path) \(sample.value)")
          }
        }
        // Maps, and values that depend on other keys, are accepted only in their place.
        if key.types != [.object], !Self.dependent.contains(key.name) {
          #expect(accepted > 0 || !key.choices.isEmpty, "\(path) takes nothing")
        }
        let without = base.replacing(path, with: nil)
        // A configuration has a kind or a preset, a load one of its two keys.
        let isNeeded =
          key.isRequired
          || ["configuration.kind", "load.trace"].contains("\(table.name).\(key.name)")
        #expect(try validator.accepts(without) != isNeeded, "without \(path)")
        if isNeeded { #expect(!decodes(without), "without \(path)") }
      }
    }
  }

  @Test func schemaAndDecoderRejectUnknownKeys() throws {
    let validator = SchemaValidator(root: try Self.schema())
    for table in WorkloadKeys.all where table.name != "latency-log-normal" {
      let place = try #require(Self.places[table.name])
      let changed = try Self.example(for: table)
        .replacing((place + ["banana"])[...], with: .number(1))
      #expect(!decodes(changed), "\(table.name)")
      #expect(try !validator.accepts(changed), "\(table.name)")
    }
  }

  /// Files shipped with Larder: the decoder reads them, they are valid by the schema, and their
  /// first line tells editors the path of the schema.
  @Test func shippedWorkloadsAreValid() throws {
    let folder = Self.repository.appendingPathComponent("Workloads")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".yaml") }
    let expected =
      [
        "zipf", "sequential", "news-feed", "product-images", "chat", "scan-resistance", "caches",
        "designs", "ci", "ci-caches", "llm-prefix", "segments",
        "time", "changing",
      ]
      + "abcdef".map { "ycsb-\($0)" }
    #expect(Set(files) == Set(expected.map { "\($0).yaml" }))
    let validator = SchemaValidator(root: try Self.schema())
    for file in files {
      let path = folder.appendingPathComponent(file).path
      let workload = try WorkloadDecoder(checks: Stand.checks).decode(contentsOf: path)
      #expect("\(workload.name).yaml" == file)
      #expect(!workload.description.isEmpty)
      let text = try Self.text("Workloads/\(file)")
      #expect(text.hasPrefix("# yaml-language-server: $schema=workload.schema.json\n"))
      #expect(try validator.accepts(JSONValue(yaml: text)), "\(file)")
    }
  }
}
