import Larder
import LarderEngine

extension WorkloadKeys {
  static let configuration = Section<ConfigurationEntry>(
    "configuration", "One cache.",
    expected: "memory, disk, hybrid, or a map with the key 'kind' or 'preset'",
    rules: [
      "anyOf": [
        ["required": ["kind"], "not": ["required": ["preset"]]],
        [
          "required": ["cache"], "not": ["required": ["preset"]],
          "properties": ["cache": ["enum": .strings(CacheServer.allCases.map(\.rawValue))]],
        ],
        [
          "required": ["preset"],
          "propertyNames": ["enum": .strings(ConfigurationEntry.besidePreset)],
        ],
      ]
    ],
    keys: cacheKeys + ruleKeys + [
      Key(
        "time", .map(time, into: FetchSpec()), \.spec.time,
        "fetches, and reads from disk, take time: see [time](#time)",
        default: "none; a miss is filled immediately", example: "{fetch: 100ms, servers: 8}"),
      Key(
        "prefix", .map(prefix, into: PrefixSpec()), \.spec.prefix,
        "requests are blocks of prompts: see [prefixes](#prefixes). Simulated only",
        default: "that of the workload", example: "{order: tail}"),
    ],
    finish: { map, entry, reading in try entry.finish(map, reading.checks) })

  private static let cacheKeys: [Key<ConfigurationEntry>] = [
    Key(
      "kind", .choice(), "`memory`, `disk` or `hybrid`: memory in front of disk",
      default: "required without a `preset` or a server as `cache`", example: "hybrid"
    ) { kind, entry, _ in
      entry.spec = ConfigurationSpec(name: kind.rawValue, kind: kind)
    },
    Key(
      "preset",
      Form(.proposing(CachePreset.all.map(\.name), as: "preset")) { value, reading in
        try reading.checks.preset(try value.text(expected: "the name of a preset"))
      }, \.spec,
      "a known design with its tiers, limits and rules; only `name` and `admission` may be given "
        + "with it. `larder list caches` lists them",
      default: "none", example: "yycache"),
    Key(
      "cache", cache,
      "the cache to execute: `larder`, a baseline such as `nscache`, one added by a program "
        + "(`larder list caches` lists them), a server such as `redis` ([servers](servers.md)), or "
        + "a map with the command of a [process](#caches-in-other-processes)",
      default: "`larder`", example: "nscache"
    ) { cache, entry, _ in
      (entry.spec.contender, entry.spec.process) = cache
      entry.spec.server = CacheServer(rawValue: cache.name).map(ServerSpec.init)
      if let server = entry.spec.server?.server { entry.spec.kind = server.kind }
      guard cache.name != ConfigurationSpec.defaultCache else { return }
      entry.spec.name = cache.process?.name ?? cache.name
    },
    Key(
      "name", .name, \.name, "unique name in results",
      default:
        "the preset, the `cache` if it is not `larder` (the program of a process), or the kind",
      example: "phone"),
    Key(
      "policy", .text("the name of an eviction policy"), \.serverPolicy,
      "eviction policy of a server, as the server calls it: `redis` has `allkeys-lru` and "
        + "`allkeys-lfu`", default: "`allkeys-lru` for `redis`", example: "allkeys-lfu"),
    Key(
      "address", .text("the path of a socket, or host:port"), \.address,
      "a server that runs already, by the path of its socket or by host and port; it is neither "
        + "configured nor emptied", default: "none; the server is started",
      example: "localhost:6379"),
    Key(
      "origin", .text("the path of a socket, or host:port"), \.origin,
      "where Larder answers as the origin of an `nginx` or `varnish` at an `address`: what its "
        + "`proxy_pass` or `backend` names", default: "none", example: "127.0.0.1:8081"),
    Key(
      "admission", .list(of: .admission, "admission filters"), \.filters,
      "the admission filter in front of the tier whose capacity is swept, or a list of filters, "
        + "each of which makes a separate configuration; `larder list admissions` lists them, "
        + "`always` admits everything",
      default: "none", example: "[always, second-hit]"),
    Key(
      "memory", .map(memoryTier, into: TierSpec()), \.spec.memory, "the memory tier, see below",
      default: "everything swept", example: "{policy: lru}"),
    Key(
      "disk", .map(diskTier, into: TierSpec()), \.spec.disk, "the disk tier, see below",
      default: "everything swept", example: "{policy: fifo, ttl: 30d}"),
  ]

