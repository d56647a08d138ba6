import LarderEngine

@testable import LarderExperiments

/// Handmade results with numbers that are easy to check.
enum SampleResults {
  static let machine = MachineDescription(
    processor: "Example 9000", cores: 8, memoryBytes: 16 << 30, system: "Linux 6.1",
    larderVersion: "0.1.0", larderRevision: "0123456789ab",
    swiftVersion: "6.3.1", build: "release")

  static func empty(workload: String = "sample", planned: Int = 0) -> RunResults {
    RunResults(
      workload: workload, workloadDescription: "Made up for the tests.",
      command: "larder run Workloads/sample.yaml", started: "2026-11-21T14:00:00Z",
      finished: "2026-11-21T14:00:05Z", plannedCells: planned, threads: 2, machine: machine,
      traces: [TraceFacts(name: "feed", requests: 5000, objects: 900, footprintBytes: 3 << 20)],
      latencyModel: "memory 1 us, disk 100 us, origin 50 ms, all constant", warmUp: "none")
  }

  static func cell(
    _ policy: String, capacity: UInt64, label: String? = nil, configuration: String = "memory",
    kind: ConfigurationKind = .memory, unit: CapacityUnit = .objects, memory: UInt64? = nil,
    seed: UInt64 = 42
  ) -> Cell {
    Cell(
      workload: "sample", trace: "feed", configuration: configuration, kind: kind,
      policy: policy, capacity: capacity, capacityLabel: label ?? String(capacity),
      memoryCapacity: memory, unit: unit, seed: seed)
  }

  /// A record of `requests` with `hits`, from memory unless `diskHits` are given.
  static func record(
    _ cell: Cell, hits: UInt64, of requests: UInt64 = 5000, diskHits: UInt64 = 0
  ) -> Record {
    var counts = Counts()
    counts.requests = requests
    counts.memoryHits = hits - diskHits
    counts.diskHits = diskHits
    counts.bytesRequested = cell.unit == .bytes ? requests * 1000 : requests
    counts.memoryBytesHit = cell.unit == .bytes ? (hits - diskHits) * 900 : hits - diskHits
    counts.diskBytesHit = cell.unit == .bytes ? diskHits * 900 : diskHits
    counts.memory.admissions = requests - hits
    counts.memory.evictions = (requests - hits) / 2
    return Record(cell: cell, counts: counts, objectsDistinct: 900)
  }

  /// Prompts: LHD has more hits of blocks, and LRU more of prefixes.
  static var prompts: RunResults {
    var results = empty(planned: 2)
    let all: [(policy: String, hits: UInt64, prefixes: UInt64)] = [
      ("lru", 3000, 2784), ("lhd", 3500, 2418),
    ]
    for (policy, hits, prefixes) in all {
      var record = record(cell(policy, capacity: 100), hits: hits, of: 10_000)
      var prefix = PrefixCounts()
      prefix.prompts = 900
      prefix.hits = prefixes
      prefix.tokens = prefixes * 500
      prefix.inputTokens = 4_500_000
      record.prefix = prefix
      results.records.append(record)
    }
    return results
  }

  /// Memory with two capacities and three seeds, and a hybrid in bytes with all optional values.
  static var full: RunResults {
    var results = empty(planned: 24)
    let ratios: [(String, [UInt64])] = [
      ("lru", [2000, 3500]), ("fifo", [1900, 3490]), ("s3-fifo", [2400, 3510]),
      ("belady", [3000, 4000]),
    ]
    for (policy, hits) in ratios {
      for (index, capacity) in [UInt64(10), 100].enumerated() {
        for seed in UInt64(1)...3 {
          var record = record(
            cell(policy, capacity: capacity + seed, label: "\(capacity / 10)%", seed: seed),
            hits: hits[index] + seed)
          record.timings = [1, 2].map { repetition in
            Timing(
              mode: .simulate, threads: 1, repetition: repetition, requests: 5000,
              seconds: 0.00005 * Double(repetition), memoryBytesPerObject: 8.5)
          }
          results.records.append(record)
        }
      }
    }
    results.records += hybrids + foreign
    results.execution = conditions
    results.caches = [
      CacheFacts(
        configuration: "their cache", cache: "theirs", preset: "app",
        summary: "Models an app; differs in nothing.", limits: "20 objects")
    ]
    results.assumptions = [
      ConfigurationAssumptions(
        configuration: "two tiers", prefillTokensPerSecond: 8000,
        drive: DriveModel(enduranceBytes: 1_000_000_000, utilisation: 0.58))
    ]
    results.plannedCells = results.records.count
    return results
  }

