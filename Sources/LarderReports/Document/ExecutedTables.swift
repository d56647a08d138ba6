import LarderEngine
import LarderExperiments
import LarderSupport

/// The executed runs of one cache at one capacity with one number of threads: all seeds and
/// repetitions.
struct ExecutedRow {
  let records: [Record]
  let executions: [Execution]
  let threads: Int

  static func all(in records: [Record]) -> [ExecutedRow] {
    let runs = records.flatMap { record in (record.executions ?? []).map { (record, $0) } }
    return runs.grouped { place($0.0.cell) }.flatMap { _, runs in
      Dictionary(grouping: runs, by: \.1.threads).sorted { $0.key < $1.key }.map { threads, runs in
        ExecutedRow(records: runs.map(\.0), executions: runs.map(\.1), threads: threads)
      }
    }
  }

  private static func place(_ cell: Cell) -> [String] {
    [cell.trace, cell.configuration, cell.policy, cell.capacityLabel]
  }

  var place: [String] { Self.place(cell) }

  var cell: Cell { records[0].cell }

  var name: String { cell.cacheName }

  func spread(_ value: (Execution) -> Double?) -> Spread? { Spread(executions, of: value) }

  func median(_ value: (Execution) -> UInt64?) -> Double? {
    spread { value($0).map { Double($0) } }?.median
  }

  var hitRatio: Spread? { spread { $0.counts.hitRatio } }

  var requestsPerSecond: Spread? { spread { $0.timing.requestsPerSecond } }

  func largest(_ value: (Execution) -> Double?) -> Double? { executions.compactMap(value).max() }
}

struct ExecutedTables {
  let rows: [ExecutedRow]

  typealias Column = LarderReports.Column<ExecutedRow>

  private func table(_ columns: [Column], of rows: [ExecutedRow]? = nil) -> Table {
    Table(
      rows ?? self.rows,
      [
        .init("cache") { .text($0.name) }, .init("capacity") { .text($0.cell.capacityLabel) },
        .init("threads") { .text("\($0.threads)") },
      ] + columns)
  }

  private static var hitRatio: Column { .init("hit ratio, %") { Table.percent($0.hitRatio?.mean) } }

  private static func speed(_ title: String, _ value: KeyPath<Spread, Double>) -> Column {
    .init(title) { Table.number($0.requestsPerSecond.map { $0[keyPath: value] / 1e3 }, 1) }
  }

  private static func memory(_ title: String, _ value: KeyPath<Execution, Double?>) -> Column {
    .init(title) { Table.number($0.largest { $0[keyPath: value] }, 1) }
  }

  /// A column of latencies: the median over the runs.
  private static func time(_ title: String, _ value: @escaping (Execution) -> UInt64?) -> Column {
    .init(title) { Table.time(nanoseconds: $0.median(value)) }
  }

  private static func bytes(_ title: String, _ value: KeyPath<Execution, UInt64?>) -> Column {
    .init(title) { row in Table.bytes(row.median { $0[keyPath: value] }) }
  }

  var throughput: Table {
    table([
      Self.hitRatio, Self.speed("thousand requests/s, median", \.median),
      Self.speed("slowest", \.smallest), Self.speed("fastest", \.largest),
      .init("runs") { .text("\($0.executions.count)") },
      Self.memory("memory, bytes per object", \.memoryBytesPerObject),
      Self.memory("of which key and value", \.memoryPayloadBytesPerObject),
    ])
  }

  static var percentiles: [(name: String, path: KeyPath<MeasuredLatency, UInt64>)] {
    [("p50", \.p50), ("p90", \.p90), ("p99", \.p99), ("p99.9", \.p999)]
  }

  private func has(_ value: (Execution) -> Bool) -> Bool {
    rows.contains { $0.executions.contains(where: value) }
  }

  /// Percentiles of all gets, and the overall maximum.
  var gets: Table? {
    guard has({ $0.getLatency != nil }) else { return nil }
    return table(
      Self.percentiles.map { name, path in Self.time(name) { $0.getLatency?[keyPath: path] } } + [
        .init("largest") {
          Table.time(nanoseconds: $0.largest { $0.getLatency.map { Double($0.max) } })
        }
      ])
  }

  /// Median and 99th percentile of each kind of operation.
  var kinds: Table? {
    let kinds = OperationLatency.Kind.allCases.filter { kind in has { $0[kind] != nil } }
    guard !kinds.isEmpty else { return nil }
    return table(
      kinds.flatMap { kind in
        let name = kind.rawValue.replacing("-", with: " ")
        return [
          Self.time("\(name) p50") { $0[kind]?.latency.p50 },
          Self.time("p99") { $0[kind]?.latency.p99 },
        ]
      })
  }

