import LarderEngine
import LarderExperiments
import Testing

@testable import LarderReports

/// Findings of executed runs besides their speed.
struct ExecutedFindingsTests {
  private func findings(_ records: [Record]) -> [String] {
    ExecutedFindings(records).sentences.map { $0.plain }
  }

  private func executed(
    _ policy: String = "lru", hits: UInt64 = 2500, _ change: (inout Execution) -> Void = { _ in }
  ) -> Record {
    var record = SampleResults.record(SampleResults.cell(policy, capacity: 10), hits: hits)
    record.timings = [
      Timing(mode: .simulate, threads: 1, repetition: 1, requests: 5000, seconds: 1)
    ]
    record.executions = SampleResults.executions(of: record)
    record.executions = record.executions?.map { execution in
      var execution = execution
      change(&execution)
      return execution
    }
    return record
  }

  @Test func equalCountsAreCounted() {
    let findings = findings([executed("lru"), executed("fifo")])
    #expect(findings[0] == "Executed and simulated counts are equal in 2 of 2 cells (one thread).")
    #expect(
      findings[1]
        == "2 threads changed the hit ratio by -0.15 points compared with one thread.")
    #expect(findings[2] == "20 000 values were read and checked; none was wrong.")
    #expect(
      findings[3] == "The capacity was checked 16 times: never exceeded.")
    #expect(findings.count == 4)
  }

  @Test func differencesShowBothNumbers() {
    let wrong = executed("sieve") { execution in
      guard execution.threads == 1 else { return }
      execution.equalsSimulated = false
      execution.counts.memoryHits += 3
      execution.counts.memory.evictions -= 1
    }
    let findings = findings([executed(), wrong])
    #expect(findings[0] == "Executed and simulated counts are equal in 1 of 2 cells (one thread).")
    #expect(
      findings[1] == """
        memory: sieve at 10, executed and simulated: hits 2 503 and 2 500, hits in memory \
        2 503 and 2 500, evictions 1 249 and 1 250.
        """)
  }

  @Test func longListsOfDifferencesAreCut() {
    let records = (1...8).map { number in
      executed("p\(number)") { $0.equalsSimulated = $0.threads == 1 ? false : nil }
    }
    let findings = findings(records)
    #expect(findings.count { $0.contains("executed and simulated") } == 5)
    #expect(findings.contains("3 more differ."))
    #expect(findings[1].contains("equal sums, but a different distribution over the tiers"))
  }

  @Test func badNewsComesFirst() {
    let bad = executed { execution in
      guard execution.threads == 2 else { return }
      execution.valuesWrong = 4
      execution.capacityExceeded = 1
    }
    let findings = findings([bad])
    #expect(findings[0] == "8 values read differ from the values written: memory: lru at 10.")
    #expect(findings.contains("10 000 values were read and checked; 8 were wrong."))
    #expect(
      findings.contains(
        "The capacity was checked 8 times: exceeded 2 times."))
    #expect(findings.last == "The capacity was exceeded in: memory: lru.")
  }

  @Test func cacheWithItsOwnPolicyIsNotCompared() {
    #expect(
      findings(SampleResults.foreign) == [
        "Not simulated (counts are from the run with one thread): "
          + "their cache: theirs.",
        "In memory configurations, one operation in 16 was timed, because reading the clock "
          + "takes as long as a hit.",
        "the clock was odd",
      ])
  }

  @Test func sumsFromAFileDoNotOverflow() {
    let record = executed { $0.valuesChecked = .max }
    #expect(findings([record]).contains { $0.hasPrefix("18 446 744 073 709 551 615 values") })
  }

  @Test func seedsAndRepetitionsAreOneRow() {
    var records = [executed(), executed()]
    records[1].cell.seed = 43
    let rows = ExecutedRow.all(in: records)
    #expect(rows.map(\.threads) == [1, 2])
    #expect(rows.map(\.executions.count) == [4, 4])
    #expect(rows[0].requestsPerSecond?.median == 375_000)
    #expect(rows[1].hitRatio?.smallest == 2490.0 / 5000)
  }

  @Test func serverIsNextToItsSimulation() throws {
    var record = executed(hits: 2500) { run in
      run.counts.memoryHits -= run.threads == 1 ? 5 : 50
      run.server = ServerState(
        version: "Redis 7.0", entries: 9, bytes: 999, hits: 1, evictions: 5, capacity: 10)
    }
    (record.counts.sets, record.counts.deletes) = (0, 0)
    (record.counts.memory.admissions, record.counts.memory.evictions) = (20, 12)
    record.counts.memory.expirations = 0
    record.executions = record.executions?.map {
      var run = $0
      run.warmUpRequests = 0
      return run
    }
    let text = MarkdownMarkup().text(of: ServerComparison([record]).blocks)
    #expect(text.contains("Simulation within 0.10 points of Redis 7.0 on this machine"), "\(text)")
    #expect(text.contains("| Redis 7.0 | lru |"), "\(text)")
    #expect(text.contains("| 0.10 | 9 | 8 | 1 | 1 |"), "\(text)")
    #expect(ServerComparison([executed()]).blocks.isEmpty)
  }

  /// Times have readable units.
  @Test func timesHaveReadableUnits() throws {
    var record = executed()
    for index in record.executions?.indices ?? 0..<0 {
      record.executions?[index].getLatency?.p99 = 302_252_030
    }
    let table = ExecutedTables(rows: ExecutedRow.all(in: [record])).summary
    #expect(table.rows[0].contains("302 ms"))
    let report = try MarkdownReport().text(of: SampleResults.full)
    #expect(report.contains("| `lru+fifo` | **22.5 ms** |"))
    #expect(!report.contains("microseconds"))
  }
}
