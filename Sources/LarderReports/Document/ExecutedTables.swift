import LarderEngine
import LarderExperiments
import LarderSupport

/// The tables of executed runs: a row for each cache, capacity and number of threads.
struct ExecutedTables {
  let rows: [ExecutedRow]

  /// The columns that identify a row.
  private static let keys = ["cache", "capacity", "threads"]

  private static func keys(of row: ExecutedRow) -> [Inline] {
    [.text(row.name), .text(row.cell.capacityLabel), .text("\(row.threads)")]
  }

  var throughput: Table {
    var table = Table(
      titles: Self.keys + [
        "hit ratio, %", "thousand requests/s, median", "slowest", "fastest", "runs",
        "memory, bytes per object", "of which key and value",
      ])
    for row in rows {
      let speed = row.requestsPerSecond
      table.rows.append(
        Self.keys(of: row) + [
          Self.number(row.hitRatio.map { $0.mean * 100 }, 2),
          Self.number(speed.map { $0.median / 1e3 }, 1),
          Self.number(speed.map { $0.smallest / 1e3 }, 1),
          Self.number(speed.map { $0.largest / 1e3 }, 1), .text("\(row.executions.count)"),
          Self.number(row.largest { $0.memoryBytesPerObject }, 1),
          Self.number(row.largest { $0.memoryPayloadBytesPerObject }, 1),
        ])
    }
    return table
  }

  /// Percentiles of all gets: medians over the runs, and the overall maximum. Nil if none was
  /// timed.
  var gets: Table? {
    guard rows.contains(where: { $0.executions.contains { $0.getLatency != nil } }) else {
      return nil
    }
    let percentiles: [(String, KeyPath<MeasuredLatency, UInt64>)] = [
      ("p50", \.p50), ("p90", \.p90), ("p99", \.p99), ("p99.9", \.p999),
    ]
    var table = Table(titles: Self.keys + percentiles.map(\.0) + ["largest"])
    for row in rows {
      table.rows.append(
        Self.keys(of: row)
          + percentiles.map { _, path in
            Self.time(
              row.spread { $0.getLatency.map { Double($0[keyPath: path]) } }?.median)
          } + [
            Self.time(row.largest { $0.getLatency.map { Double($0.max) } })
          ])
    }
    return table
  }

  /// Median and 99th percentile of each kind of operation; nil if none was timed.
  var kinds: Table? {
    let kinds = OperationLatency.Kind.allCases.filter { kind in
      rows.contains { $0.executions.contains { $0[kind] != nil } }
    }
    guard !kinds.isEmpty else { return nil }
    var table = Table(
      titles: Self.keys + kinds.flatMap { ["\(Self.name($0)) p50", "p99"] })
    for row in rows {
      table.rows.append(
        Self.keys(of: row)
          + kinds.flatMap { kind in
            [\MeasuredLatency.p50, \.p99].map { path in
              Self.time(
                row.spread { $0[kind].map { Double($0.latency[keyPath: path]) } }?.median)
            }
          })
    }
    return table
  }

  /// Writes to disk: medians over the runs.
  var disk: Table {
    var table = Table(
      titles: Self.keys + ["files at the end", "written to disk", "write amplification"])
    for row in rows where row.cell.kind != .memory {
      table.rows.append(
        Self.keys(of: row) + [
          Self.bytes(row.spread { $0.diskBytes.map { Double($0) } }),
          Self.bytes(row.spread { $0.diskBytesWritten.map { Double($0) } }),
          Self.number(row.spread { $0.writeAmplification }?.median, 2),
        ])
    }
    return table
  }

