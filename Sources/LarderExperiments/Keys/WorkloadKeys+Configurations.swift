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
          "required": ["preset"],
          "propertyNames": ["enum": .strings(ConfigurationEntry.besidePreset)],
        ],
      ]
    ],
    keys: cacheKeys + ruleKeys + [timeKey, prefixKey],
    finish: { map, entry, reading in try entry.finish(map, reading.checks) })

  private static let cacheKeys: [Key<ConfigurationEntry>] = [
    Key(
      "kind", .choice(), "`memory`, `disk` or `hybrid`: memory in front of disk",
      default: "required without a `preset`", example: "hybrid"
    ) { kind, entry, _ in
      entry.spec = ConfigurationSpec(name: kind.rawValue, kind: kind)
    },
    Key(
      "preset", .preset, \.spec,
      "a known design with its tiers, limits and rules; only `name` and `admission` may be given "
        + "with it. `larder list caches` lists them",
      default: "none", example: "yycache"),
    Key(
      "cache", .cache, \.cache,
      "the cache to execute: `larder`, a baseline such as `nscache`, one added by a program "
        + "(`larder list caches` lists them), or a map with the command of a "
        + "[process](#caches-in-other-processes)",
      default: "`larder`", example: "nscache"),
    Key(
      "name", .name, \.name, "unique name in results",
      default: .text(
        "the preset, the `cache` if it is not `larder` (the program of a process), or the kind"),
      example: "phone"),
    Key(
      "admission", .list(of: .admission, "admission filters"), \.filters,
      "the admission filter in front of the tier whose capacity is swept, or a list of filters, "
        + "each of which makes a separate configuration; `larder list admissions` lists them, "
        + "`always` admits everything",
      default: "none", example: "[always, second-hit]"),
    Key(
      "memory", .map(memoryTier, into: TierEntry()), "the memory tier, see below",
      default: "everything swept", example: "{policy: lru}"
    ) { tier, entry, value in
      entry.spec.memory = tier.spec
      guard let share = tier.share else { return }
      guard entry.spec.kind == .hybrid else {
        throw try YAMLMap(value, expected: "a map").error(
          at: "share", .refused("'share' applies to memory in a hybrid only; use 'capacity'"))
      }
      entry.spec.memoryShare = share
    },
    Key(
      "disk", .map(diskTier, into: TierEntry()), "the disk tier, see below",
      default: "everything swept", example: "{policy: fifo, ttl: 30d}"
    ) { tier, entry, _ in entry.spec.disk = tier.spec },
  ]

  private static let timeKey = Key<ConfigurationEntry>(
    "time", .map(time, into: FetchSpec()), \.spec.time,
    "fetches, and reads from disk, take time: see [time](#time)",
    default: "none; a miss is filled immediately", example: "{fetch: 100ms, servers: 8}")

  private static let prefixKey = Key<ConfigurationEntry>(
    "prefix", .map(prefix, into: PrefixSpec()), \.spec.prefix,
    "requests are blocks of prompts: see [prefixes](#prefixes). Simulated only",
    default: "that of the workload", example: "{order: tail}")

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
        throw map.value.error(
          .refused(
            "'memory-only-below' (\(placement.memoryOnlyBelowSeconds) s) is above "
              + "'disk-only-from' (\(placement.diskOnlyFromSeconds) s): nothing would be stored in "
              + "both tiers"))
      }
    })

  static let memoryTier = Section<TierEntry>(
    "memory-tier", "The memory tier of a configuration.", expected: "a map of a tier",
    exclusive: ["capacity", "share"],
    keys: tierKeys + [share])

  private static let share = Key<TierEntry>(
    "share", .share(), \.share,
    "memory of a hybrid only: its capacity as a share of the disk capacity",
    default: "`\(ConfigurationSpec.defaultMemoryShare)`", example: "2%")

  static let diskTier = Section<TierEntry>(
    "disk-tier", "The disk tier of a configuration.", expected: "a map of a tier",
    keys: tierKeys + layoutKeys,
    finish: { map, entry, _ in
      if let foreign = entry.parts.foreign(to: entry.layout) {
        throw map.error(
          at: foreign.key,
          .refused(
            "'\(foreign.key)' does not apply to "
              + (entry.layout.map { "layout '\($0.rawValue)'" } ?? "a disk without 'layout'")))
      }
      guard let layout = entry.layout else { return }
      for key in ["policy", "admission", "objects", "segment"] where map[key] != nil {
        throw map.error(
          at: key, .refused("'\(key)' does not apply here: a layout has built-in rules"))
      }
      entry.spec.layout = entry.parts.layout(layout)
    })

  private static let tierKeys: [Key<TierEntry>] = [
    Key(
      "policy", .policy, \.spec.policy, "the tier's policy",
      default: .text(
        "each policy of the workload in turn; the same in both tiers of a hybrid if neither names "
          + "one"),
      example: "lru"),
    Key(
      "admission", .admission, "the tier's admission filter", default: "none",
      example: "size:max=0.05"
    ) { filter, tier, _ in
      tier.spec.admission = filter.name == AdmissionRegistry.always ? nil : filter
    },
    Key(
      "capacity", .capacity, \.spec.capacity, "the tier's capacity",
      default: "the capacities of the workload; for memory in a hybrid, its `share`",
      example: "100"),
    Key(
      "objects", .count, \.spec.objectsMax,
      "maximum number of objects, in addition to the capacity; if the capacity also counts "
        + "objects, the lower limit applies",
      default: "no limit", example: "200"),
    Key(
      "ttl", .timeToLive, \.spec.timeToLiveSeconds,
      "TTL of entries whose request has none, and the maximum TTL of the others; whole seconds",
      default: "no limit", example: "5m"),
  ]
}