  private static let ruleKeys: [Key<ConfigurationEntry>] = [
    Key(
      "inclusion", .choice(), \.spec.rules.inclusion,
      "hybrid only. `inclusive`: fetched objects are stored in both tiers, which evict "
        + "independently. `exclusive`: an object is in one tier at a time; objects evicted from "
        + "memory move to disk",
      default: "`inclusive`", example: "exclusive"),
    Key(
      "promotion", .choice(), \.spec.rules.promotion,
      "hybrid only: promotion of disk hits to memory: `always`, on every "
        + "`second-hit`, or `never`",
      default: "`always`", example: "second-hit"),
    Key(
      "placement", .word("by-lifetime", orMap: placement, into: HybridRules.Placement()),
      \.spec.rules.placement,
      "hybrid only: tiers that store an entry, by its remaining lifetime. `by-lifetime`: memory "
        + "only below 5 minutes, disk only from an hour on (and for entries that never expire), "
        + "both in between. A map sets the limits",
      default: "both tiers, whatever the lifetime", example: "{disk-only-from: 1d}"),
  ]

  static let placement = Section<HybridRules.Placement>(
    "placement", "Limits of the remaining lifetime between which both tiers store an entry.",
    expected: "'by-lifetime', or a map such as {memory-only-below: 5m, disk-only-from: 1h}",
    keys: [
      Key(
        "memory-only-below", .timeToLive, \.memoryOnlyBelowSeconds,
        "entries with a shorter remaining lifetime are not stored on disk",
        default: "`5m`", example: "1m"),
      Key(
        "disk-only-from", .timeToLive, \.diskOnlyFromSeconds,
        "entries with at least this remaining lifetime, or without expiry, are not stored in "
          + "memory",
        default: "`1h`", example: "1d"),
    ],
    finish: { map, placement, _ in
      guard placement.memoryOnlyBelowSeconds <= placement.diskOnlyFromSeconds else {
        throw map.value.refused(
          "'memory-only-below' (\(placement.memoryOnlyBelowSeconds) s) is above "
            + "'disk-only-from' (\(placement.diskOnlyFromSeconds) s): nothing would be stored in "
            + "both tiers")
      }
    })

  static let memoryTier = Section<TierSpec>(
    "memory-tier", "The memory tier of a configuration.", expected: "a map of a tier",
    exclusive: ["capacity", "share"],
    keys: tierKeys + [
      Key(
        "share", .share(), \.share,
        "memory of a hybrid only: its capacity as a share of the disk capacity",
        default: "`\(ConfigurationSpec.defaultMemoryShare)`", example: "2%")
    ])

  static let diskTier = Section<TierSpec>(
    "disk-tier", "The disk tier of a configuration.", expected: "a map of a tier",
    keys: tierKeys + diskKeys,
    finish: { map, tier, _ in
      if let foreign = tier.flash.foreign {
        throw map.refused(
          foreign,
          "'\(foreign)' does not apply to "
            + (tier.flash.kind.map { "layout '\($0.rawValue)'" } ?? "a disk without 'layout'"))
      }
      guard let kind = tier.flash.kind else { return }
      for key in ["policy", "admission", "objects", "segment"] where map[key] != nil {
        throw map.refused(key, "'\(key)' does not apply here: a layout has built-in rules")
      }
      (tier.layout, tier.flash) = (tier.flash.layout(kind), FlashOptions())
    })

  private static let tierKeys: [Key<TierSpec>] = [
    Key(
      "policy", .policy, \.policy, "the tier's policy",
      default: "each policy of the workload in turn; the same in both tiers of a hybrid if neither "
        + "names one", example: "lru"),
    Key(
      "admission", .admission, "the tier's admission filter", default: "none",
      example: "size:max=0.05"
    ) { filter, tier, _ in
      tier.admission = filter.name == AdmissionRegistry.always ? nil : filter
    },
    Key(
      "capacity", .capacity, \.capacity, "the tier's capacity",
      default: "the capacities of the workload; for memory in a hybrid, its `share`",
      example: "100"),
    Key(
      "objects", .count, \.objectsMax,
      "maximum number of objects, in addition to the capacity; if the capacity also counts "
        + "objects, the lower limit applies",
      default: "no limit", example: "200"),
    Key(
      "ttl", .timeToLive, \.timeToLiveSeconds,
      "TTL of entries whose request has none, and the maximum of the others, in whole seconds; "
        + "never over in a trace without times",
      default: "no limit", example: "5m"),
  ]