  /// The most important numbers of each run, for a terminal; medians of hits and misses.
  var summary: Table {
    let hasDisk = rows.contains { $0.cell.kind != .memory }
    var table = Table(
      titles: Self.keys + [
        "hit ratio, %", "thousand/s", "get p99", "memory hit p50", "disk hit", "miss",
        "bytes/object",
      ] + (hasDisk ? ["written"] : []))
    for row in rows {
      table.rows.append(
        Self.keys(of: row) + [
          Self.number(row.hitRatio.map { $0.mean * 100 }, 2),
          Self.number(row.requestsPerSecond.map { $0.median / 1e3 }, 1),
          Self.time(row.spread { $0.getLatency.map { Double($0.p99) } }?.median),
        ]
          + [.memoryHit, .diskHit, .miss].map { (kind: OperationLatency.Kind) in
            Self.time(row.spread { $0[kind].map { Double($0.latency.p50) } }?.median)
          }
          + [Self.number(row.largest { $0.memoryBytesPerObject }, 1)]
          + (hasDisk ? [Self.bytes(row.spread { $0.diskBytesWritten.map { Double($0) } })] : []))
    }
    return table
  }

  static func name(_ kind: OperationLatency.Kind) -> String {
    switch kind {
    case .memoryHit: "memory hit"
    case .diskHit: "disk hit"
    case .miss: "miss"
    case .set: "set"
    case .delete: "delete"
    }
  }

  static func number(_ value: Double?, _ decimals: Int) -> Inline {
    value.flatMap { NumberText.fixed($0, decimals: decimals) }.map { .text($0) } ?? Table.none
  }

  static func time(_ nanoseconds: Double?) -> Inline {
    nanoseconds.map { .text(ChartUnit.nanoseconds.value($0)) } ?? Table.none
  }

  private static func bytes(_ spread: Spread?) -> Inline {
    guard let spread, let bytes = UInt64(exactly: spread.median.rounded()) else {
      return Table.none
    }
    return .text(NumberText.bytes(bytes))
  }
}

/// The executed runs of one cache at one capacity with one number of threads: all seeds and
/// repetitions.
struct ExecutedRow {
  /// The records that the runs belong to, one for each seed.
  let records: [Record]
  let executions: [Execution]
  /// Number of threads that drove the cache.
  let threads: Int

  /// The rows that `records` contain, in order; linear in the runs.
  static func all(in records: [Record]) -> [ExecutedRow] {
    struct Key: Hashable {
      let trace: String
      let configuration: String
      let policy: String
      let label: String
      let threads: Int
    }
    var order: [Key] = []
    var groups: [Key: (records: [Record], executions: [Execution])] = [:]
    for record in records {
      let runs = Dictionary(grouping: record.executions ?? [], by: \.threads)
      for threads in runs.keys.sorted() {
        let key = Key(
          trace: record.cell.trace, configuration: record.cell.configuration,
          policy: record.cell.policy, label: record.cell.capacityLabel, threads: threads)
        if groups[key] == nil { order.append(key) }
        groups[key, default: ([], [])].records.append(record)
        groups[key]?.executions += runs[threads] ?? []
      }
    }
    return order.compactMap { key in
      groups[key].map {
        ExecutedRow(records: $0.records, executions: $0.executions, threads: key.threads)
      }
    }
  }

  /// One of the cells, for properties that all share.
  var cell: Cell { records[0].cell }

  /// The name of the cache in tables.
  var name: String { cell.cacheName }

  /// A quantity over the runs; nil if one does not have it.
  func spread(_ value: (Execution) -> Double?) -> Spread? {
    let values = executions.compactMap(value)
    return values.count == executions.count ? Spread(values) : nil
  }

  var hitRatio: Spread? { spread { $0.counts.hitRatio } }

  /// Requests of all operations per second.
  var requestsPerSecond: Spread? { spread { $0.timing.requestsPerSecond } }

  /// The maximum over the runs that have the quantity.
  func largest(_ value: (Execution) -> Double?) -> Double? { executions.compactMap(value).max() }
}

/// Findings of executed runs besides their speed, in sentences: agreement with the simulation, the
/// effect of threads on the hit ratio, and correctness of the values read.
struct ExecutedFindings {
  /// The sentences, the most important first.
  let sentences: [[Inline]]

  init(_ records: [Record]) {
    let executed = records.filter { !($0.executions ?? []).isEmpty }
    sentences =
      Self.wrong(executed) + Self.equality(executed) + Self.threads(executed)
      + Self.checks(executed) + Self.sampling(executed) + Self.notes(executed)
  }

  /// The most differences that are listed one by one.
  private static let differencesMax = 5