  /// Writes to disk: medians over the runs.
  var disk: Table? {
    let own = rows.filter { $0.cell.kind != .memory }
    guard !own.isEmpty else { return nil }
    return table(
      [
        Self.bytes("files at the end", \.diskBytes),
        Self.bytes("written to disk", \.diskBytesWritten),
        .init("write amplification") {
          Table.number($0.spread { $0.writeAmplification }?.median, 2)
        },
      ], of: own)
  }

  /// The most important numbers of each run, for a terminal; medians of hits and misses.
  var summary: Table {
    table(
      [
        Self.hitRatio, Self.speed("thousand/s", \.median),
        Self.time("get p99") { $0.getLatency?.p99 },
        Self.time("memory hit p50") { $0[.memoryHit]?.latency.p50 },
        Self.time("disk hit") { $0[.diskHit]?.latency.p50 },
        Self.time("miss") { $0[.miss]?.latency.p50 },
        Self.memory("bytes/object", \.memoryBytesPerObject),
      ] + (disk == nil ? [] : [Self.bytes("written", \.diskBytesWritten)]))
  }
}

/// Servers next to their simulations: runs with one thread.
struct ServerComparison {
  private struct Row {
    let cell: Cell
    let server: ServerState
    let real: Double
    let simulated: Double
    /// Resident at the end of the simulation; nil if its counts do not say.
    let entries: UInt64?
    let evicts: Bool

    var points: Double { (simulated - real) * 100 }
  }

  private let rows: [Row]

  init(_ records: [Record]) {
    rows = records.flatMap { record in
      (record.executions ?? []).compactMap { run in
        guard run.threads == 1, let server = run.server, let real = run.counts.hitRatio,
          let simulated = record.counts.hitRatio, !record.timings.isEmpty
        else { return nil }
        let counts = record.counts
        let (left, isOdd) = counts.admissions.subtractingReportingOverflow(
          counts.evictions &+ counts.expirations)
        let isKnown = counts.sets == 0 && counts.deletes == 0 && run.warmUpRequests == 0 && !isOdd
        return Row(
          cell: record.cell, server: server, real: real, simulated: simulated,
          entries: isKnown ? left : nil, evicts: counts.evictions > 0)
      }
    }
  }

  var blocks: [Block] {
    guard !rows.isEmpty else { return [] }
    func share(of entries: UInt64?, in row: Row) -> Inline {
      guard let entries, entries > 0, row.evicts, row.server.evictions ?? 0 > 0 else {
        return .text("")
      }
      return .text("\(row.cell.capacity / entries)")
    }
    func number(_ entries: UInt64?) -> Inline { .text(entries.map(NumberText.grouped) ?? "") }
    let table = Table(
      rows,
      [
        .init("server") { .text($0.server.version) }, .init("policy") { .text($0.cell.policy) },
        .init("capacity") { .text($0.cell.capacityLabel) },
        .init("real, %") { Table.percent($0.real) },
        .init("simulated, %") { Table.percent($0.simulated) },
        .init("difference, points") { Table.number($0.points, 2) },
        .init("entries") { number($0.server.entries) },
        .init("simulated") { number($0.entries) },
        .init("bytes of capacity an entry") { share(of: $0.server.entries, in: $0) },
        .init("simulated") { share(of: $0.entries, in: $0) },
      ])
    return [.list(rows.grouped { $0.server.version }.map(Self.sentence)), .table(table)]
  }

  private static func sentence(_ version: String, _ rows: [Row]) -> Line {
    let most = rows.map { abs($0.points) }.max() ?? 0
    let mean = rows.map { abs($0.points) }.reduce(0, +) / Double(rows.count)
    func text(_ points: Double) -> String { NumberText.fixed(points, decimals: 2) ?? "" }
    return """
      Simulation within \(text(most)) points of \(version) on this machine: \(text(mean)) in the \
      mean of \(NumberText.counted(rows.count, "cell")).
      """
  }
}

/// Findings of executed runs besides their speed, in sentences: agreement with the simulation, the
/// effect of threads on the hit ratio, and correctness of the values read.
struct ExecutedFindings {
  let sentences: [Line]

  init(_ records: [Record]) {
    let executed = records.filter { !($0.executions ?? []).isEmpty }
    let runs = executed.flatMap { $0.executions ?? [] }
    sentences =
      Self.wrong(executed) + Self.equality(executed) + Self.threads(executed)
      + Self.checks(executed) + Self.sampling(runs)
      + runs.flatMap(\.notes).distinct.map { Line(text: $0) }
  }

  private static let differencesMax = 5

  private static func names(_ records: [Record]) -> Line {
    Line.names(records.map(\.cell.cacheName).distinct.map { .code($0) }, last: ", ")
  }

