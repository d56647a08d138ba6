import LarderEngine
import LarderExperiments
import LarderSupport

extension Column<Record> {
  /// The columns that name a cell; traces and seeds only if there are several.
  static func keys(of records: [Record]) -> [Column] {
    let hasTraces = Set(records.map(\.cell.trace)).count > 1
    let hasSeeds = Set(records.map(\.cell.seed)).count > 1
    return (hasTraces ? [.init("trace") { .text($0.cell.trace) }] : [])
      + [
        .init("cache") { .text($0.cell.cacheName) },
        .init("capacity") { .text($0.cell.capacityLabel) },
      ] + (hasSeeds ? [.init("seed") { .text("\($0.cell.seed)") }] : [])
  }

  static func share(
    _ title: String, _ part: @escaping (Record) -> UInt64?,
    of whole: @escaping (Record) -> UInt64? = { $0.counts.requests }
  ) -> Column {
    .init(title) { record in
      guard let part = part(record), let whole = whole(record), whole > 0 else { return Table.none }
      return Table.percent(Double(part) / Double(whole))
    }
  }

  static func plain(_ title: String, _ value: @escaping (Record) -> UInt64?) -> Column {
    .init(title) { Table.text(value($0).map { "\($0)" }) }
  }
}

/// Waiting times in simulations with time: a row for each cell.
struct TimeTable {
  private let records: [Record]

  init?(_ results: RunResults) {
    records = results.records.filter { $0.counts.time != nil }
    if records.isEmpty { return nil }
  }

  func blocks(_ styles: PolicyStyles) -> [Block] {
    let meaning =
      records.contains { $0.cell.kind != .memory }
      ? "Fetches take time, and so may reads from disk. A delayed hit is a request for an object "
        + "in flight, which waits for that fetch or read; memory hits do not wait, disk hits wait "
        + "for their read."
      : "Fetches take time. A delayed hit is a request for an object in flight, which waits for "
        + "that fetch; hits do not wait."
    return Block.figure(chart(styles))
      + [.table(table), .paragraph("\(meaning) Waits are over all requests.")]
  }

  var table: Table {
    func wait(_ title: String, _ value: @escaping (TimeCounts, Record) -> Double?) -> Column<Record>
    {
      .init(title) { record in
        guard let time = record.counts.time, let wait = value(time, record) else {
          return Table.none
        }
        return time.clock == .requests
          ? Table.number(wait, 1) : Table.time(nanoseconds: wait * 1000)
      }
    }
    return Table(
      records,
      Column.keys(of: records) + [
        .share("hits, %") { $0.counts.hits },
        .share("delayed, %") { $0.counts.time?.delayedHits },
        .share("misses, %") { $0.counts.misses - ($0.counts.time?.delayedHits ?? 0) },
        wait("mean wait") { time, record in
          let requests = record.counts.requests
          return requests > 0 ? Double(time.totalLatency) / Double(requests) : nil
        },
        wait("p50") { time, _ in Double(time.p50Latency) },
        wait("p99") { time, _ in Double(time.p99Latency) },
        .plain("fetches") { $0.counts.time?.originFetches },
        .plain("most in flight") { $0.counts.time?.maxInFlight },
      ])
  }

  /// Hits, delayed hits and misses as stacked bars; nil for fewer than two cells. Only the first of
  /// several seeds is drawn; the table has all.
  private func chart(_ styles: PolicyStyles) -> ChartFigure? {
    let timed = records.filter { $0.cell.seed == records[0].cell.seed }
    guard timed.count > 1 else { return nil }
    let parts = ["hits", "delayed hits", "misses"]
    let hasTraces = Set(timed.map(\.cell.trace)).count > 1
    let groups = timed.grouped { record in
      (hasTraces ? "\(record.cell.trace), " : "") + record.cell.capacityLabel
    }.map { title, records in
      RowChart.Group(
        title: title,
        rows: records.map { record in
          let shares = [
            record.share(\.hits), delayed(record),
            record.share { $0.misses - ($0.time?.delayedHits ?? 0) },
          ].map { $0 ?? 0 }
          return .bar(
            record.cell.cacheName, record.cell.policy, styles, zip(shares, parts).map { ($0, $1) },
            value: shares.prefix(2).map { ChartUnit.percent.value($0) }.joined(separator: " + "))
        })
    }
    return ChartFigure(
      ["time", "requests"],
      RowChart(
        title: "Hits, delayed hits and misses",
        caption: "\(ChartUnit.percent.range(timed.map { delayed($0) ?? 0 })) of the requests were "
          + "delayed hits: their object was in flight.",
        axis: ChartAxis(title: "share of requests", unit: .percent), groups: groups, parts: parts
      ).thinned)
  }

  private func delayed(_ record: Record) -> Double? { record.share { $0.time?.delayedHits ?? 0 } }
}

/// Hits on prefixes of prompts: a row for each cell.
struct PrefixTable {
  private let records: [Record]
  private let rates: [String: Double]

  init?(_ results: RunResults) {
    records = results.records.filter { $0.prefix != nil }
    rates = Dictionary(
      (results.assumptions ?? []).compactMap { own in
        own.prefillTokensPerSecond.map { (own.configuration, $0) }
      }, uniquingKeysWith: { first, _ in first })
    if records.isEmpty { return nil }
  }