struct TierEntry: Sendable {
  var spec = TierSpec()
  var share: Share?
  var layout: FlashLayoutWord?
  var parts = FlashLayoutParts()
}

/// A configuration as written in the file, before it is multiplied by its filters.
struct ConfigurationEntry: Sendable {
  var spec = ConfigurationSpec(name: "", kind: .memory)
  var cache: CacheChoice?
  var name: String?
  var filters: [PolicySpec]?

  static let besidePreset = ["preset", "name", "admission"]

  mutating func finish(_ map: YAMLMap, _ checks: ComponentChecks) throws {
    if let cache { try take(cache, map, checks) }
    if let layout = spec.disk.layout {
      try check(layout, map)
      spec.setLayout(layout)
      spec.name = layout.word
    }
    if spec.disk.segmentBytes != nil { try checkSegments(map) }
    if let name { spec.name = name }
    if !spec.runsPolicies { try refusePolicies(map) }
    if let time = spec.time { try check(time, map) }
    if spec.prefix != nil, !spec.runsPolicies {
      throw map.error(
        at: "prefix",
        .refused("'prefix' applies to simulated caches; '\(spec.contender)' is only executed"))
    }
    if spec.prefix != nil, spec.time != nil {
      throw map.error(at: "prefix", .refused("'prefix' and 'time' cannot be combined; remove one"))
    }
    if let own = spec.admission { spec.name += "\(ConfigurationSpec.filterMark)\(own)" }
    guard filters != nil else { return }
    guard spec.runsPolicies else {
      throw map.error(
        at: "admission",
        .refused("'admission' does not apply here: '\(spec.contender)' has built-in rules"))
    }
    guard spec.admission == nil else {
      throw map.error(
        at: "admission",
        .refused("a tier also has an 'admission'; set it either here or in the tiers"))
    }
  }

  private mutating func take(
    _ cache: CacheChoice, _ map: YAMLMap, _ checks: ComponentChecks
  ) throws {
    switch cache {
    case .named(let name):
      spec.contender = name
      if name != ConfigurationSpec.defaultCache { spec.name = name }
    case .process(let process):
      spec.contender = ProcessSpec.contender
      spec.process = process
      spec.name = process.name
    }
    guard let value = map["cache"] else { return }
    spec.runsPolicies = try value.locating { try checks.cache(spec.contender, spec.kind) }
    if spec.contender == ProcessSpec.contender, spec.process == nil {
      throw map.error(
        at: "cache",
        .refused("name the program: cache: {process: [./my-cache, --size, \"{capacity}\"]}"))
    }
    if spec.objectsMaxOfTiers != nil, let process = spec.process, !process.uses(.objects) {
      throw map.error(
        at: "cache",
        .refused(
          "a limit on objects needs '{objects}' in the command: only the process can enforce it"))
    }
  }

