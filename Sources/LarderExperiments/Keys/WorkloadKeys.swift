import LarderEngine
import LarderPolicies
import LarderTraces

/// All keys of a workload file, the source of the decoder, the JSON schema and docs/workloads.md.
enum WorkloadKeys {
  static let all: [any KeyTable] =
    [
      workload, trace, traces, generator, phases, mix, mixPart, distribution, operations,
      configuration, process, placement, memoryTier, diskTier, latency,
    ] + latencyShapes.map(\.section) + [
      execute, load, pressure, check, tolerance, resources, timed, advise, require, time, prefix,
      drive,
    ]

  static let workload = Section<WorkloadReading>(
    "workload", "A stream of requests, and the caches, policies and capacities to test with it.",
    expected: "a map with the key 'source'",
    keys: sourceKeys + runKeys + partKeys,
    finish: { map, reading, _ in try checkSweep(map, &reading.workload) })

  private static let sourceKeys: [Key<WorkloadReading>] = [
    Key(
      "name", .name, \.workload.name,
      "name in results, and of the results folder: letters, digits, `-`, `_`, `.`",
      default: "the file's name", example: "news-feed"),
    Key(
      "description", .text("a text"), "description of the workload, for the report",
      default: "none", example: "Readers of a news app."
    ) { text, reading, _ in reading.workload.description = String(text.trimmed) },
    Key(
      "source", sources, "the source of the requests: see [sources](#sources)",
      example: "{trace: log.csv.gz}"
    ) { sources, reading, _ in
      reading.workload.source = sources[0]
      reading.workload.moreSources = Array(sources.dropFirst())
    },
    Key(
      "unit", .choice(), \.workload.unit,
      "unit of capacities: `objects`, each counted as size 1, or `bytes`",
      default: "`bytes` if the source has sizes, else `objects`", example: "objects"),
    Key(
      "ignore-size", .boolean,
      "`true` is equivalent to `unit: objects`; named like the command-line option",
      default: "`false`", example: "true"
    ) { isIgnored, reading, value in
      guard isIgnored else { return }
      guard reading.workload.unit != .bytes else {
        throw value.refused("'ignore-size' and 'unit: bytes' exclude each other; remove one")
      }
      reading.workload.unit = .objects
    },
    Key(
      "configurations", configurations, \.workload.configurations,
      "the caches, one or a list: `memory`, `disk`, `hybrid` or a map, see "
        + "[configurations](#configurations)",
      default: "`memory`", example: "[memory, hybrid]"),
    Key(
      "policies", .list(of: policyOrAll, "policies"),
      "the policies to try in every tier that does not name one, with parameters after colons, "
        + "`name:*` for all configurations that a policy declares, or `all`, without learned ones "
        + "and `pfoo-*` (`larder list policies`)",
      default: "required, unless all tiers name a policy", example: #"[lru, "s3-fifo:small=0.2"]"#
    ) { policies, reading, _ in reading.workload.policies = policies.flatMap { $0 } },
    Key(
      "capacities", .list(of: sweptCapacity, "capacities"), \.workload.capacities,
      "the capacities to try: see [capacities](#capacities)",
      default: "required, unless all configurations have one", example: "[1%, 10%, 64MiB]"),
  ]

  private static let policyOrAll = Form<[PolicySpec]>(
    .proposing(["all"] + PolicyRegistry.standard.map(\.description.name), as: "policy-or-all")
  ) { value, reading in
    let text = String(try value.text(expected: "the name of a policy").trimmed)
    if text == "all" {
      return try PolicyRegistry.all.map { try PolicySpec(parsing: $0.description.name) }
    }
    guard text.hasSuffix(":*") else { return [try Form<PolicySpec>.policy.read(value, reading)] }
    let specs = try PolicySpec.list(parsing: text)
    for spec in specs { try reading.checks.policy(spec) }
    return specs
  }