  /// Agreement of runs with one thread with the simulation.
  private static func equality(_ records: [Record]) -> [[Inline]] {
    var sentences: [[Inline]] = []
    let compared = records.filter { record in
      alone(record).contains { $0.equalsSimulated != nil }
    }
    let different = compared.filter { record in
      alone(record).contains { $0.equalsSimulated == false }
    }
    if !compared.isEmpty {
      let equal = compared.count - different.count
      let sentence =
        "Executed and simulated counts are equal in \(equal) of \(compared.count) "
        + "\(compared.count == 1 ? "cell" : "cells") (one thread)."
      sentences.append([different.isEmpty ? .text(sentence) : .strong(sentence)])
    }
    for record in different.prefix(differencesMax) {
      guard let execution = alone(record).first(where: { $0.equalsSimulated == false }) else {
        continue
      }
      sentences.append([
        .code(record.cell.cacheName),
        .text(
          " at \(record.cell.capacityLabel), executed and simulated: "
            + "\(differences(execution.counts, record.counts))."),
      ])
    }
    if different.count > differencesMax {
      sentences.append([.text("\(different.count - differencesMax) more differ.")])
    }
    let own = records.filter { $0.timings.isEmpty }.map { $0.cell.cacheName }
    if !own.isEmpty {
      sentences.append(
        [.text("Not simulated (counts are from the run with one thread): ")]
          + names(own) + ["."])
    }
    return sentences
  }

  /// Each name once, separated by commas.
  private static func names(_ names: [String]) -> [Inline] {
    var seen: Set<String> = []
    let unique = names.filter { seen.insert($0).inserted }
    return Inline.names(unique.map { .code($0) }, last: ", ")
  }

  private static func alone(_ record: Record) -> [Execution] {
    (record.executions ?? []).filter { $0.threads == 1 }
  }

  /// The counts that differ, each with both numbers.
  private static func differences(_ executed: Counts, _ simulated: Counts) -> String {
    let quantities: [(name: String, value: KeyPath<Counts, UInt64>)] = [
      ("gets", \.requests), ("hits", \.hits), ("hits in memory", \.memoryHits),
      ("hits on disk", \.diskHits), ("stale hits", \.staleHits), ("sets", \.sets),
      ("deletes", \.deletes), ("admissions", \.admissions), ("rejections", \.rejections),
      ("evictions", \.evictions), ("expirations", \.expirations),
      ("promotions", \.promotions), ("demotions", \.demotions),
      ("bytes requested", \.bytesRequested), ("bytes hit", \.bytesHit),
      ("bytes written to memory", \.memory.bytesWritten),
      ("bytes written to disk", \.disk.bytesWritten),
    ]
    var values = quantities.map { name, value in
      (name, executed[keyPath: value], simulated[keyPath: value])
    }
    values.append(
      (
        "bytes copied between segments", executed.disk.bytesMoved ?? 0,
        simulated.disk.bytesMoved ?? 0
      ))
    let different = values.filter { $0.1 != $0.2 }
    return different.isEmpty
      ? "equal sums, but a different distribution over the tiers"
      : different.map { name, executed, simulated in
        "\(name) \(NumberText.grouped(executed)) and \(NumberText.grouped(simulated))"
      }.joined(separator: ", ")
  }

  /// The effect of several threads on the hit ratio.
  private static func threads(_ records: [Record]) -> [[Inline]] {
    var changes: [Int: [Double]] = [:]
    for record in records {
      guard let base = record.counts.hitRatio else { continue }
      for (threads, runs) in Dictionary(grouping: record.executions ?? [], by: \.threads)
      where threads > 1 {
        guard let ratio = Spread(runs.compactMap(\.counts.hitRatio))?.mean else { continue }
        changes[threads, default: []].append((ratio - base) * 100)
      }
    }
    return changes.keys.sorted().compactMap { threads -> [Inline]? in
      guard let spread = Spread(changes[threads] ?? []) else { return nil }
      let low = signed(spread.smallest)
      let high = signed(spread.largest)
      let by = low == high ? "\(low) points" : "\(low) to \(high) points"
      return [
        .text("\(threads) threads changed the hit ratio by \(by) compared with one thread.")
      ]
    }
  }