  private func check(_ time: FetchSpec, _ map: YAMLMap) throws(WorkloadError) {
    guard spec.runsPolicies else {
      throw map.error(
        at: "time",
        .refused("'time' applies to simulated caches; '\(spec.contender)' is only executed"))
    }
    if time.diskRead != nil, spec.kind == .memory {
      throw map.error(
        at: "time", .refused("'disk' does not apply here: a memory cache has no disk tier"))
    }
    guard time.hasOneClock else {
      throw map.error(
        at: "time", .refused("'fetch' and 'disk' must both be times, or both numbers of requests"))
    }
  }

  private func check(_ layout: FlashLayout, _ map: YAMLMap) throws(WorkloadError) {
    guard spec.kind == .disk, spec.contender == ConfigurationSpec.defaultCache, spec.time == nil
    else {
      throw map.error(
        at: "disk",
        .refused(
          "layout '\(layout.word)' applies to a simulated cache of kind disk, without 'cache' and "
            + "'time'"))
    }
    guard filters == nil else {
      throw map.error(
        at: "admission",
        .refused("'admission' does not apply here: a layout has built-in rules"))
    }
  }

  private func checkSegments(_ map: YAMLMap) throws(WorkloadError) {
    guard spec.kind == .disk, spec.contender == ConfigurationSpec.defaultCache, spec.time == nil
    else {
      throw map.error(
        at: "disk",
        .refused("'segment' applies to a cache of kind disk, without 'cache' and 'time'"))
    }
  }

  private func refusePolicies(_ map: YAMLMap) throws(WorkloadError) {
    for tier in ["memory", "disk"] {
      guard let value = map[tier] else { continue }
      let tier = try YAMLMap(value, expected: "a map of a tier")
      for key in ["policy", "admission"] where tier[key] != nil {
        throw tier.error(
          at: key,
          .refused("'\(key)' does not apply here: '\(spec.contender)' has a built-in policy"))
      }
    }
  }

  static func check(_ map: YAMLMap) throws(WorkloadError) {
    try map.check(WorkloadKeys.configuration.table)
    if map["preset"] != nil {
      for entry in map.entries where !besidePreset.contains(entry.key) {
        throw map.error(
          at: entry.line,
          .refused(
            "'\(entry.key)' is set by the preset; only 'name' and 'admission' may be given with "
              + "'preset'"))
      }
      return
    }
    let kind = try map.required("kind", in: WorkloadKeys.configuration.table)
      .choice(of: ConfigurationKind.self)
    let foreign: [(key: String, what: String)] =
      switch kind {
      case .memory: [("disk", "disk tier")]
      case .disk: [("memory", "memory tier")]
      case .hybrid: []
      }
    let rules = ["inclusion", "promotion", "placement"].map { ($0, "second tier") }
    for (key, what) in foreign + (kind == .hybrid ? [] : rules) where map[key] != nil {
      throw map.error(
        at: key, .refused("'\(key)' does not apply here: a \(kind.rawValue) cache has no \(what)"))
    }
  }
}

extension Form where Value == [ConfigurationSpec] {
  static var configurations: Form {
    let form = Form<[ConfigurationSpec]>.configuration
    return Form(form.shape.listed) { value, reading in
      var specs: [ConfigurationSpec] = []
      for item in try value.items(orSingle: [.string, .object], of: "configurations") {
        for spec in try form.read(item, reading) {
          if specs.contains(where: { $0.name == spec.name }) {
            throw item.error(
              .refused("another configuration is named '\(spec.name)'; give this one a 'name'"))
          }
          reading.workload.lines.configurations[spec.name] = item.line
          specs.append(spec)
        }
      }
      return specs
    }
  }

  private static var configuration: Form {
    let section = WorkloadKeys.configuration
    let kinds = ValueShape.words(ConfigurationKind.allCases.map(\.rawValue))
    return Form(ValueShape.map(section.table).or(kinds)) { value, reading in
      if value.type == .string {
        let kind = try value.choice(of: ConfigurationKind.self)
        return [ConfigurationSpec(name: kind.rawValue, kind: kind)]
      }
      let map = try YAMLMap(value, expected: section.expected)
      try ConfigurationEntry.check(map)
      var entry = ConfigurationEntry()
      try section.read(map, into: &entry, reading)
      return entry.filters?.map { entry.spec.guarded(by: $0) } ?? [entry.spec]
    }
  }
}

