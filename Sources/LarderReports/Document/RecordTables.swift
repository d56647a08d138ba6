import LarderEngine
import LarderExperiments
import LarderSupport

extension Column<Record> {
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
      return Table.number(Double(part) / Double(whole) * 100, 2)
    }
  }
}

struct TimeTable {
  let records: [Record]

  init?(_ records: [Record]) {
    self.records = records.filter { $0.counts.time != nil }
    if self.records.isEmpty { return nil }
  }

  var blocks: [Block] {
    let meaning =
      records.contains { $0.cell.kind != .memory }
      ? "Fetches take time, and so may reads from disk. A delayed hit is a request for an object "
        + "in flight, which waits for that fetch or read; memory hits do not wait, disk hits wait "
        + "for their read."
      : "Fetches take time. A delayed hit is a request for an object in flight, which waits for "
        + "that fetch; hits do not wait."
    return [.table(table), .paragraph([.text("\(meaning) Waits are over all requests.")])]
  }

  var table: Table {
    func wait(_ title: String, _ value: @escaping (TimeCounts) -> Double?) -> Column<Record> {
      .init(title) { record in
        guard let time = record.counts.time, let wait = value(time) else { return Table.none }
        return time.clock == .requests
          ? Table.number(wait, 1) : Table.time(nanoseconds: wait * 1000)
      }
    }
    func count(_ title: String, _ value: @escaping (TimeCounts) -> UInt64) -> Column<Record> {
      .init(title) { $0.counts.time.map { .text("\(value($0))") } ?? Table.none }
    }
    return Table(
      records,
      Column.keys(of: records) + [
        .share("hits, %") { $0.counts.hits },
        .share("delayed, %") { $0.counts.time?.delayedHits },
        .share("misses, %") { $0.counts.misses - ($0.counts.time?.delayedHits ?? 0) },
        .init("mean wait") { record in
          guard let time = record.counts.time, record.counts.requests > 0 else {
            return Table.none
          }
          let mean = Double(time.totalLatency) / Double(record.counts.requests)
          return time.clock == .requests
            ? Table.number(mean, 1) : Table.time(nanoseconds: mean * 1000)
        },
        wait("p50") { Double($0.p50Latency) }, wait("p99") { Double($0.p99Latency) },
        count("fetches") { $0.originFetches }, count("most in flight") { $0.maxInFlight },
      ])
  }

  /// Hits, delayed hits and misses as stacked bars; nil for fewer than two cells. Only the first of
  /// several seeds is drawn; the table has all.
  func chart(_ styles: PolicyStyles) -> ChartFigure? {
    let timed = records.filter { $0.cell.seed == records[0].cell.seed }
    guard timed.count > 1 else { return nil }
    let hasTraces = Set(timed.map(\.cell.trace)).count > 1
    var groups: [RowChart.Group] = []
    for record in timed {
      let cell = record.cell
      let title = hasTraces ? "\(cell.trace), \(cell.capacityLabel)" : cell.capacityLabel
      let shares = [
        record.share(\.hits), record.share { $0.time?.delayedHits ?? 0 },
        record.share { $0.misses - ($0.time?.delayedHits ?? 0) },
      ].map { $0 ?? 0 }
      let row = RowChart.Row.bar(
        cell.cacheName, cell.policy, styles, zip(shares, Self.parts).map { ($0, $1) },
        value: shares.prefix(2).map { ChartUnit.percent.value($0) }.joined(separator: " + "))
      if let place = groups.firstIndex(where: { $0.title == title }) {
        groups[place].rows.append(row)
      } else {
        groups.append(RowChart.Group(title: title, rows: [row]))
      }
    }
    let delayed = timed.map { $0.share { $0.time?.delayedHits ?? 0 } ?? 0 }
    return ChartFigure(
      ["time", "requests"],
      RowChart(
        title: "Hits, delayed hits and misses",
        caption: "\(ComparisonCharts.range(delayed)) of the requests were delayed hits: their "
          + "object was in flight.",
        axis: ChartAxis(title: "share of requests", unit: .percent), groups: groups,
        parts: Self.parts
      ).thinned)
  }

  private static let parts = ["hits", "delayed hits", "misses"]
}

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
    var text =
      "Requests are blocks of prompts, of as many tokens as the trace states. A prefix hit is a "
      + "block that was cached together with all preceding blocks of its prompt; only these save "
      + "computation. Tokens not computed are those in such blocks; their share is of the tokens "
      + "of all prompts."
    let shown = distinctRates
    if !shown.isEmpty {
      let words = shown.map { "\(NumberText.fixed($0, decimals: 0) ?? "\($0)") tokens per second" }
      text +=
        " Time to first token is an estimate, not a measurement: the tokens left to compute, "
        + "divided by the prefill speed set in the workload (\(words.joined(separator: ", "))), "
        + "without queueing and without loading cached blocks."
    }
    return [.table(table), .paragraph([.text(text)])]
  }

  private var distinctRates: [Double] {
    var seen: Set<Double> = []
    return records.compactMap { rates[$0.cell.configuration] }.filter { seen.insert($0).inserted }
  }

  var table: Table {
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
        .init("prompts") { $0.prefix.map { .text("\($0.prompts)") } ?? Table.none },
        .share("block hits, %") { $0.counts.hits }, .share("prefix hits, %") { $0.prefix?.hits },
        .init("tokens not computed") { $0.prefix.map { .text("\($0.tokens)") } ?? Table.none },
        .share("share, %", { $0.prefix?.tokens }, of: { $0.prefix?.inputTokens }),
      ] + (distinctRates.isEmpty ? [] : times))
  }
}

struct FlashTable {
  private let records: [Record]
  private let results: RunResults

  init?(_ results: RunResults) {
    self.results = results
    records = results.records.filter { $0.flash != nil }
    if records.isEmpty { return nil }
  }

  var blocks: [Block] {
    var seen: Set<String> = []
    let used = records.map { record in
      let used = drive(of: record).utilisation * 100
      return "\(NumberText.fixed(used, decimals: 0) ?? "\(used)") %"
    }.filter { seen.insert($0).inserted }
    var text =
      "Bytes written to flash by the cache after the warm-up. Application write amplification "
      + "divides them by the bytes of objects inserted; the next two columns by the bytes of all "
      + "distinct objects of the trace (as the S3-FIFO paper does), and by the bytes requested "
      + "(as Google does). Device writes are an estimate: the fuller the drive "
      + "(\(used.joined(separator: ", ")) in use), the larger its own write amplification; "
      + "docs/flash.md has the table."
    if hasYears {
      text +=
        " Drive lifetime, an estimate, is the endurance set in the workload divided by the device "
        + "writes at the rate of the counted requests."
    }
    return [.table(table), .paragraph([.text(text)])]
  }

  private var hasYears: Bool { records.contains { years($0) != nil } }

  private func drive(of record: Record) -> DriveModel {
    results.assumptions?.first { $0.configuration == record.cell.configuration }?.drive
      ?? DriveModel()
  }

  private func years(_ record: Record) -> Double? {
    record.flash.flatMap { drive(of: record).years(of: $0) }
  }

  private func unique(_ record: Record) -> UInt64? {
    let facts = results.traces.filter { $0.name == record.cell.trace }
    let own = facts.first { $0.seed == record.cell.seed } ?? facts.first { $0.seed == nil }
    return own?.samplingRate == nil ? own?.footprintBytes : nil
  }

  var table: Table {
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