  /// Agreement of runs with one thread with the simulation.
  private static func equality(_ records: [Record]) -> [Line] {
    func runs(_ record: Record) -> [Execution] {
      (record.executions ?? []).filter { $0.threads == 1 && $0.equalsSimulated != nil }
    }
    let compared = records.filter { !runs($0).isEmpty }
    let different = compared.compactMap { record in
      runs(record).first { $0.equalsSimulated == false }.map { (record, $0) }
    }
    var sentences: [Line] = []
    if !compared.isEmpty {
      let sentence =
        "Executed and simulated counts are equal in \(compared.count - different.count) of "
        + "\(NumberText.counted(compared.count, "cell")) (one thread)."
      sentences.append(Line([different.isEmpty ? .text(sentence) : .strong(sentence)]))
    }
    sentences += different.prefix(differencesMax).map { record, execution in
      """
      \(code: record.cell.cacheName) at \(record.cell.capacityLabel), executed and simulated: \
      \(differences(execution.counts, record.counts)).
      """
    }
    if different.count > differencesMax {
      sentences.append("\(different.count - differencesMax) more differ.")
    }
    let own = records.filter { $0.timings.isEmpty }
    return sentences
      + (own.isEmpty
        ? []
        : ["Not simulated (counts are from the run with one thread): \(names(own))."])
  }

  private static func differences(_ executed: Counts, _ simulated: Counts) -> String {
    let quantities: [(name: String, value: (Counts) -> UInt64)] = [
      ("gets", \.requests), ("hits", \.hits), ("hits in memory", \.memoryHits),
      ("hits on disk", \.diskHits), ("stale hits", \.staleHits), ("sets", \.sets),
      ("deletes", \.deletes), ("admissions", \.admissions), ("rejections", \.rejections),
      ("evictions", \.evictions), ("expirations", \.expirations),
      ("promotions", \.promotions), ("demotions", \.demotions),
      ("bytes requested", \.bytesRequested), ("bytes hit", \.bytesHit),
      ("bytes written to memory", \.memory.bytesWritten),
      ("bytes written to disk", \.disk.bytesWritten),
      ("bytes copied between segments", { $0.disk.bytesMoved ?? 0 }),
    ]
    let different = quantities.filter { $0.value(executed) != $0.value(simulated) }.map {
      "\($0) \(NumberText.grouped($1(executed))) and \(NumberText.grouped($1(simulated)))"
    }
    return different.isEmpty
      ? "equal sums, but a different distribution over the tiers"
      : different.joined(separator: ", ")
  }

  /// The effect of several threads on the hit ratio.
  private static func threads(_ records: [Record]) -> [Line] {
    let changes = records.flatMap { record -> [(threads: Int, points: Double)] in
      guard let base = record.counts.hitRatio else { return [] }
      let runs = Dictionary(grouping: record.executions ?? [], by: \.threads)
      return runs.filter { $0.key > 1 }.compactMap { threads, runs in
        Spread(runs.compactMap(\.counts.hitRatio)).map { (threads, ($0.mean - base) * 100) }
      }
    }
    return Dictionary(grouping: changes, by: \.threads).sorted { $0.key < $1.key }.compactMap {
      threads, changes in
      guard let spread = Spread(changes.map(\.points)) else { return nil }
      let by = [spread.smallest, spread.largest].map(signed).distinct.joined(separator: " to ")
      return "\(threads) threads changed the hit ratio by \(by) points compared with one thread."
    }
  }

  private static func signed(_ value: Double) -> String {
    let text = NumberText.fixed(value, decimals: 2) ?? ""
    return value > 0 && text != "0.00" ? "+\(text)" : text
  }

  static func wrong(_ records: [Record]) -> [Line] {
    records.compactMap { record in
      let wrong = total([record], \.valuesWrong)
      guard wrong > 0 else { return nil }
      let values = "\(NumberText.grouped(wrong)) values read differ from the values written: "
      return "\(strong: values)\(code: record.cell.cacheName) at \(record.cell.capacityLabel)."
    }
  }

  private static func checks(_ records: [Record]) -> [Line] {
    let (checked, wrong) = (total(records, \.valuesChecked), total(records, \.valuesWrong))
    var sentences: [Line] = []
    if checked > 0 {
      let outcome = wrong == 0 ? "none was wrong" : "\(NumberText.grouped(wrong)) were wrong"
      sentences.append("\(NumberText.grouped(checked)) values were read and checked; \(outcome).")
    }
    let looks = total(records, \.capacityChecks)
    guard looks > 0 else { return sentences }
    let over = records.filter { total([$0], \.capacityExceeded) > 0 }
    let times = NumberText.grouped(total(records, \.capacityExceeded))
    let outcome = over.isEmpty ? "never exceeded" : "exceeded \(times) times"
    sentences.append(
      "The capacity was checked \(NumberText.grouped(looks)) times: \(outcome).")
    return sentences
      + (over.isEmpty ? [] : ["The capacity was exceeded in: \(names(over))."])
  }

