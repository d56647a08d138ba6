import LarderEngine
import LarderTraces

/// Every key of a workload file. The decoder, the JSON schema and docs/workloads.md come from here.
package enum WorkloadKeys {
  /// The tables of all kinds of maps, the file itself first.
  package static let all: [KeyTable] =
    [
      workload.table, trace.table, traces.table, generator.table, phases.table, mix.table,
      mixPart.table,
      distribution.table, operations.table, configuration.table, process.table,
      placement.table,
      memoryTier.table, diskTier.table, latency.table,
    ] + latencyShapes.map(\.section.table) + [
      execute.table, load.table, pressure.table, check.table, tolerance.table, resources.table,
      timed.table,
      advise.table, time.table, prefix.table, drive.table,
    ]

  /// The file itself.
  static let workload = Section<WorkloadReading>(
    "workload", "A stream of requests, and the caches, policies and capacities to send it through.",
    expected: "a map with the key 'source'",
    keys: sourceKeys + runKeys + partKeys,
    finish: { map, reading, _ in try checkSweep(map, &reading.workload) })

  /// What is run.
  private static let sourceKeys: [Key<WorkloadReading>] = [
    Key(
      "name", .name, \.workload.name,
      "name in results, and of the results folder: letters, digits, `-`, `_`, `.`",
      default: "the file's name", example: "news-feed"),
    Key(
      "description", .text("a text"),
      "what the workload represents, for the report",
      default: "none", example: "Readers of a news app."
    ) { text, reading, _ in reading.workload.description = String(text.trimmed) },
    Key(
      "source", .workloadSources,
      "the source of the requests: see [sources](#sources)",
      default: .required, example: "{trace: log.csv.gz}"
    ) { sources, reading, _ in
      reading.workload.source = sources[0]
      reading.workload.moreSources = Array(sources.dropFirst())
    },
    Key(
      "unit", .choice(), \.workload.unit,
      "unit of capacities: `objects`, each of size 1 whatever the trace says, or `bytes`",
      default: "`bytes` if the source has sizes, else `objects`", example: "objects"),
    Key(
      "ignore-size", .boolean,
      "`true` is the same as `unit: objects`, under the name of the command-line option",
      default: "`false`", example: "true"
    ) { isIgnored, reading, value in
      guard isIgnored else { return }
      guard reading.workload.unit != .bytes else {
        throw value.error(
          .refused("'ignore-size' and 'unit: bytes' exclude each other; remove one"))
      }
      reading.workload.unit = .objects
    },
    Key(
      "configurations", .configurations, \.workload.configurations,
      "the caches, one or a list: `memory`, `disk`, `hybrid` or a map, see "
        + "[configurations](#configurations)",
      default: "`memory`", example: "[memory, hybrid]"),
    Key(
      "policies", .list(of: .policyOrAll, "policies"),
      "the policies to try in every tier that does not name one, with parameters after colons, "
        + "`name:*` for all "
        + "configurations that a policy declares, or `all`; `larder policies` lists them",
      default: "required, unless all tiers name a policy", example: #"[lru, "s3-fifo:small=0.2"]"#
    ) { policies, reading, _ in reading.workload.policies = policies.flatMap { $0 } },
    Key(
      "capacities", .sweptCapacities, \.workload.capacities,
      "the capacities to try: see [capacities](#capacities)",
      default: "required, unless all configurations have one", example: "[1%, 10%, 64MiB]"),
  ]

  /// How cells are run.
  private static let runKeys: [Key<WorkloadReading>] = [
    Key(
      "seeds", .list(of: .whole(0...UInt64.max), "whole numbers"), \.workload.seeds,
      "each seed makes a separate trace from a generator, and seeds random policies. For a trace "
        + "file, only random policies are repeated",
      default: "`[1]`", example: "[1, 2, 3]"),
    Key(
      "warm-up", .warmUp, \.workload.warmUp,
      "what is replayed before counting starts: `none`, a number of requests, a share, or "
        + "`until-full` (up to the first eviction; in a hybrid, from disk)",
      default: "`none`", example: "10%"),
    Key(
      "prefix", .map(prefix, into: PrefixSpec()), \.workload.prefix,
      "requests are blocks of prompts of a language model: see [prefixes](#prefixes). Applies to "
        + "simulated configurations without `prefix` or `time`",
      default: "none", example: "{order: tail}"),
    Key(
      "latency", .latency, \.workload.latency,
      "the cost of an access, for modelled access times: see [latency](#latency)",
      default: "no access times", example: "{memory: 1us, origin: 80ms}"),
    Key(
      "repetitions", .whole(1...1000), \.workload.repetitions,
      "how many times each cell is timed, 1 to 1000; counts are the same each time",
      default: "`1`", example: "5"),
    Key(
      "mode", .list(of: .choice(), "modes"), \.workload.modes,
      "`simulate`: policies without keys and values; `execute`: real caches with real bytes; or "
        + "both",
      default: "`simulate`", example: "[simulate, execute]"),
  ]

  /// What has keys of its own, or decides what is written.
  private static let partKeys: [Key<WorkloadReading>] = [
    Key(
      "execute", .map(execute, into: ExecuteEntry()),
      "how real caches are driven, and which ones: see [executing](#executing)",
      default: "see there", example: "{threads: [1, 2]}"
    ) { entry, reading, _ in
      reading.workload.execution = entry.spec
      reading.workload.executed = entry.filter
    },
    Key(
      "check", .map(check, into: CheckSpec()), \.workload.check,
      "which changes `larder check` tolerates, and what it times: see [checking](#checking)",
      default: "no tolerance, everything is timed", example: "{tolerance: {hit_ratio: 0.001}}"),
    Key(
      "advise", .advise,
      "the decision to make for each trace, first in the output of `larder run`: `true` or a map, "
        + "see [advice](#advice)",
      default: "none", example: "{capacities: 64MiB, prices: prices.yaml}"
    ) { spec, reading, _ in reading.workload.advise = spec },
    Key(
      "reports", .list(of: .choice(listed: ReportKind.standard), "reports"), \.workload.reports,
      "the files to write: "
        + ReportKind.standard.map { "`\($0.rawValue)` (\($0.files))" }.joined(separator: ", "),
      default: "all", example: "[counts, markdown]"),
  ]

  /// What is swept must be given, and what cannot be simulated must be executed.
  private static func checkSweep(_ map: YAMLMap, _ workload: inout Workload) throws {
    if let prefix = workload.prefix {
      for index in workload.configurations.indices
      where workload.configurations[index].prefix == nil
        && workload.configurations[index].time == nil
        && workload.configurations[index].runsPolicies
      {
        workload.configurations[index].prefix = prefix
      }
    }
    workload.lines.unit = map.line(of: "unit") ?? map.line(of: "ignore-size")
    if map["policies"] == nil, let open = workload.configurations.first(where: \.sweepsPolicies) {
      throw map.missing(
        "policies", because: "configuration '\(open.name)' does not name a policy")
    }
    if map["capacities"] == nil,
      let open = workload.configurations.first(where: \.sweepsCapacities)
    {
      throw map.missing(
        "capacities", because: "configuration '\(open.name)' does not set a capacity")
    }
    guard !workload.modes.contains(.execute),
      let own = workload.configurations.first(where: { !$0.runsPolicies })
    else { return }
    throw map.error(
      at: workload.lines.configurations[own.name],
      .refused(
        "'\(own.contender)' has a built-in policy and cannot be simulated; add "
          + "'mode: [simulate, execute]'"))
  }
}

extension Form where Value == [CapacitySpec] {
  /// The capacities of the workload; their lines are kept for errors that only a trace reveals.
  fileprivate static var sweptCapacities: Form {
    let form = Form<CapacitySpec>.capacity
    let swept = Form<CapacitySpec>(form.shape) { value, reading in
      let capacity = try form.read(value, reading)
      reading.workload.lines.capacities[capacity.description] = value.line
      return capacity
    }
    return .list(of: swept, "capacities")
  }
}