  private static let sweptCapacity = Form<CapacitySpec>(Form.capacity.shape) { value, reading in
    let capacity = try Form.capacity.read(value, reading)
    reading.workload.lines.capacities[capacity.description] = value.line
    return capacity
  }

  private static let runKeys: [Key<WorkloadReading>] = [
    Key(
      "seeds", .list(of: .whole(0...UInt64.max), "whole numbers"), \.workload.seeds,
      "each seed makes a separate trace from a generator, and seeds random policies. For a trace "
        + "file, only random policies are repeated",
      default: "`[1]`", example: "[1, 2, 3]"),
    Key(
      "warm-up", warmUp, \.workload.warmUp,
      "requests replayed before counting starts: `none`, a number of requests, a share, or "
        + "`until-full` (up to the first eviction; in a hybrid, from disk)",
      default: "`none`", example: "10%"),
    Key(
      "prefix", .map(prefix, into: PrefixSpec()), \.workload.prefix,
      "requests are blocks of prompts of a language model: see [prefixes](#prefixes). Applies to "
        + "simulated configurations without `prefix` or `time`",
      default: "none", example: "{order: tail}"),
    Key(
      "latency", .map(latency, into: LatencyModel(origin: .init())), \.workload.latency,
      "the cost of an access, for modelled access times: see [latency](#latency)",
      default: "no access times", example: "{memory: 1us, origin: 80ms}"),
    Key(
      "repetitions", .whole(1...1000), \.workload.repetitions,
      "number of timed repetitions of each cell, 1 to 1000; counts are equal in all",
      default: "`1`", example: "5"),
    Key(
      "mode", .list(of: .choice(), "modes"), \.workload.modes,
      "`simulate`: policies without keys and values; `execute`: real caches with real bytes; or "
        + "both",
      default: "`simulate`", example: "[simulate, execute]"),
  ]

  private static let warmUp = Form<WarmUp>.scalar(
    "none, a number of requests, a share such as 10%, or until-full",
    .words(["none", "until-full"]).or(.share)
      .or(ValueShape([.integer], ["type": "integer", "minimum": 0])).or(Form<UInt64>.count.shape),
    [.string, .integer, .number]
  ) { text in
    if text == "none" { return WarmUp.none }
    if text == "until-full" { return .untilFull }
    if let requests = Quantity.count.amount(text) {
      return requests == 0 ? WarmUp.none : .requests(requests)
    }
    guard let share = Share(parsing: text), share.parts < share.whole else { return nil }
    return share.parts == 0 ? WarmUp.none : .share(share)
  }

  private static let partKeys: [Key<WorkloadReading>] = [
    Key(
      "execute", .map(execute, into: ExecutionSpec()), \.workload.execution,
      "execution of real caches: load, threads and selected cells: see [executing](#executing)",
      default: "see there", example: "{threads: [1, 2]}"),
    Key(
      "check", .map(check, into: CheckSpec()), \.workload.check,
      "changes that `larder check` tolerates, and the cells that it times: see "
        + "[checking](#checking)",
      default: "no tolerance, everything is timed", example: "{tolerance: {hit_ratio: 0.001}}"),
    Key(
      "advise", adviseOrNot,
      "recommendation for each trace, printed first by `larder run`: `true` or a map, "
        + "see [advice](#advice)",
      default: "none", example: "{capacities: 64MiB, prices: prices.yaml}"
    ) { settings, reading, _ in reading.workload.advise = settings },
    Key(
      "current", current,
      "the cache that runs today, which advice compares with and stays within: server, policy and "
        + "size: see [advice](advise.md#today)",
      default: "LRU", example: "redis:allkeys-lru:4GiB"
    ) { cache, reading, _ in reading.workload.setCurrent(cache) },
    Key(
      "require", .list(of: .map(require, into: Requirements()), "requirements"),
      "limits of figures; `larder run` and `larder check` exit with 1 if a cell misses one: a map "
        + "or a list of maps, see [requirements](#requirements)",
      default: "none", example: #"{hit_ratio: ">= 60 %"}"#
    ) { all, reading, _ in reading.workload.requirements = all },
    Key(
      "reports", .list(of: .choice(listed: ReportKind.standard), "reports"), \.workload.reports,
      "the files to write: "
        + ReportKind.standard.map { "`\($0.rawValue)` (\($0.files))" }.joined(separator: ", "),
      default: "all", example: "[counts, markdown]"),
  ]