  private static var hybrids: [Record] {
    [("lru+fifo", 2500, 500), ("lru+ttl", 2400, 700), ("belady+belady", 3300, 900)].map {
      (policy: String, hits: UInt64, disk: UInt64) in
      var record = record(
        cell(
          policy, capacity: 1 << 20, label: "1MiB", configuration: "two tiers", kind: .hybrid,
          unit: .bytes, memory: 64 << 10),
        hits: hits, diskHits: disk)
      record.cell.admission = "always+second-hit"
      record.counts.staleHits = disk / 10
      if policy == "lru+ttl" {
        record.counts.cost = CostCounts(requested: 5000, saved: 1250.5)
        record.counts.time = TimeCounts()
        record.counts.time?.delayedHits = 7
      }
      if policy == "lru+ttl" {
        record.flash = FlashCounts()
        record.flash?.inserted = 1000
        record.flash?.insertedBytes = 1_000_000
        record.flash?.reinserted = 10
        record.flash?.reinsertedBytes = 20_000
        record.flash?.bucketWrites = 3
        record.flash?.moved = 7
        record.flash?.writtenBytes = 1_032_288
        record.flash?.microseconds = 86_400_000_000
      }
      if policy == "lru+ttl" {
        record.course = ChoiceCourse(
          policies: ["lirs", "arc", "mq:life=8"], switches: 3,
          parts: [(0, 20), (0, 30), (2, 10), (1, 0), (1, 25)].map {
            ChoiceCourse.Part(requests: 50, hits: $0.1, leading: $0.0)
          })
      }
      if policy == "lru+fifo" {
        record.prefix = PrefixCounts()
        record.prefix?.prompts = 40
        record.prefix?.hits = 2900
        record.prefix?.tokens = 1_484_800
        record.prefix?.inputTokens = 2_500_000
      }
      record.counts.promotions = disk
      record.counts.demotions = disk + 1
      record.counts.disk.admissions = 1000
      record.counts.disk.bytesWritten = 1_000_000
      record.counts.disk.evictions = 300
      record.modelled = ModelledAccessTime(
        meanMicroseconds: 25_000 - Double(hits), p50Microseconds: 1, p90Microseconds: 50_000,
        p99Microseconds: 50_000)
      record.timings = [
        Timing(
          mode: .simulate, threads: 1, repetition: 1, requests: 5000, seconds: 0.5,
          latency: MeasuredLatency(p50: 900, p90: 2000, p99: 9000, p999: 20000, max: 100_000))
      ]
      if policy != "belady+belady" { record.executions = executions(of: record) }
      return record
    }
  }

  /// Results in which every name contains the text.
  static func named(_ text: String) -> RunResults {
    var results = full
    results.workload = text
    results.workloadDescription = "x" + text
    results.warmUp = text
    results.latencyModel = text
    results.notes = [text]
    results.traces[0].name = text
    results.machine.processor = text
    for index in results.records.indices {
      results.records[index].cell.trace = text
      let policy = results.records[index].cell.policy
      if results.records[index].cell.kind == .memory {
        results.records[index].cell.policy = "x" + policy + text.replacing("+", with: "-")
        results.records[index].cell.configuration = "x" + text
      }
    }
    return results
  }
}
