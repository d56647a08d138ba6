import LarderEngine
import LarderExperiments
import LarderSupport

struct ExecutedTables {
  let rows: [ExecutedRow]

  typealias Column = LarderReports.Column<ExecutedRow>

  private static var keys: [Column] {
    [
      .init("cache") { .text($0.name) }, .init("capacity") { .text($0.cell.capacityLabel) },
      .init("threads") { .text("\($0.threads)") },
    ]
  }

  private static var hitRatio: Column {
    .init("hit ratio, %") { Table.number($0.hitRatio.map { $0.mean * 100 }, 2) }
  }

  private static func speed(_ title: String, _ value: KeyPath<Spread, Double>) -> Column {
    .init(title) { Table.number($0.requestsPerSecond.map { $0[keyPath: value] / 1e3 }, 1) }
  }

  private static func memory(_ title: String, _ value: KeyPath<Execution, Double?>) -> Column {
    .init(title) { Table.number($0.largest { $0[keyPath: value] }, 1) }
  }

  private static func time(
    _ title: String, _ value: @escaping (Execution) -> UInt64?
  ) -> Column {
    .init(title) { row in
      Table.time(nanoseconds: row.spread { value($0).map { Double($0) } }?.median)
    }
  }

  private static func bytes(_ title: String, _ value: KeyPath<Execution, UInt64?>) -> Column {
    .init(title) { row in
      Table.bytes(row.spread { $0[keyPath: value].map { Double($0) } }?.median)
    }
  }

  private func table(_ columns: [Column]) -> Table { Table(rows, Self.keys + columns) }

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

  var gets: Table? {
    guard rows.contains(where: { $0.executions.contains { $0.getLatency != nil } }) else {
      return nil
    }
    return table(
      Self.percentiles.map { name, path in Self.time(name) { $0.getLatency?[keyPath: path] } } + [
        .init("largest") {
          Table.time(nanoseconds: $0.largest { $0.getLatency.map { Double($0.max) } })
        }
      ])
  }

  var kinds: Table? {
    let kinds = OperationLatency.Kind.allCases.filter { kind in
      rows.contains { $0.executions.contains { $0[kind] != nil } }
    }
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

  var disk: Table {
    Table(
      rows.filter { $0.cell.kind != .memory },
      Self.keys + [
        Self.bytes("files at the end", \.diskBytes),
        Self.bytes("written to disk", \.diskBytesWritten),
        .init("write amplification") {
          Table.number($0.spread { $0.writeAmplification }?.median, 2)
        },
      ])
  }

  var summary: Table {
    let hasDisk = rows.contains { $0.cell.kind != .memory }
    return table(
      [
        Self.hitRatio, Self.speed("thousand/s", \.median),
        Self.time("get p99") { $0.getLatency?.p99 },
        Self.time("memory hit p50") { $0[.memoryHit]?.latency.p50 },
        Self.time("disk hit") { $0[.diskHit]?.latency.p50 },
        Self.time("miss") { $0[.miss]?.latency.p50 },
        Self.memory("bytes/object", \.memoryBytesPerObject),
      ] + (hasDisk ? [Self.bytes("written", \.diskBytesWritten)] : []))
  }
}

/// The executed runs of one cache at one capacity with one number of threads: all seeds and
/// repetitions.
struct ExecutedRow {
  let records: [Record]
  let executions: [Execution]
  let threads: Int