extension WorkloadKeys {
  static let process = Section<ProcessSpec>(
    "process", "A cache in a separate process that speaks memcached's text protocol.",
    expected: "a map with the key 'process'",
    keys: [
      Key(
        "process", .items(of: .word, "words of a command"),
        "the program and its arguments. A program without `/` is looked up in `PATH`; it starts in "
          + "the folder of the workload file. "
          + ProcessPlaceholder.allCases.map { "`{\($0.rawValue)}`" }.joined(separator: ", ")
          + " stand for the cell's",
        default: .required, example: #"[./my-cache, --size, "{capacity}"]"#
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
}

extension Form where Value == String {
  fileprivate static var word: Form {
    let text = ValueShape([.string], ["type": "string"])
    let number = ValueShape([.integer, .number], ["type": "number"])
    return Form(text.or(number)) { value, _ in
      let word = try value.text(
        [.string, .integer, .number], expected: "a word of a command; quote it")
      if let unknown = ProcessSpec.unknownPlaceholder(in: word) {
        let known = ProcessPlaceholder.allCases.map { "{\($0.rawValue)}" }
        throw value.error(
          .refused(
            "unknown placeholder '{\(unknown)}'; known are \(known.joined(separator: ", "))"))
      }
      guard !word.utf8.contains(0) else { throw value.unexpected("a word without NUL") }
      return word
    }
  }
}

enum CacheChoice: Sendable {
  case named(String)
  case process(ProcessSpec)
}

extension Form where Value == CacheChoice {
  static var cache: Form {
    let section = WorkloadKeys.process
    let expected = "the name of a cache, or a map with the key 'process'"
    let name = Form<String>.text(expected)
    return Form(ValueShape.map(section.table).or(name.shape)) { value, reading in
      guard value.type == .object else { return .named(try name.read(value, reading)) }
      var spec = ProcessSpec(command: [], folder: reading.workload.folder)
      try section.read(value, into: &spec, reading)
      return .process(spec)
    }
  }
}

extension WorkloadKeys {
  static let layoutKeys: [Key<TierEntry>] = [
    Key(
      "layout", .choice(), \.layout,
      "layout of objects on flash, which also determines evictions: `log`, `sets` or "
        + "`kangaroo`, see [flash](flash.md). Only for a simulated `disk` whose capacity is in "
        + "bytes", default: "none; the policy evicts, and each object is written once",
      example: "log"),
    Key(
      "region", .bytes(FlashLayout.regions, such: "16MiB"), \.parts.region,
      "layouts `log` and `kangaroo`: bytes of a region of the log",
      default: "`16MiB`; `256KiB` for `kangaroo`", example: "16MiB"),
    Key(
      "reinsert-hits", .whole(0...FlashLayout.thresholds.upperBound), \.parts.reinsertHits,
      "layouts `log` and `kangaroo`: hits since its last write that an object needs to be "
        + "reinserted when its region is reclaimed; 0 for never",
      default: "`0`; `1` for `kangaroo`", example: "1"),
    Key(
      "log", .share(), \.parts.log, "layout `kangaroo`: the log's share of the capacity",
      default: "`5%`", example: "5%"),
    Key(
      "threshold", .whole(FlashLayout.thresholds), \.parts.threshold,
      "layout `kangaroo`: number of objects of a bucket in the log from which they are moved to "
        + "the bucket",
      default: "`2`", example: "2"),
    Key(
      "segment",
      .bytes(
        UInt64(DiskValues.segmentBytesMin)...UInt64(DiskValues.segmentBytesLargest), such: "64MiB"),
      \.spec.segmentBytes,
      "appends values above `inline` (see `execute`) to segment files of this size, which are "
        + "recycled: see [flash](flash.md). Only for a `disk` whose capacity is in bytes; policies "
        + "apply", default: "none; a file for each large value", example: "64MiB"),
    Key(
      "drive", .map(drive, into: DriveSpec()), \.spec.drive,
      "the drive, for the report's estimates of device writes and lifetime: see [flash](flash.md)",
      default: "80% in use, unknown endurance", example: "{endurance: 600TB, utilisation: 80%}"),
  ]

  static let drive = Section<DriveSpec>(
    "drive", "A flash drive.", expected: "a map such as {endurance: 600TB, utilisation: 80%}",
    keys: [
      Key(
        "endurance", .bytes(1...(1 << 60), such: "600TB"), \.enduranceBytes,
        "write endurance of the drive in bytes (TBW), from its data sheet",
        default: "none; the report estimates no lifetime", example: "600TB"),
      Key(
        "utilisation", .share(), \.utilisation,
        "share of the drive that is in use; the fuller it is, the larger its own write "
          + "amplification",
        default: "`80%`", example: "50%"),
    ])
}
