import LarderExperiments

/// Timings of each cell: a row for each repetition, and for executed cells a row for each number of
/// threads and repetition. Missing measurements are empty.
package struct TimingsCSV: ReportFormat {
  package let name = "timings"
  package let fileName = "timings.csv"

  package init() {}

  package static var header: String { CSVText.header(columns) }

  package static func rows(_ record: Record, machine: String) -> String {
    CSVText.lines(rows(of: record, machine), columns)
  }

  package func text(of results: RunResults) throws(ReportError) -> String {
    let rows = results.records.lazy.flatMap { Self.rows(of: $0, results.machine.summary) }
    return Self.header + CSVText.lines(rows, Self.columns)
  }

  private struct Row {
    let cell: Cell
    let timing: Timing
    var execution: Execution?
    let machine: String
  }

  private static func rows(of record: Record, _ machine: String) -> [Row] {
    record.timings.map { Row(cell: record.cell, timing: $0, machine: machine) }
      + (record.executions ?? []).map {
        Row(cell: record.cell, timing: $0.timing, execution: $0, machine: machine)
      }
  }

  private static var columns: [Column<Row>] { fixed + executed }

  private static var fixed: [Column<Row>] {
    [
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
      .text("machine") { $0.timing.machine ?? $0.machine },
      .text("trace") { $0.cell.trace },
      .whole("seed") { $0.cell.seed },
      .whole("memory_capacity") { $0.cell.memoryCapacity },
    ]
  }

  private static var executed: [Column<Row>] {
    [
      .whole("executed_hits") { $0.execution?.counts.hits },
      .ratio("executed_hit_ratio", 6) { row in
        row.execution.map { ($0.counts.hits, $0.counts.requests) }
      },
      .text("equals_simulated") { row in
        row.execution?.equalsSimulated.map { $0 ? "yes" : "no" } ?? ""
      },
    ] + OperationLatency.Kind.allCases.flatMap { latencies($0) } + [
      .decimal("payload_bytes_per_object", 3) { $0.execution?.memoryPayloadBytesPerObject },
      .whole("disk_bytes") { $0.execution?.diskBytes },
      .whole("disk_bytes_written") { $0.execution?.diskBytesWritten },
      .decimal("write_amplification", 3) { $0.execution?.writeAmplification },
      .whole("values_checked") { $0.execution?.valuesChecked },
      .whole("values_wrong") { $0.execution?.valuesWrong },
      .whole("capacity_checks") { $0.execution?.capacityChecks },
      .whole("capacity_exceeded") { $0.execution?.capacityExceeded },
      .whole("bytes_written") { $0.execution?.bytesWritten },
      .whole("files") { $0.execution?.files },
    ]
  }

  private static func latencies(_ kind: OperationLatency.Kind) -> [Column<Row>] {
    let name = kind.rawValue.replacing("-", with: "_")
    return [
      .whole("\(name)_count") { $0.execution?[kind]?.count },
      .whole("\(name)_p50_ns") { $0.execution?[kind]?.latency.p50 },
      .whole("\(name)_p99_ns") { $0.execution?[kind]?.latency.p99 },
    ]
  }
}
