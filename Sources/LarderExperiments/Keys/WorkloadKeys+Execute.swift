import Larder
import LarderEngine

extension WorkloadKeys {
  static let execute = Section<ExecutionSpec>(
    "execute", "Execution of real caches.",
    expected: "a map with keys such as threads, load, verify",
    keys: loadKeys + cacheOptionKeys
      + filterKeys("executed", default: "all; the rest are simulated only")
      .map { $0.within(\ExecutionSpec.filter) })

  private static let loadKeys: [Key<ExecutionSpec>] = [
    Key(
      "threads", .list(of: .whole(1...256), "numbers of threads"),
      "numbers of threads; each is run separately", default: "`1`", example: "[1, 2]"
    ) { threads, spec, value in
      for (index, count) in threads.enumerated() where threads[..<index].contains(count) {
        throw try value.items(of: "")[index].refused("\(count) occurs twice")
      }
      spec.threads = threads
    },
    Key(
      "load", .word("closed", orMap: load, into: .closed), \.load,
      "arrival of requests. `closed`: each thread issues a request when the previous one is "
        + "complete. A map makes an open loop: latency counts from the scheduled time, so a stall "
        + "is not hidden (no coordinated omission)",
      default: "`closed`", example: "{rate: 5000}"),
    Key(
      "origin", .choice(), \.origin,
      "application of the origin's latency, if the workload has a `latency`: `virtual` adds it "
        + "to a miss without waiting; `wait` waits for it",
      default: "`virtual`", example: "wait"),
    Key(
      "verify", .choice(), \.verification,
      "check of each value read: `all` (key, version, length, content), `header` "
        + "(without content), `none`. A wrong value ends the run",
      default: "`all`", example: "header"),
    Key(
      "value-size", .bytes(1...(1 << 30), such: "100B or 4KiB"), \.valueBytes,
      "size of values in bytes if the source has no sizes", default: "`100`", example: "4KiB"),
  ]

  private static let cacheOptionKeys: [Key<ExecutionSpec>] = [
    Key(
      "page-cache", .choice(), \.pageCache,
      "state of the page cache when counting starts: `warm`, as the warm-up leaves it, or "
        + "`dropped`, with the caches' files dropped from it",
      default: "`warm`", example: "dropped"),
    Key(
      "durability", .choice(), \.durability,
      "durability of a disk tier: `none`, `normal`, `full`", default: "`normal`", example: "none"),
    Key(
      "inline", .bytes(DiskConfiguration.inlineBytesRange, such: "20KiB"), \.inlineBytesMax,
      "values of up to this many bytes are stored in the database, larger ones in files",
      default: "`20KiB`", example: "4KiB"),
    Key(
      "hashing", .choice(["standard": .standard, "fast": .fast]), \.hashing,
      "hash function for keys in memory: `standard` (Swift's `Hasher`) or `fast`",
      default: "`standard`", example: "fast"),
    Key(
      "shards", powerOfTwo(upTo: 1024), \.shards,
      "number of memory shards, each with a lock (a power of two up to 1024), for runs with "
        + "several threads; runs with one thread have one shard",
      default: "the cache's choice", example: "8"),
    Key(
      "pressure",
      .list(
        of: .map(pressure, into: .init(at: Share(percent: 100), level: .warning)),
        "maps with the keys at and level"),
      \.pressure,
      "memory pressure during the run: maps with `at` and `level`. A simulation does not model it, "
        + "so counts are not compared",
      default: "none", example: "[{at: 50%, level: warning}]"),
  ]

  static let load: Section<ExecutionSpec.Load> = Section(
    "load", "An open loop: requests are issued at their times.",
    expected: "'closed', or a map such as {trace: 2x} or {rate: 5000}",
    exclusive: ["trace", "rate"],
    rules: ["anyOf": [["required": ["trace"]], ["required": ["rate"]]]],
    keys: [
      Key(
        "trace", speed, "load at the trace's times, sped up by this factor: `1x`, `2.5x`",
        default: "none", example: "2x"
      ) { speed, load, _ in load = .trace(speed: speed) },
      Key(
        "rate", .positive(" of requests per second", least: 1e-3, most: 1e9),
        "total request rate of all threads", default: "none",
        example: "5000"
      ) { rate, load, _ in load = .rate(perSecond: rate) },
    ],
    finish: { map, _, _ in
      if map.entries.isEmpty { throw map.value.unexpected(load.expected) }
    })

  private static let speed = Form<Double>.scalar(
    "a factor relative to the trace's speed, such as 1x or 2.5x",
    .text(Quantity.decimalPattern + "x")
  ) { text in
    guard text.hasSuffix("x"), let speed = ExactDecimal(text.dropLast())?.value else { return nil }
    return (1e-6...1e9).contains(speed) ? speed : nil
  }

  static let pressure = Section<ExecutionSpec.Pressure>(
    "pressure", "Memory pressure at a position in the trace.",
    expected: "a map such as {at: 50%, level: warning}",
    keys: [
      Key("at", .share(), \.at, "pressure after this share of the requests", example: "50%"),
      Key(
        "level", .choice(["warning": .warning, "critical": .critical]), \.level,
        "severity of the memory shortage: `warning` or `critical`", example: "warning"),
    ])

  static func filterKeys(_ done: String, default all: String) -> [Key<ExecutionFilter>] {
    [
      Key(
        "configurations",
        picked(
          from: "configurations", toBe: done, .text("the name of a configuration"),
          among: { $0.configurations.flatMap { [$0.name, $0.unguardedName] }.map { ($0, $0) } },
          name: { name, _ in name }),
        \.configurations,
        "only these configurations are \(done), with all their filters",
        default: all, example: "[memory]"),
      Key(
        "policies",
        picked(
          from: "policies", toBe: done, .policy,
          among: { $0.policies.map { ($0.description, $0) } },
          name: { policy, _ in policy.description }),
        \.policies, "only these of the swept policies are \(done)", default: all,
        example: "[lru, sieve]"),
      Key(
        "capacities",
        picked(
          from: "capacities", toBe: done, .capacity,
          among: { $0.capacities.map { ($0.description, $0) } },
          name: { capacity, workload in
            let same = workload.capacities.first { $0.amount == capacity.amount }
            return (same ?? capacity).description
          }),
        \.capacities, "only these of the swept capacities are \(done)", default: all,
        example: "[10%]"),
    ]
  }

  private static func picked<Name, Item>(
    from key: String, toBe done: String, _ form: Form<Name>,
    among known: @escaping @Sendable (Workload) -> [(name: String, value: Item)],
    name: @escaping @Sendable (Name, Workload) -> String
  ) -> Form<[Item]> {
    let item = Form<Item>(form.shape) { value, reading in
      let text = name(try form.read(value, reading), reading.workload)
      let known = known(reading.workload)
      if let entry = known.first(where: { $0.name == text }) { return entry.value }
      let hint = UnknownName.hint(text, among: known.map(\.name), nil)
      throw value.refused(
        "\(YAMLValue.quoted(text)) is not among the workload's '\(key)', so it cannot be "
          + "\(done)\(hint)")
    }
    return .list(of: item, key)
  }

  private static func powerOfTwo(upTo most: Int) -> Form<Int> {
    let powers = (0...most.trailingZeroBitCount).map { JSONNode.number("\(1 << $0)") }
    let shape = ValueShape([.integer], ["type": "integer", "enum": .array(powers)])
    return Form(shape) { value, reading in
      let number = try Form.whole(1...most).read(value, reading)
      guard number.nonzeroBitCount == 1 else {
        throw value.unexpected("a power of two from 1 to \(most)")
      }
      return number
    }
  }
}