  static func all(in records: [Record]) -> [ExecutedRow] {
    var order: [Place] = []
    var rows: [Place: [Int: ExecutedRow]] = [:]
    for record in records {
      let place = Place(record.cell)
      for (threads, runs) in Dictionary(grouping: record.executions ?? [], by: \.threads) {
        if rows[place] == nil { order.append(place) }
        let known = rows[place, default: [:]][threads]
        rows[place, default: [:]][threads] = ExecutedRow(
          records: (known?.records ?? []) + [record], executions: (known?.executions ?? []) + runs,
          threads: threads)
      }
    }
    return order.flatMap { place in
      (rows[place] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }
  }

  struct Place: Hashable {
    let names: [String]

    init(_ cell: Cell) {
      names = [cell.trace, cell.configuration, cell.policy, cell.capacityLabel]
    }
  }

  var place: Place { Place(cell) }

  var cell: Cell { records[0].cell }

  var name: String { cell.cacheName }

  func spread(_ value: (Execution) -> Double?) -> Spread? {
    let values = executions.compactMap(value)
    return values.count == executions.count ? Spread(values) : nil
  }

  var hitRatio: Spread? { spread { $0.counts.hitRatio } }

  var requestsPerSecond: Spread? { spread { $0.timing.requestsPerSecond } }

  func largest(_ value: (Execution) -> Double?) -> Double? { executions.compactMap(value).max() }
}

struct ExecutedFindings {
  let sentences: [[Inline]]

  init(_ records: [Record]) {
    let executed = records.filter { !($0.executions ?? []).isEmpty }
    let runs = executed.flatMap { $0.executions ?? [] }
    sentences =
      Self.wrong(executed) + Self.equality(executed) + Self.threads(executed)
      + Self.checks(executed) + Self.sampling(runs)
      + Self.unique(runs.flatMap(\.notes)).map { [.text($0)] }
  }

  private static let differencesMax = 5

  private static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  private static func names(_ records: [Record]) -> [Inline] {
    Inline.names(unique(records.map(\.cell.cacheName)).map { .code($0) }, last: ", ")
  }

  private static func equality(_ records: [Record]) -> [[Inline]] {
    func run(_ record: Record, _ isEqual: Bool? = nil) -> Execution? {
      (record.executions ?? []).first { run in
        run.threads == 1 && run.equalsSimulated.map { isEqual == nil || $0 == isEqual } ?? false
      }
    }
    let compared = records.filter { run($0) != nil }
    let different = compared.compactMap { record in run(record, false).map { (record, $0) } }
    var sentences: [[Inline]] = []
    if !compared.isEmpty {
      let sentence =
        "Executed and simulated counts are equal in \(compared.count - different.count) of "
        + "\(NumberText.counted(compared.count, "cell")) (one thread)."
      sentences.append([different.isEmpty ? .text(sentence) : .strong(sentence)])
    }
    sentences += different.prefix(differencesMax).map { record, execution in
      [
        .code(record.cell.cacheName),
        .text(
          " at \(record.cell.capacityLabel), executed and simulated: "
            + "\(differences(execution.counts, record.counts))."),
      ]
    }
    if different.count > differencesMax {
      sentences.append([.text("\(different.count - differencesMax) more differ.")])
    }
    let own = records.filter { $0.timings.isEmpty }
    if !own.isEmpty {
      sentences.append(
        [.text("Not simulated (counts are from the run with one thread): ")] + names(own) + ["."])
    }
    return sentences
  }

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
    let values =
      quantities.map { ($0, executed[keyPath: $1], simulated[keyPath: $1]) } + [
        (
          "bytes copied between segments", executed.disk.bytesMoved ?? 0,
          simulated.disk.bytesMoved ?? 0
        )
      ]
    let different = values.filter { $0.1 != $0.2 }.map { name, executed, simulated in
      "\(name) \(NumberText.grouped(executed)) and \(NumberText.grouped(simulated))"
    }
    return different.isEmpty
      ? "equal sums, but a different distribution over the tiers"
      : different.joined(separator: ", ")
  }

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
    return changes.sorted { $0.key < $1.key }.compactMap { threads, changes in
      guard let spread = Spread(changes) else { return nil }
      let (low, high) = (signed(spread.smallest), signed(spread.largest))
      let by = low == high ? low : "\(low) to \(high)"
      return [
        .text("\(threads) threads changed the hit ratio by \(by) points compared with one thread.")
      ]
    }
  }

  private static func signed(_ value: Double) -> String {
    let text = NumberText.fixed(value, decimals: 2) ?? ""
    return value > 0 && text != "0.00" ? "+\(text)" : text
  }

