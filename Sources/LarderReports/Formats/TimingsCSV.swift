import LarderExperiments

/// How long each cell took, one row a cell and repetition. These are measurements: they differ from
/// run to run, and say on which machine they were made.
///
///     workload,configuration,policy,capacity,unit,mode,threads,repetition,requests,seconds,...
///     news-feed,memory,lru,1000,objects,simulate,1,1,20000000,0.100000000,200000000.0,...
///
/// What was not measured is empty. `trace`, `seed` and `memory_capacity` stand last and complete
/// the name of the cell.
public struct TimingsCSV: ReportFormat {
  /// The name users type.
  public let name = "timings"
  /// The file that a run writes.
  public let fileName = "timings.csv"

  /// The format has no options.
  public init() {}

  /// The first line, with its line feed.
  public static var header: String { CSVColumn.header(columns) }

  /// The lines of one record, one a repetition, each with its line feed.
  public static func rows(_ record: Record, machine: String) -> String {
    record.timings.reduce(into: "") { text, timing in
      text += CSVColumn.line(columns, Row(cell: record.cell, timing: timing, machine: machine))
    }
  }

  /// The header and a row a repetition. Linear in their number.
  public func text(of results: RunResults) throws(ReportError) -> String {
    let machine = results.machine.summary
    return results.records.reduce(into: Self.header) { text, record in
      text += Self.rows(record, machine: machine)
    }
  }

  /// What a row is made from.
  private struct Row {
    let cell: Cell
    let timing: Timing
    let machine: String
  }

  private static let columns: [CSVColumn<Row>] = [
    .text("workload") { $0.cell.workload },
    .text("configuration") { $0.cell.configuration },
    .text("policy") { $0.cell.policy },
    .whole("capacity") { $0.cell.capacity },
    .text("unit") { $0.cell.unit.rawValue },
    .text("mode") { $0.timing.mode.rawValue },
    .whole("threads") { UInt64(clamping: $0.timing.threads) },
    .whole("repetition") { UInt64(clamping: $0.timing.repetition) },
    .whole("requests") { $0.timing.requests },
    .decimal("seconds", 9) { $0.timing.seconds },
    .decimal("requests_per_second", 1) { $0.timing.requestsPerSecond },
    .whole("latency_p50_ns") { $0.timing.latency?.p50 },
    .whole("latency_p90_ns") { $0.timing.latency?.p90 },
    .whole("latency_p99_ns") { $0.timing.latency?.p99 },
    .whole("latency_p999_ns") { $0.timing.latency?.p999 },
    .whole("latency_max_ns") { $0.timing.latency?.max },
    .decimal("memory_bytes_per_object", 3) { $0.timing.memoryBytesPerObject },
    .text("machine") { $0.machine },
    .text("trace") { $0.cell.trace },
    .whole("seed") { $0.cell.seed },
    .whole("memory_capacity") { $0.cell.memoryCapacity },
  ]
}