  private static func sampling(_ runs: [Execution]) -> [Line] {
    let sampled = runs.map(\.timedOneIn).filter { $0 > 1 }
    guard let least = sampled.min(), let most = sampled.max() else { return [] }
    let range = least == most ? "\(most)" : "\(least) to \(most)"
    return [
      """
      In memory configurations, one operation in \(range) was timed, because reading the clock \
      takes as long as a hit.
      """
    ]
  }

  /// Saturates: results may come from a file with arbitrary numbers.
  private static func total(_ records: [Record], _ value: KeyPath<Execution, UInt64>) -> UInt64 {
    records.flatMap { $0.executions ?? [] }.reduce(0) { sum, run in
      let (sum, overflow) = sum.addingReportingOverflow(run[keyPath: value])
      return overflow ? .max : sum
    }
  }
}

struct ExecutedCharts {
  let rows: [ExecutedRow]
  let place: String
  let styles: PolicyStyles

  private typealias Drawn = (key: Double, marks: [RowChart.Mark], value: String)

  var throughput: ChartFigure? {
    let hasRanges = rows.contains { $0.requestsPerSecond?.varies ?? false }
    return figure(
      "throughput", "Throughput", ChartAxis(title: "thousand requests per second", unit: .number),
      leader: { "has the most requests per second with \($0) (\($1) thousand)" },
      note: hasRanges
        ? " Marks are medians; lines show the range from the slowest run to the fastest." : "",
      { row in
        row.requestsPerSecond.map { speed in
          func text(_ value: Double) -> String { NumberText.fixed(value / 1e3, decimals: 1) ?? "–" }
          let range = speed.range.map { $0.lowerBound / 1e3...$0.upperBound / 1e3 }
          let ends = range.map { _ in ", \(text(speed.smallest)) to \(text(speed.largest))" } ?? ""
          let mark = RowChart.Mark(
            value: speed.median / 1e3, range: range,
            label: "\(text(speed.median)) thousand requests/s\(ends)")
          return (-speed.median, [mark], text(speed.median))
        }
      })
  }

  var gets: ChartFigure? {
    figure(
      "latency", "Latency of gets",
      ChartAxis(title: "latency", unit: .nanoseconds, isLogarithmic: true),
      leader: { "has the lowest 99th percentile with \($0) (\($1))" },
      note: " Marks are p50, p90, p99 and p99.9, from left to right; the number is p99.",
      { row in
        let marks = ExecutedTables.percentiles.compactMap { name, path in
          row.median { $0.getLatency?[keyPath: path] }.map {
            RowChart.Mark(value: $0, label: "\(name) \(ChartUnit.nanoseconds.value($0))")
          }
        }
        guard marks.count == ExecutedTables.percentiles.count else { return nil }
        return (marks[2].value, marks, ChartUnit.nanoseconds.value(marks[2].value))
      })
  }

  /// A chart with a group for each number of threads, each with the smallest key first; nil if it
  /// has no rows or too many.
  private func figure(
    _ word: String, _ title: String, _ axis: ChartAxis,
    leader: (_ group: String, _ value: String) -> String, note: String,
    _ make: (ExecutedRow) -> Drawn?
  ) -> ChartFigure? {
    guard rows.count > 1, rows.count <= RowChart.rowsMax else { return nil }
    let severalCapacities = Set(rows.map(\.cell.capacityLabel)).count > 1
    let drawn = rows.compactMap { row in make(row).map { (row: row, made: $0) } }
    let groups = Dictionary(grouping: drawn, by: \.row.threads).sorted { $0.key < $1.key }
      .map { threads, drawn in
        RowChart.Group(
          title: NumberText.counted(threads, "thread"),
          rows: drawn.sorted(byKey: \.made.key).map { row, made in
            RowChart.Row(
              name: row.name + (severalCapacities ? ", \(row.cell.capacityLabel)" : ""),
              series: row.cell.policy, style: styles[row.cell.policy], marks: made.marks,
              isBar: false, value: made.value)
          })
      }
    let parts = groups.map { "\($0.rows[0].name) \(leader($0.title, $0.rows[0].value))" }
    guard !parts.isEmpty else { return nil }
    return ChartFigure(
      [place, word],
      RowChart(
        title: "\(title): \(place)", caption: parts.joined(separator: "; ") + "." + note,
        axis: axis, groups: groups))
  }
}

extension Execution {
  var timing: Timing {
    Timing(
      mode: .execute, threads: threads, repetition: repetition, requests: requests,
      seconds: seconds, latency: getLatency, memoryBytesPerObject: memoryBytesPerObject)
  }

  subscript(kind: OperationLatency.Kind) -> OperationLatency? {
    latencies.first { $0.kind == kind && $0.count > 0 }
  }
}