  var blocks: [Block] {
    let speeds = records.compactMap { rates[$0.cell.configuration] }.distinct.map {
      "\(NumberText.fixed($0, decimals: 0) ?? "\($0)") tokens per second"
    }
    let text: Line = """
      Requests are blocks of prompts, of as many tokens as the trace states. A prefix hit is a \
      block that was cached together with all preceding blocks of its prompt; only these save \
      computation. Tokens not computed are those in such blocks; their share is of the tokens of \
      all prompts.
      """
    let times: Line = """
       Time to first token is an estimate, not a measurement: the tokens left to compute, divided \
      by the prefill speed set in the workload (\(speeds.joined(separator: ", "))), without \
      queueing and without loading cached blocks.
      """
    return [.table(table), .paragraph(speeds.isEmpty ? text : text + times)]
  }

  private var table: Table {
    func time(_ title: String, _ tokens: @escaping (PrefixCounts) -> UInt64) -> Column<Record> {
      .init(title) { record in
        guard let prefix = record.prefix, prefix.prompts > 0,
          let rate = rates[record.cell.configuration]
        else { return Table.none }
        return Table.time(
          nanoseconds: Double(tokens(prefix)) / rate / Double(prefix.prompts) * 1e9)
      }
    }
    let times = [
      time("time to first token, without cache") { $0.inputTokens },
      time("with it") { $0.inputTokens - $0.tokens }, time("saved") { $0.tokens },
    ]
    return Table(
      records,
      Column.keys(of: records) + [
        .plain("prompts") { $0.prefix?.prompts }, .share("block hits, %") { $0.counts.hits },
        .share("prefix hits, %") { $0.prefix?.hits },
        .plain("tokens not computed") { $0.prefix?.tokens },
        .share("share, %", { $0.prefix?.tokens }, of: { $0.prefix?.inputTokens }),
      ] + (records.contains { rates[$0.cell.configuration] != nil } ? times : []))
  }
}

/// Flash writes of disk caches by four measures, and the lifetime of a drive: a row for each cell.
struct FlashTable {
  private let records: [Record]
  private let results: RunResults

  init?(_ results: RunResults) {
    self.results = results
    records = results.records.filter { $0.flash != nil }
    if records.isEmpty { return nil }
  }

  var blocks: [Block] {
    let used = records.map { record in
      let used = drive(of: record).utilisation * 100
      return "\(NumberText.fixed(used, decimals: 0) ?? "\(used)") %"
    }.distinct
    let text: Line = """
      Bytes written to flash by the cache after the warm-up. Application write amplification \
      divides them by the bytes of objects inserted; the next two columns by the bytes of all \
      distinct objects of the trace (as the S3-FIFO paper does), and by the bytes requested (as \
      Google does). Device writes are an estimate: the fuller the drive \
      (\(used.joined(separator: ", ")) in use), the larger its own write amplification; \
      docs/flash.md has the table.
      """
    let lifetime: Line = """
       Drive lifetime, an estimate, is the endurance set in the workload divided by the device \
      writes at the rate of the counted requests.
      """
    return [.table(table), .paragraph(hasYears ? text + lifetime : text)]
  }

  private var hasYears: Bool { records.contains { years($0) != nil } }

  private func drive(of record: Record) -> DriveModel {
    results.assumptions?.first { $0.configuration == record.cell.configuration }?.drive
      ?? DriveModel()
  }

  private func years(_ record: Record) -> Double? {
    record.flash.flatMap { drive(of: record).years(of: $0) }
      .map { $0 * (facts(of: record)?.samplingRate ?? 1) }
  }

  private func facts(of record: Record) -> TraceFacts? {
    let facts = results.traces.filter { $0.name == record.cell.trace }
    return facts.first { $0.seed == record.cell.seed } ?? facts.first { $0.seed == nil }
  }

  private func unique(_ record: Record) -> UInt64? {
    let own = facts(of: record)
    return own?.samplingRate == nil ? own?.footprintBytes : nil
  }

  private var table: Table {
    func bytes(_ title: String, _ value: @escaping (FlashCounts) -> UInt64) -> Column<Record> {
      .init(title) { Table.bytes($0.flash.map { Double(value($0)) }) }
    }
    func ratio(_ title: String, _ whole: @escaping (Record) -> UInt64?) -> Column<Record> {
      .init(title) { record in
        guard let flash = record.flash, let whole = whole(record), whole > 0 else {
          return Table.none
        }
        return Table.number(Double(flash.writtenBytes) / Double(whole), 3)
      }
    }
    return Table(
      records,
      Column.keys(of: records) + [
        .share("hits, %") { $0.counts.hits }, bytes("inserted") { $0.insertedBytes },
        bytes("reinserted") { $0.reinsertedBytes }, bytes("written") { $0.writtenBytes },
        ratio("application write amplification") { $0.flash?.insertedBytes },
        ratio("written / unique bytes") { unique($0) },
        ratio("written / requested") { $0.counts.bytesRequested },
        .init("device writes") { record in
          Table.bytes(record.flash.map { drive(of: record).deviceBytes(of: $0) })
        },
      ] + (hasYears ? [.init("drive lifetime, years") { Table.number(years($0), 1) }] : []))
  }
}
