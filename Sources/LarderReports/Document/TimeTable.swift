import LarderEngine
import LarderSimulation

/// What requests waited for in simulations with time: a line a cell.
struct TimeTable {
  /// The cells with time.
  let records: [Record]

  /// The cells of a run that have time; nil where none has.
  init?(_ records: [Record]) {
    self.records = records.filter { $0.counts.time != nil }
    if self.records.isEmpty { return nil }
  }

  /// The table, and what it says.
  var blocks: [Block] {
    [
      .table(table),
      .paragraph([
        .text("\(meaning) Waits are over all requests.")
      ]),
    ]
  }

  /// What is waited for. Hits on disk may be reads that take time.
  private var meaning: String {
    guard records.contains(where: { $0.cell.kind != .memory }) else {
      return "Fetches take time. A delayed hit is a request for an object that was being fetched, "
        + "which waited for that fetch; hits wait for nothing."
    }
    return "Fetches take time, and so may reads from disk. A delayed hit is a request for an "
      + "object that was being fetched or read, which waited for that; hits in memory wait for "
      + "nothing, hits on disk for their read."
  }

  /// Shares of requests that were hits, delayed hits and misses, waits, and the load of the origin.
  var table: Table {
    let hasSeeds = Set(records.map(\.cell.seed)).count > 1
    let hasTraces = Set(records.map(\.cell.trace)).count > 1
    var table = Table(
      titles: (hasTraces ? ["trace"] : []) + ["cache", "capacity"] + (hasSeeds ? ["seed"] : []) + [
        "hits, %", "delayed, %", "misses, %", "mean wait", "p50", "p99", "fetches",
        "most in flight",
      ])
    for record in records {
      guard let time = record.counts.time else { continue }
      let cell = record.cell
      let counts = record.counts
      let requests = Double(counts.requests)
      func share(_ count: UInt64) -> Inline {
        ExecutedTables.number(requests > 0 ? Double(count) / requests * 100 : nil, 2)
      }
      func wait(_ value: Double?) -> Inline {
        time.clock == .requests
          ? ExecutedTables.number(value, 1) : ExecutedTables.time(value.map { $0 * 1000 })
      }
      let mean = requests > 0 ? Double(time.totalLatency) / requests : nil
      table.rows.append(
        (hasTraces ? [Inline.text(cell.trace)] : [])
          + [.text(cell.cacheName), .text(cell.capacityLabel)]
          + (hasSeeds ? [.text("\(cell.seed)")] : []) + [
            share(counts.hits), share(time.delayedHits),
            share(counts.misses - time.delayedHits), wait(mean), wait(Double(time.p50Latency)),
            wait(Double(time.p99Latency)), .text("\(time.originFetches)"),
            .text("\(time.maxInFlight)"),
          ])
    }
    return table
  }
}