  private static let diskKeys: [Key<TierSpec>] = [
    Key(
      "layout", .choice(), \.flash.kind,
      "layout of objects on flash, which also determines evictions: `log`, `sets` or "
        + "`kangaroo`, see [flash](flash.md). Only for a simulated `disk` whose capacity is in "
        + "bytes", default: "none; the policy evicts, and each object is written once",
      example: "log"),
    Key(
      "region", .bytes(FlashLayout.regions, such: "16MiB"), \.flash.region,
      "layouts `log` and `kangaroo`: bytes of a region of the log",
      default: "`16MiB`; `256KiB` for `kangaroo`", example: "16MiB"),
    Key(
      "reinsert-hits", .whole(0...FlashLayout.thresholds.upperBound), \.flash.reinsertHits,
      "layouts `log` and `kangaroo`: hits since its last write that an object needs to be "
        + "reinserted when its region is reclaimed; 0 for never",
      default: "`0`; `1` for `kangaroo`", example: "1"),
    Key(
      "log", .share(), \.flash.log, "layout `kangaroo`: the log's share of the capacity",
      default: "`5%`", example: "5%"),
    Key(
      "threshold", .whole(FlashLayout.thresholds), \.flash.threshold,
      "layout `kangaroo`: number of objects of a bucket in the log from which they are moved to "
        + "the bucket",
      default: "`2`", example: "2"),
    Key(
      "segment",
      .bytes(DiskConfiguration.segmentBytesRange, such: "64MiB"), \.segmentBytes,
      "appends values above `inline` (see `execute`) to segment files of this size, which are "
        + "recycled: see [flash](flash.md). Only for a `disk` whose capacity is in bytes; policies "
        + "apply", default: "none; a file for each large value", example: "64MiB"),
    Key(
      "drive", .map(drive, into: DriveModel()), \.drive,
      "the drive, for the report's estimates of device writes and lifetime: see [flash](flash.md)",
      default: "80% in use, unknown endurance", example: "{endurance: 600TB, utilisation: 80%}"),
  ]

  static let drive = Section<DriveModel>(
    "drive", "A flash drive.", expected: "a map such as {endurance: 600TB, utilisation: 80%}",
    keys: [
      Key(
        "endurance", .bytes(1...(1 << 60), such: "600TB"), \.enduranceBytes,
        "write endurance of the drive in bytes (TBW), from its data sheet",
        default: "none; the report estimates no lifetime", example: "600TB"),
      Key(
        "utilisation", .ratio(from: false), \.utilisation,
        "share of the drive that is in use; the fuller it is, the larger its own write "
          + "amplification",
        default: "`80%`", example: "50%"),
    ])
}

/// A configuration as written in the file, before it is multiplied by its filters.
struct ConfigurationEntry: Sendable {
  var spec = ConfigurationSpec(name: "", kind: .memory)
  var name: String?
  var filters: [PolicySpec]?
  var serverPolicy: String?
  var address: String?
  var origin: String?

  static let besidePreset = ["preset", "name", "admission"]

  mutating func finish(_ map: YAMLMap, _ checks: ComponentChecks) throws {
    if let value = map["cache"] {
      spec.runsPolicies = try value.locating { try checks.cache(spec.contender, spec.kind) }
    }
    try finishServer(map)
    try checkCombinations(map)
    try checkTiers(map)
    if let layout = spec.disk.layout {
      spec.setLayout(layout)
      spec.name = layout.word
    }
    if let name { spec.name = name }
    if let own = spec.admission { spec.name += "\(ConfigurationSpec.filterMark)\(own)" }
  }

  private mutating func finishServer(_ map: YAMLMap) throws(WorkloadError) {
    guard var server = spec.server else {
      for key in ["policy", "address", "origin"] where map[key] != nil {
        throw map.refused(key, "'\(key)' applies to a server, such as cache: redis, only")
      }
      return
    }
    let policies = server.server.policies.map(\.key)
    server.policy = serverPolicy ?? server.policy
    (server.address, server.origin) = (address, origin)
    let needsOrigin = address != nil && server.server.isProxy
    guard needsOrigin == (origin != nil) else {
      throw map.refused(
        origin == nil ? "address" : "origin",
        "'origin' belongs to nginx or varnish at an 'address': where Larder answers as its origin")
    }
    guard policies.contains(server.policy) else {
      throw map.refused(
        "policy",
        "'\(server.server.rawValue)' has no policy '\(server.policy)'; it has "
          + policies.joined(separator: ", "))
    }
    let simulated = server.simulated(.closed)
    (spec.memory.policy, spec.disk.policy, spec.server) = (simulated, simulated, server)
    if serverPolicy != nil, policies.count > 1 { spec.name += "-\(server.policy)" }
  }