  private static func signed(_ value: Double) -> String {
    let text = NumberText.fixed(value, decimals: 2) ?? ""
    return value > 0 && text != "0.00" ? "+\(text)" : text
  }

  /// Values that differ from the written ones, the worst fault of a cache.
  static func wrong(_ records: [Record]) -> [[Inline]] {
    records.compactMap { record -> [Inline]? in
      let wrong = total(record, \.valuesWrong)
      guard wrong > 0 else { return nil }
      return [
        .strong("\(NumberText.grouped(wrong)) values read differ from the values written: "),
        .code(record.cell.cacheName),
        .text(" at \(record.cell.capacityLabel)."),
      ]
    }
  }

  private static func checks(_ records: [Record]) -> [[Inline]] {
    let checked = total(records, \.valuesChecked)
    let wrong = total(records, \.valuesWrong)
    var sentences: [[Inline]] = []
    if checked > 0 {
      let outcome = wrong == 0 ? "none was wrong" : "\(NumberText.grouped(wrong)) were wrong"
      sentences.append([
        .text("\(NumberText.grouped(checked)) values were read and checked; \(outcome).")
      ])
    }
    let looks = total(records, \.capacityChecks)
    if looks > 0 {
      let exceeded = total(records, \.capacityExceeded)
      let outcome =
        exceeded == 0
        ? "never exceeded" : "exceeded \(NumberText.grouped(exceeded)) times"
      sentences.append([
        .text(
          "The capacity was checked \(NumberText.grouped(looks)) times: "
            + "\(outcome).")
      ])
      let over = records.filter { total($0, \.capacityExceeded) > 0 }
      if !over.isEmpty {
        sentences.append(
          [.text("The capacity was exceeded in: ")]
            + names(over.map { $0.cell.cacheName }) + ["."])
      }
    }
    return sentences
  }

  /// A note if only some operations were timed.
  private static func sampling(_ records: [Record]) -> [[Inline]] {
    let sampled = records.flatMap { $0.executions ?? [] }.map(\.timedOneIn).filter { $0 > 1 }
    guard let least = sampled.min(), let most = sampled.max() else { return [] }
    let range = least == most ? "\(most)" : "\(least) to \(most)"
    return [
      [
        .text(
          "In memory configurations, one operation in \(range) was timed, because reading the "
            + "clock takes as long as a hit.")
      ]
    ]
  }

  /// Notes of the runs, without duplicates.
  private static func notes(_ records: [Record]) -> [[Inline]] {
    var seen: Set<String> = []
    let notes = records.flatMap { $0.executions ?? [] }.flatMap(\.notes)
    return notes.filter { seen.insert($0).inserted }.map { [.text($0)] }
  }

  private static func total(_ records: [Record], _ value: KeyPath<Execution, UInt64>) -> UInt64 {
    records.reduce(0) { sum($0, total($1, value)) }
  }

  private static func total(_ record: Record, _ value: KeyPath<Execution, UInt64>) -> UInt64 {
    (record.executions ?? []).reduce(0) { sum($0, $1[keyPath: value]) }
  }

  /// Saturates: results may come from a file with arbitrary numbers.
  private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}

/// The charts of executed runs, from the rows of their tables.
struct ExecutedCharts {
  /// The rows, one for each cache, capacity and number of threads.
  let rows: [ExecutedRow]
  /// The prefix of chart names.
  let place: String
  let styles: PolicyStyles

  private var isDrawn: Bool { rows.count > 1 && rows.count <= RowChart.rowsMax }

  private static var percentiles: [(name: String, path: KeyPath<MeasuredLatency, UInt64>)] {
    [("p50", \.p50), ("p90", \.p90), ("p99", \.p99), ("p99.9", \.p999)]
  }