  static func wrong(_ records: [Record]) -> [[Inline]] {
    records.compactMap { record -> [Inline]? in
      let wrong = total([record], \.valuesWrong)
      guard wrong > 0 else { return nil }
      return [
        .strong("\(NumberText.grouped(wrong)) values read differ from the values written: "),
        .code(record.cell.cacheName), .text(" at \(record.cell.capacityLabel)."),
      ]
    }
  }

  private static func checks(_ records: [Record]) -> [[Inline]] {
    let (checked, wrong) = (total(records, \.valuesChecked), total(records, \.valuesWrong))
    var sentences: [[Inline]] = []
    if checked > 0 {
      let outcome = wrong == 0 ? "none was wrong" : "\(NumberText.grouped(wrong)) were wrong"
      sentences.append([
        .text("\(NumberText.grouped(checked)) values were read and checked; \(outcome).")
      ])
    }
    let looks = total(records, \.capacityChecks)
    guard looks > 0 else { return sentences }
    let over = records.filter { total([$0], \.capacityExceeded) > 0 }
    let times = NumberText.grouped(total(records, \.capacityExceeded))
    let outcome = over.isEmpty ? "never exceeded" : "exceeded \(times) times"
    sentences.append([
      .text("The capacity was checked \(NumberText.grouped(looks)) times: \(outcome).")
    ])
    if !over.isEmpty {
      sentences.append([.text("The capacity was exceeded in: ")] + names(over) + ["."])
    }
    return sentences
  }

  private static func sampling(_ runs: [Execution]) -> [[Inline]] {
    let sampled = runs.map(\.timedOneIn).filter { $0 > 1 }
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

  var throughput: ChartFigure? {
    let hasRanges = rows.contains { $0.requestsPerSecond?.varies ?? false }
    return figure(
      "throughput", "Throughput", ChartAxis(title: "thousand requests per second", unit: .number),
      leader: { "has the most requests per second with \($0) (\($1) thousand)" },
      note: hasRanges
        ? " Marks are medians; lines show the range from the slowest run to the fastest." : "",
      { row in
        row.requestsPerSecond.map { speed in
          let mark = RowChart.Mark(
            speed, scaledBy: 1e3, decimals: 1, unit: "thousand requests/s")
          return (-speed.median, [mark], NumberText.fixed(speed.median / 1e3, decimals: 1) ?? "–")
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
          row.spread { $0.getLatency.map { Double($0[keyPath: path]) } }.map {
            RowChart.Mark($0.median, label: "\(name) \(ChartUnit.nanoseconds.value($0.median))")
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
    _ make: (ExecutedRow) -> (key: Double, marks: [RowChart.Mark], value: String)?
  ) -> ChartFigure? {
    guard rows.count > 1, rows.count <= RowChart.rowsMax else { return nil }
    let severalCapacities = Set(rows.map(\.cell.capacityLabel)).count > 1
    let groups = Set(rows.map(\.threads)).sorted().compactMap { threads -> RowChart.Group? in
      let drawn = rows.filter { $0.threads == threads }.compactMap { row in
        make(row).map { made in
          (
            made.key,
            RowChart.Row(
              name: row.name + (severalCapacities ? ", \(row.cell.capacityLabel)" : ""),
              series: row.cell.policy, style: styles[row.cell.policy],
              content: .marks(made.marks), value: made.value)
          )
        }
      }.sorted(byKey: \.0).map(\.1)
      return drawn.isEmpty
        ? nil : RowChart.Group(title: NumberText.counted(threads, "thread"), rows: drawn)
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

extension RowChart.Mark {
  init(_ spread: Spread, scaledBy factor: Double, decimals: Int, unit: String) {
    func text(_ value: Double) -> String {
      NumberText.fixed(value / factor, decimals: decimals) ?? "–"
    }
    let range = ", \(text(spread.smallest)) to \(text(spread.largest))"
    self.init(
      spread.median / factor,
      range: spread.varies ? (spread.smallest / factor)...(spread.largest / factor) : nil,
      label: "\(text(spread.median)) \(unit)" + (spread.varies ? range : ""))
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
