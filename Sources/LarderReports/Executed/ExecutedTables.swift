import LarderSimulation
import LarderSystem

/// The tables of executed runs: a line a cache, capacity and number of threads.
struct ExecutedTables {
  /// The lines.
  let rows: [ExecutedRow]

  /// The columns that say which run a line is of.
  private static let keys = ["cache", "capacity", "threads"]

  private static func keys(of row: ExecutedRow) -> [Inline] {
    [.text(row.name), .text(row.cell.capacityLabel), .text("\(row.threads)")]
  }

  /// Hit ratio, throughput and memory.
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

  /// Percentiles of all gets: medians over the runs, and the largest of all. Nil where none was
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

  /// Median and 99th percentile of each kind of operation that was made; nil where none was timed.
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

  /// What went to disk: medians over the runs.
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

  /// The most telling numbers of each run, for a terminal: of hits and misses the medians.
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

  /// What happened, in words.
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
