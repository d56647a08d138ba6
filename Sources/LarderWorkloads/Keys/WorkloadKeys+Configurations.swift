import LarderEngine

extension WorkloadKeys {
  /// One cache.
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

  /// What a cache is and of which tiers it consists.
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
        + "with it. `larder caches` lists them",
      default: "none", example: "yycache"),
    Key(
      "cache", .cache, \.cache,
      "the cache to execute: `larder`, a baseline such as `nscache`, one added by a program "
        + "(`larder caches` lists them), or a map with the command of a "
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
        + "each of which makes a separate configuration; `larder admissions` lists them, "
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
    default: "none; a miss fills at once", example: "{fetch: 100ms, servers: 8}")

  private static let prefixKey = Key<ConfigurationEntry>(
    "prefix", .map(prefix, into: PrefixSpec()), \.spec.prefix,
    "requests are blocks of prompts: see [prefixes](#prefixes). Simulated only",
    default: "that of the workload", example: "{order: tail}")

  /// The rules of hybrids.
  private static let ruleKeys: [Key<ConfigurationEntry>] = [
    Key(
      "inclusion", .choice(), \.spec.rules.inclusion,
      "hybrid only. `inclusive`: fetched objects are stored in both tiers, which evict "
        + "independently. `exclusive`: an object is in one tier at a time; objects evicted from "
        + "memory move to disk",
      default: "`inclusive`", example: "exclusive"),
    Key(
      "promotion", .choice(), \.spec.rules.promotion,
      "hybrid only: when a disk hit promotes the object to memory: `always`, on every "
        + "`second-hit`, or `never`",
      default: "`always`", example: "second-hit"),
    Key(
      "placement", .word("by-lifetime", orMap: placement, into: HybridRules.Placement()),
      \.spec.rules.placement,
      "hybrid only: which tiers store an entry, by its remaining lifetime. `by-lifetime`: memory "
        + "only below 5 minutes, disk only from an hour on (and for entries that never expire), "
        + "both in between. A map sets the limits",
      default: "both tiers, whatever the lifetime", example: "{disk-only-from: 1d}"),
  ]

  /// The limits of lifetimes between which a hybrid stores in both tiers.
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

  /// The memory tier of a configuration.
  static let memoryTier = Section<TierEntry>(
    "memory-tier", "The memory tier of a configuration.", expected: "a map of a tier",
    exclusive: ["capacity", "share"],
    keys: tierKeys + [share])

  private static let share = Key<TierEntry>(
    "share", .share, \.share,
    "memory of a hybrid only: its capacity as a share of the disk capacity",
    default: "`\(ConfigurationSpec.defaultMemoryShare)`", example: "2%")

  /// The disk tier of a configuration.
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
          at: key, .refused("'\(key)' does not apply here: a layout has rules of its own"))
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
        + "objects, the lower of the two applies",
      default: "no limit", example: "200"),
    Key(
      "ttl", .timeToLive, \.spec.timeToLiveSeconds,
      "TTL of entries whose request has none, and the maximum TTL of the others; whole seconds",
      default: "no limit", example: "5m"),
  ]
}

/// A tier as it stands in the file.
struct TierEntry: Sendable {
  var spec = TierSpec()
  /// The capacity as a share of that of disk.
  var share: Share?
  /// The layout, where one is named, and its parameters.
  var layout: FlashLayoutWord?
  var parts = FlashLayoutParts()
}