  private static let current = Form<CurrentCache>(
    ValueShape([.string], ["type": "string"])
  ) { value, _ in
    try CurrentCache(parsing: try value.text(expected: CurrentCache.forms))
  }

  private static func checkSweep(_ map: YAMLMap, _ workload: inout Workload) throws {
    for index in workload.configurations.indices {
      let spec = workload.configurations[index]
      guard spec.prefix == nil, spec.time == nil, spec.runsPolicies, spec.server == nil else {
        continue
      }
      workload.configurations[index].prefix = workload.prefix
    }
    let servers = workload.configurations.filter { $0.server != nil }.map(\.name)
    if !servers.isEmpty, map["mode"] == nil {
      // A server is there to be run; the rest is simulated as it is without one.
      workload.modes = [.simulate, .execute]
      workload.execution = workload.execution ?? ExecutionSpec()
      let chosen = workload.execution?.filter.configurations
      workload.execution?.filter.configurations = chosen ?? servers
    }
    let limits = workload.requirements.flatMap(\.limits)
    if !workload.modes.contains(.execute), let limit = limits.first(where: \.figure.isExecuted) {
      throw map.refused(
        "require",
        "'\(limit.figure.rawValue)' is measured in real caches; add 'mode: [simulate, execute]'")
    }
    workload.lines.unit = map.line(of: "unit") ?? map.line(of: "ignore-size")
    let open = workload.configurations
    if map["policies"] == nil, let open = open.first(where: \.sweepsPolicies) {
      throw map.missing("policies", because: "configuration '\(open.name)' does not name a policy")
    }
    if map["capacities"] == nil, let open = open.first(where: \.sweepsCapacities) {
      throw map.missing(
        "capacities", because: "configuration '\(open.name)' does not set a capacity")
    }
    if !workload.modes.contains(.execute), let own = open.first(where: { !$0.runsPolicies }) {
      throw map.error(
        at: workload.lines.configurations[own.name],
        .refused(
          "'\(own.contender)' has a built-in policy and cannot be simulated; add "
            + "'mode: [simulate, execute]'"))
    }
  }
}