  /// Requests per second, with the range over the repetitions.
  var throughput: ChartFigure? {
    guard isDrawn else { return nil }
    let groups = byThreads { row -> (Double, RowChart.Row)? in
      guard let speed = row.requestsPerSecond else { return nil }
      let text = "\(Self.thousands(speed.median)) thousand requests/s"
      let range =
        speed.varies
        ? ", \(Self.thousands(speed.smallest)) to \(Self.thousands(speed.largest))" : ""
      let mark = RowChart.Mark(
        speed.median / 1e3,
        range: speed.varies ? (speed.smallest / 1e3)...(speed.largest / 1e3) : nil,
        label: text + range)
      return (speed.median, self.row(row, [mark], Self.thousands(speed.median)))
    }
    guard
      let caption = leaders(groups, of: "the most requests per second", unit: " thousand")
    else { return nil }
    let hasRanges = rows.contains { $0.requestsPerSecond?.varies ?? false }
    return ChartFigure(
      [place, "throughput"],
      RowChart(
        title: "Throughput: \(place)",
        caption: caption
          + (hasRanges
            ? " Marks are medians; lines show the range from the slowest run to the fastest."
            : ""),
        axis: ChartAxis(title: "thousand requests per second", unit: .number), groups: groups))
  }

  /// Percentiles of all gets as marks.
  var gets: ChartFigure? {
    guard isDrawn else { return nil }
    let groups = byThreads { row -> (Double, RowChart.Row)? in
      let marks = Self.percentiles.compactMap { name, path in
        Self.mark(name, row.spread { $0.getLatency.map { Double($0[keyPath: path]) } })
      }
      guard marks.count == Self.percentiles.count else { return nil }
      return (-marks[2].value, self.row(row, marks, ChartUnit.nanoseconds.value(marks[2].value)))
    }
    guard let caption = leaders(groups, of: "the lowest 99th percentile", unit: "") else {
      return nil
    }
    return ChartFigure(
      [place, "latency"],
      RowChart(
        title: "Latency of gets: \(place)",
        caption: caption
          + " Marks are p50, p90, p99 and p99.9, from left to right; the number is p99.",
        axis: ChartAxis(title: "latency", unit: .nanoseconds, isLogarithmic: true),
        groups: groups))
  }

  private static func mark(_ name: String, _ spread: Spread?) -> RowChart.Mark? {
    spread.map {
      RowChart.Mark($0.median, label: "\(name) \(ChartUnit.nanoseconds.value($0.median))")
    }
  }

  private static func thousands(_ value: Double) -> String {
    NumberText.fixed(value / 1e3, decimals: 1) ?? "–"
  }

  private func row(
    _ row: ExecutedRow, _ marks: [RowChart.Mark], _ value: String
  ) -> RowChart.Row {
    var name = row.name
    if Set(rows.map(\.cell.capacityLabel)).count > 1 { name += ", \(row.cell.capacityLabel)" }
    return RowChart.Row(
      name: name, series: row.cell.policy, style: styles[row.cell.policy],
      content: .marks(marks), value: value)
  }

  private static func threads(_ count: Int) -> String {
    NumberText.counted(count, "thread")
  }

  /// A group for each number of threads, each with the best first.
  private func byThreads(_ make: (ExecutedRow) -> (Double, RowChart.Row)?) -> [RowChart.Group] {
    Set(rows.map(\.threads)).sorted().compactMap { threads in
      let drawn = rows.filter { $0.threads == threads }.compactMap(make).sorted(byKey: { -$0.0 })
      return drawn.isEmpty
        ? nil : RowChart.Group(title: Self.threads(threads), rows: drawn.map(\.1))
    }
  }

  private func leaders(_ groups: [RowChart.Group], of what: String, unit: String) -> String? {
    let parts = groups.compactMap { group in
      group.rows.first.map { "\($0.name) has \(what) with \(group.title) (\($0.value)\(unit))" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ") + "."
  }
}

extension Execution {
  /// The run as a timing, with the latency of all gets.
  var timing: Timing {
    Timing(
      mode: .execute, threads: threads, repetition: repetition, requests: requests,
      seconds: seconds, latency: getLatency, memoryBytesPerObject: memoryBytesPerObject)
  }

  /// The latency of one kind of operation; nil if none was made.
  subscript(kind: OperationLatency.Kind) -> OperationLatency? {
    latencies.first { $0.kind == kind && $0.count > 0 }
  }
}