  private func checkCombinations(_ map: YAMLMap) throws(WorkloadError) {
    func refuse(_ key: String, _ isWrong: Bool, _ message: String) throws(WorkloadError) {
      if isWrong { throw map.refused(key, message) }
    }
    let cache = spec.contender
    let isPlainDisk =
      spec.kind == .disk && cache == ConfigurationSpec.defaultCache && spec.time == nil
    let (layout, time, isSimulated) = (spec.disk.layout, spec.time, spec.runsPolicies)
    let countsPrefixes = spec.prefix != nil
    try refuse(
      "cache", cache == ProcessSpec.contender && spec.process == nil,
      "name the program: cache: {process: [./my-cache, --size, \"{capacity}\"]}")
    try refuse(
      "cache",
      spec.process.map { !$0.uses(.objects) } ?? false
        && spec.tiers.contains { $0.objectsMax != nil },
      "a limit on objects needs '{objects}' in the command: only the process can enforce it")
    try refuse(
      "disk", layout != nil && !isPlainDisk,
      "layout '\(layout?.word ?? "")' applies to a simulated cache of kind disk, without 'cache' "
        + "and 'time'")
    try refuse(
      "admission", layout != nil && filters != nil,
      "'admission' does not apply here: a layout has built-in rules")
    try refuse(
      "disk", spec.disk.segmentBytes != nil && !isPlainDisk,
      "'segment' applies to a cache of kind disk, without 'cache' and 'time'")
    try refuse(
      "time", time != nil && !isSimulated,
      "'time' applies to simulated caches; '\(cache)' is only executed")
    try refuse(
      "time", time?.diskRead != nil && spec.kind == .memory,
      "'disk' does not apply here: a memory cache has no disk tier")
    try refuse(
      "time", !(time?.hasOneClock ?? true),
      "'fetch' and 'disk' must both be times, or both numbers of requests")
    try refuse(
      "prefix", countsPrefixes && !isSimulated,
      "'prefix' applies to simulated caches; '\(cache)' is only executed")
    try refuse(
      "prefix", countsPrefixes && time != nil,
      "'prefix' and 'time' cannot be combined; remove one")
    try refuse(
      "admission", filters != nil && (!isSimulated || spec.server != nil),
      "'admission' does not apply here: '\(cache)' has built-in rules")
    try refuse(
      "admission", filters != nil && spec.admission != nil,
      "a tier also has an 'admission'; set it either here or in the tiers")
  }

  private func checkTiers(_ map: YAMLMap) throws(WorkloadError) {
    for name in ["memory", "disk"] {
      guard let value = map[name] else { continue }
      let tier = try YAMLMap(value, expected: "a map of a tier")
      let isServer = spec.server != nil
      let foreign =
        (isServer || !spec.runsPolicies ? ["policy", "admission"] : [])
        + (isServer ? ["objects", "ttl"] : [])
      for key in foreign where tier[key] != nil {
        throw tier.refused(
          key, "'\(key)' does not apply here: '\(spec.contender)' has built-in rules")
      }
      if tier["share"] != nil, spec.kind != .hybrid {
        throw tier.refused("share", "'share' applies to memory in a hybrid only; use 'capacity'")
      }
    }
  }

  private static func kind(of map: YAMLMap) throws(WorkloadError) -> ConfigurationKind {
    guard let cache = map["cache"], cache.type == .string,
      let server = CacheServer(rawValue: try cache.text(expected: "the name of a cache"))
    else {
      return try map.required("kind", in: WorkloadKeys.configuration)
        .choice(of: ConfigurationKind.self)
    }
    for key in ["kind", "time", "prefix"] where map[key] != nil {
      throw map.refused(key, "'\(key)' does not apply here: '\(server.rawValue)' is a server")
    }
    return server.kind
  }