extension WorkloadKeys {
  static let time = Section<FetchSpec>(
    "fetches", "Fetches take time: requests for an object in flight wait for its fetch.",
    expected: "a map such as {fetch: 100ms, servers: 8}",
    keys: [
      Key(
        "fetch", fetch,
        "duration of a fetch from the origin: a time, a list of times, a distribution as in "
          + "[latency](#latency) (drawn for each fetch by seed, the same for every policy), or a "
          + "number of requests, for traces without times", example: "100ms"
      ) { read, spec, _ in (spec.fetch, spec.clock) = (read.fetch, read.clock) },
      Key(
        "disk", fetch,
        "kinds `disk` and `hybrid`: duration of a read from disk, in the forms of `fetch`; the "
          + "object is in flight during the read", default: "hits on disk do not wait",
        example: "100us"
      ) { read, spec, _ in spec.setDiskRead(read) },
      Key(
        "bandwidth",
        .scalar(
          "bytes per second such as 100MB/s",
          .text(#"[0-9][0-9_]*(\.[0-9]+)? ?([KkMmGgTt][Ii]?)?[Bb]/s"#),
          parse: FetchSpec.bandwidth), \.bytesPerSecond,
        "bytes per second of one fetch, in addition to `fetch`", default: "no limit",
        example: "100MB/s"),
      Key(
        "servers", .whole(1...FetchModel.serversMax), \.servers,
        "fetches that the origin serves at the same time; others wait in one queue",
        default: "no limit", example: "8"),
      Key(
        "coalescing", .boolean, \.coalesces,
        "`true`: requests for an object in flight wait for that fetch (delayed hits); otherwise "
          + "each makes its own", default: "`true`", example: "false"),
    ])

  private static let fetch = Form<FetchSpec>(
    access.shape.or(.text(#"[0-9][0-9_]* ?requests"#))
  ) { value, reading in
    if value.type == .string,
      let spec = FetchSpec.fetch(parsing: try value.text(expected: "a time"))
    {
      return spec
    }
    let latency = try access.read(value, reading)
    guard latency.nanosecondsPerByte == 0 else {
      throw value.refused(
        "'per-byte' and 'throughput' do not apply here; fetches may have 'bandwidth'")
    }
    return FetchSpec(fetch: latency.base)
  }

  static let prefix = Section<PrefixSpec>(
    "prefix", "Requests are blocks of prompts, and hits count from the front of a prompt.",
    expected: "a map such as {order: tail, prefill: 8000 tokens/s}",
    keys: [
      Key(
        "order", .choice(), \.order,
        "the order in which the blocks of a prompt are requested: `front`, as listed, or `tail`, "
          + "the last one first, so that LRU evicts the front of a prompt last",
        default: "`front`", example: "tail"),
      Key(
        "prefill",
        .scalar(
          "tokens per second such as 8000 tokens/s",
          .text(#"[0-9][0-9_]*(\.[0-9]+)?(k|K|M|G|e[0-9]+)? ?tokens/s"#),
          parse: PrefixSpec.prefill), \.prefillTokensPerSecond,
        "tokens that the model reads per second when it computes a prompt, from which the report "
          + "estimates the time to the first token",
        default: "none; the report counts tokens only", example: "8000 tokens/s"),
    ])
}

extension WorkloadKeys {
  static let advise = Section<AdviceSettings>(
    "advise", "Recommendation for each trace.",
    expected: "true, or a map such as {capacities: 64MiB, prices: prices.yaml}",
    keys: [
      Key(
        "capacities", .list(of: .capacity, "capacities"), \.capacities,
        "the capacities to search", default: "`1%`, `3%`, `10%` and `30%`", example: "[64MiB, 1GiB]"
      ),
      Key(
        "tiers", .choice(), \.tiers,
        "tiers of the design: `memory`, `disk`, `hybrid` (memory in front of a disk of the "
          + "capacity), or `auto` (memory, and if a disk behind it pays)",
        default: "`auto`", example: "hybrid"),
      Key(
        "prices", .text("the path of a file with prices"), \.pricesFile,
        "file with prices, relative to the folder of the workload file: see "
          + "[money](advise.md#prices)", default: "the example values", example: "prices.yaml"),
      Key(
        "learn",
        Form<Share?>.scalar(
          "a share above 0% and below 100%, such as 50%, or 'whole'",
          .words(["whole"]).or(.share), [.string, .number], parse: AdviceSettings.learned),
        "share of the requests used to choose designs; the rest are used to score them. `whole`: "
          + "both use all requests", default: "`50%`", example: "20%"
      ) { share, settings, _ in settings.learned = share },
      Key(
        "max-requests", Form<Int>.count, "largest number of requests that the search replays",
        default: "80M for each capacity, 240M for more than three, and 100M for the rest",
        example: "200M"
      ) { count, settings, _ in settings.requestsMax = Double(count) },
    ])

  private static let adviseOrNot = Form<AdviceSettings?>(
    Form<Bool>.boolean.shape.or(.map(advise))
  ) { value, reading in
    guard value.type == .boolean else { return try advise.read(value, into: .init(), reading) }
    return try value.boolean() ? AdviceSettings() : nil
  }

  static let check = Section<CheckSpec>(
    "check", "Tolerances of larder check, and the cells that it times.",
    expected: "a map with the keys exact, tolerance, resources and timed",
    keys: [
      Key(
        "exact", .boolean, \.isExact,
        "`true`: every change of a count fails, improvements included, for policies whose counts "
          + "must not change", default: "`false`", example: "true"),
      Key(
        "tolerance", .map(tolerance, into: [:]), \.tolerances, "tolerated changes of counts",
        default: "no tolerance", example: "{hit_ratio: 0.001}"),
      Key(
        "resources", .map(resources, into: [:]), \.resources,
        "tolerated changes of memory and disk of executed cells, and of instructions",
        default: "5% of memory and disk, 1% of instructions",
        example: "{memory_bytes_per_object: 2%}"),
      Key(
        "timed", .map(timed, into: ExecutionFilter()), \.timed,
        "the cells that are timed with `--against`", default: "all", example: "{policies: lru}"),
    ])

  static let tolerance = Section<[CheckTolerance: Share]>(
    "tolerance", "Tolerated changes of counts.", expected: "a map such as {hit_ratio: 0.001}",
    keys: CheckTolerance.allCases.map { count in
      let isRatio = count.rawValue.hasSuffix("_ratio")
      let words = count.rawValue.replacing("_", with: " ")
      return Key(
        count.rawValue, .share("difference", from: true),
        isRatio
          ? "absolute difference of the \(words)" + (count == .hitRatio ? ", also by tier" : "")
          : "relative change of \(words)",
        default: "`0`", example: isRatio ? "0.001" : "1%"
      ) { share, tolerances, _ in tolerances[count] = share }
    })

  static let resources = Section<[CheckResource: Share]>(
    "resources", "Tolerated changes of memory, disk and instructions.",
    expected: "a map such as {memory_bytes_per_object: 2%}",
    keys: CheckResource.allCases.map { resource in
      Key(
        resource.rawValue, .share("difference", from: true),
        "relative change of \(resource.meaning)",
        default: "`\(resource.threshold)`", example: "2%"
      ) { share, thresholds, _ in thresholds[resource] = share }
    })

  static let require = Section<Requirements>(
    "require", "Limits of figures.", expected: #"a map such as {hit_ratio: ">= 60 %"}"#,
    keys: RequiredFigure.allCases.map { figure in
      let expected = "a limit such as \(figure.example)"
      let shape = ValueShape.text("[<>]= ?" + figure.pattern)
      let form = Form<Requirement>.scalar(expected, shape) { Requirement(figure, parsing: $0) }
      return Key(
        figure.rawValue, form, figure.meaning, default: "none", example: "\"\(figure.example)\""
      ) { limit, requirements, _ in requirements.limits.append(limit) }
    }
      + filterKeys("limited", default: "all")
      .map { $0.within(\Requirements.filter) })

  static let timed = Section<ExecutionFilter>(
    "timed", "The cells that are timed.", expected: "a map such as {policies: [lru]}",
    keys: filterKeys("timed", default: "all"))
}

extension RequiredFigure {
  fileprivate var pattern: String {
    if isRatio { return Share.pattern }
    return (isTime ? Quantity.duration : isBytes ? .bytes : .count).pattern
  }

  fileprivate var meaning: String {
    switch self {
    case .hitRatio: "hits per request, without stale ones"
    case .byteHitRatio: "bytes hit per byte requested"
    case .getP99: "99th percentile of gets, in the slowest run"
    case .getP999: "99.9th percentile of gets"
    case .requestsPerSecond: "requests per second, in the slowest run"
    case .memoryBytesPerObject: "memory of an object, in the largest run"
    case .bytesWrittenPerDay: "bytes written to a simulated disk, at the trace's times"
    }
  }
}

extension CheckResource {
  fileprivate var meaning: String {
    switch self {
    case .memoryBytesPerObject: "the memory of each object"
    case .diskBytes: "the bytes of all files"
    case .bytesWritten: "the bytes passed to the system's write calls"
    case .files: "the number of files"
    case .instructionsPerRequest: "the instructions of a request"
    }
  }
}
