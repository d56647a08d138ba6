import LarderEngine
import LarderTraces

/// Every kind of map in a workload file.
package enum WorkloadKeys {
  /// The file itself.
  package static let workload = KeyTable(
    "workload",
    .init("name", .string),
    .init("description", .string),
    .init("source", .object, required: true),
    .init("unit", .string, choices: CapacityUnit.allCases.map(\.rawValue)),
    .init("ignore-size", .boolean),
    .init(
      "configurations", .array, .object, .string,
      choices: ConfigurationKind.allCases.map(\.rawValue)),
    .init("policies", .array, .string),
    .init("capacities", .array, .string, .integer),
    .init("seeds", .array, .integer),
    .init("warm-up", .string, .integer),
    .init("latency", .object),
    .init("repetitions", .integer),
    .init("mode", .array, .string, choices: RunMode.allCases.map(\.rawValue)),
    .init("execute", .object),
    .init("check", .object),
    .init("reports", .array, .string, choices: ReportKind.standard.map(\.rawValue)))

  /// A source that is a trace file.
  package static let trace = KeyTable(
    "trace",
    .init("trace", .string, required: true),
    .init("format", .string))

  /// A source that is generated. Further keys are the generator's parameters.
  package static let generator = KeyTable(
    "generator", isOpen: true,
    .init("generator", .string, required: true),
    .init("requests", .integer, .string, required: true),
    .init("sizes", .object, .string, .integer),
    .init("ttl", .object, .string, .integer),
    .init("operations", .object),
    .init("rate", .number))

  /// Sources one after another.
  package static let phases = KeyTable(
    "phases",
    .init("phases", .array, required: true),
    .init("shared-keys", .boolean))

  /// Sources interleaved.
  package static let mix = KeyTable(
    "mix",
    .init("mix", .array, required: true),
    .init("requests", .integer, .string, required: true),
    .init("shared-keys", .boolean))

  /// One source of a mix.
  package static let mixPart = KeyTable(
    "mix-part",
    .init("weight", .number, required: true),
    .init("source", .object, required: true))

  /// A distribution of sizes or times to live. Further keys are its parameters.
  package static let distribution = KeyTable(
    "distribution", isOpen: true,
    .init("distribution", .string, required: true))

  /// Shares of operations.
  package static let operations = KeyTable(
    "operations",
    .init("get", .number, .string),
    .init("set", .number, .string),
    .init("delete", .number, .string),
    .init("modify", .number, .string))

  /// One cache.
  package static let configuration = KeyTable(
    "configuration",
    .init("kind", .string, choices: ConfigurationKind.allCases.map(\.rawValue)),
    .init("preset", .string),
    .init("name", .string),
    .init("cache", .string),
    .init("admission", .array, .string),
    .init("memory", .object),
    .init("disk", .object),
    .init("inclusion", .string, choices: HybridRules.Inclusion.allCases.map(\.rawValue)),
    .init("promotion", .string, choices: HybridRules.Promotion.allCases.map(\.rawValue)),
    .init("placement", .object, .string, choices: [placementByLifetime]))

  /// The borders of lives between which a hybrid stores in both tiers.
  package static let placement = KeyTable(
    "placement",
    .init("memory-only-below", .string, .integer),
    .init("disk-only-from", .string, .integer))

  /// The word for the usual borders.
  static let placementByLifetime = "by-lifetime"

  /// The memory tier of a configuration.
  package static let memoryTier = KeyTable(
    "memory-tier",
    .init("policy", .string),
    .init("admission", .string),
    .init("capacity", .string, .integer),
    .init("objects", .string, .integer),
    .init("share", .string),
    .init("ttl", .string, .integer))

  /// The disk tier of a configuration.
  package static let diskTier = KeyTable(
    "disk-tier",
    .init("policy", .string),
    .init("admission", .string),
    .init("capacity", .string, .integer),
    .init("objects", .string, .integer),
    .init("ttl", .string, .integer))

  /// The latency model.
  package static let latency = KeyTable(
    "latency",
    .init("memory", .object, .string, .array),
    .init("disk", .object, .string, .array),
    .init("origin", .object, .string, .array, required: true))

  /// The names of the distributions of latencies, with the keys of each.
  package static let latencyDistributions: [(name: String, table: KeyTable)] = [
    ("constant", latencyPlace("latency-constant", .init("value", .string, required: true))),
    (
      "normal",
      latencyPlace(
        "latency-normal", .init("mean", .string, required: true),
        .init("deviation", .string, required: true))
    ),
    (
      "log-normal",
      latencyPlace(
        "latency-log-normal", .init("median", .string, required: true),
        .init("sigma", .number, required: true))
    ),
    ("list", latencyPlace("latency-list", .init("values", .array, .string, required: true))),
  ]

  /// All of them.
  package static let all: [KeyTable] =
    [
      workload, trace, generator, phases, mix, mixPart, distribution, operations, configuration,
      placement, memoryTier, diskTier, latency, execute, load, pressure, check, tolerance,
      timed,
    ] + latencyDistributions.map(\.table)

  private static func latencyPlace(_ name: String, _ own: KeyTable.Key...) -> KeyTable {
    KeyTable(
      name,
      keys: [.init("distribution", .string, required: true)] + own
        + [.init("per-byte", .string), .init("throughput", .string)])
  }
}