  /// Checks the keys of the map, which depend on its kind, before their values are read.
  static func check(_ map: YAMLMap) throws(WorkloadError) {
    try map.check(WorkloadKeys.configuration)
    if map["preset"] != nil {
      for entry in map.entries where !besidePreset.contains(entry.key) {
        throw map.refused(
          entry.key,
          "'\(entry.key)' is set by the preset; only 'name' and 'admission' may be given with "
            + "'preset'")
      }
      return
    }
    let kind = try kind(of: map)
    let tiers = [("disk", "disk tier", ConfigurationKind.memory), ("memory", "memory tier", .disk)]
    let rules = ["inclusion", "promotion", "placement"]
    let foreign =
      tiers.filter { $0.2 == kind }.map { ($0.0, $0.1) }
      + (kind == .hybrid ? [] : rules.map { ($0, "second tier") })
    for (key, what) in foreign where map[key] != nil {
      throw map.refused(
        key, "'\(key)' does not apply here: a \(kind.rawValue) cache has no \(what)")
    }
  }
}

extension WorkloadKeys {
  static let configurations = Form<[ConfigurationSpec]>(
    ValueShape.map(configuration).or(.words(ConfigurationKind.allCases.map(\.rawValue))).listed
  ) { value, reading in
    var specs: [ConfigurationSpec] = []
    for item in try value.items(orSingle: [.string, .object], of: "configurations") {
      for spec in try configurations(item, reading) {
        if specs.contains(where: { $0.name == spec.name }) {
          throw item.refused(
            "another configuration is named '\(spec.name)'; give this one a 'name'")
        }
        reading.workload.lines.configurations[spec.name] = item.line
        specs.append(spec)
      }
    }
    return specs
  }

  /// One item: several configurations if it has several filters.
  private static func configurations(
    _ value: YAMLValue, _ reading: WorkloadReading
  ) throws(WorkloadError) -> [ConfigurationSpec] {
    if value.type == .string {
      let kind = try value.choice(of: ConfigurationKind.self)
      return [ConfigurationSpec(name: kind.rawValue, kind: kind)]
    }
    let map = try YAMLMap(value, expected: configuration.expected)
    try ConfigurationEntry.check(map)
    let entry = try configuration.read(map, into: ConfigurationEntry(), reading)
    return entry.filters?.map { entry.spec.guarded(by: $0) } ?? [entry.spec]
  }

  static let process = Section<ProcessSpec>(
    "process", "A cache in a separate process that speaks memcached's text protocol.",
    expected: "a map with the key 'process'",
    keys: [
      Key(
        "process", .items(of: word, "words of a command"),
        "the program and its arguments. A program without `/` is looked up in `PATH`; it starts in "
          + "the folder of the workload file. "
          + ProcessPlaceholder.allCases.map { "`{\($0.rawValue)}`" }.joined(separator: ", ")
          + " stand for the cell's", example: #"[./my-cache, --size, "{capacity}"]"#
      ) { words, spec, value in
        guard words.first.map({ !$0.isEmpty }) ?? false else {
          throw value.unexpected("a list with a program and its arguments")
        }
        spec.command = words
      },
      Key(
        "timeout", .timeToLive, \.timeoutSeconds,
        "time limit for its start, for each response and for its exit; whole seconds",
        default: "`30s`", example: "5m"),
    ])

  private static let word = Form<String>(
    ValueShape([.string], ["type": "string"])
      .or(ValueShape([.integer, .number], ["type": "number"]))
  ) { value, _ in
    let word = try value.text(
      [.string, .integer, .number], expected: "a word of a command; quote it")
    if let unknown = ProcessSpec.unknownPlaceholder(in: word) {
      let known = ProcessPlaceholder.allCases.map { "{\($0.rawValue)}" }
      throw value.refused(
        "unknown placeholder '{\(unknown)}'; known are \(known.joined(separator: ", "))")
    }
    guard !word.utf8.contains(0) else { throw value.unexpected("a word without NUL") }
    return word
  }

  private static let cache: Form<(name: String, process: ProcessSpec?)> = {
    let name = Form<String>.text("the name of a cache, or a map with the key 'process'")
    return Form(ValueShape.map(process).or(name.shape)) { value, reading in
      guard value.type == .object else { return (try name.read(value, reading), nil) }
      let initial = ProcessSpec(command: [], folder: reading.workload.folder)
      return (ProcessSpec.contender, try process.read(value, into: initial, reading))
    }
  }()
}
