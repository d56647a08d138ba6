import LarderExperiments
import LarderReports
import Testing

struct TimingsCSVTests {
  @Test func fixedColumnsAreFirst() throws {
    let fixed = [
      "workload", "configuration", "policy", "capacity", "unit", "mode", "threads", "repetition",
      "requests", "seconds", "requests_per_second", "latency_p50_ns", "latency_p90_ns",
      "latency_p99_ns", "latency_p999_ns", "latency_max_ns", "memory_bytes_per_object", "machine",
    ]
    let records = try #require(CSVReader.records(TimingsCSV.header))
    #expect(Array(records[0].prefix(fixed.count)) == fixed)
  }

  @Test func eachRepetitionIsARow() throws {
    let results = SampleResults.full
    let records = try #require(CSVReader.records(try TimingsCSV().text(of: results)))
    let repetitions = results.records.reduce(0) {
      $0 + $1.timings.count + ($1.executions ?? []).count
    }
    #expect(records.count == repetitions + 1)
    #expect(records.allSatisfy { $0.count == records[0].count })
    #expect(records[1][17] == results.machine.summary)
  }

  /// The columns of executed rows are last, and empty in simulated ones.
  @Test func executedRowsHaveExtraColumns() throws {
    let records = try #require(CSVReader.records(try TimingsCSV().text(of: SampleResults.full)))
    let rows = records.dropFirst().map { fields in
      Dictionary(uniqueKeysWithValues: zip(records[0], fields))
    }
    let own = Array(records[0].drop { $0 != "executed_hits" })
    #expect(own.count == 28)
    for row in rows where row["mode"] == "simulate" {
      #expect(own.allSatisfy { row[$0] == "" })
    }
    let executed = rows.filter { $0["mode"] == "execute" && $0["policy"] == "lru+fifo" }
    #expect(executed.map { $0["threads"] } == ["1", "1", "2", "2"])
    #expect(executed.map { $0["repetition"] } == ["1", "2", "1", "2"])
    #expect(executed.map { $0["equals_simulated"] } == ["yes", "yes", "no", "no"])
    #expect(executed.map { $0["executed_hits"] } == ["2500", "2500", "2495", "2490"])
    #expect(executed[2]["executed_hit_ratio"] == "0.499000")
    #expect(executed[1]["requests_per_second"] == "250000.0")
    #expect(executed[1]["latency_p50_ns"] == "2000")
    #expect(executed[1]["disk_hit_p99_ns"] == "40000")
    #expect(executed[1]["memory_bytes_per_object"] == "148.500")
    #expect(executed[1]["disk_bytes_written"] == "3000000")
    #expect(executed[1]["write_amplification"] == "3.000")
    #expect(executed[1]["values_wrong"] == "0")
    #expect(executed[1]["bytes_written"] == "2900000" && executed[1]["files"] == "7")
    #expect(TimingsCSV.header.hasSuffix(",capacity_exceeded,bytes_written,files\n"))
    // Without sets there is no latency of sets; the foreign cache reports almost nothing.
    #expect(executed.allSatisfy { $0["set_count"] == "" && $0["set_p50_ns"] == "" })
    let foreign = try #require(rows.first { $0["policy"] == "theirs" })
    for column in [
      "equals_simulated", "latency_p50_ns", "memory_bytes_per_object", "disk_bytes",
      "write_amplification", "bytes_written", "files",
    ] {
      #expect(foreign[column] == "", "\(column)")
    }
  }

  @Test func rowWithoutTimeHasNoSpeed() throws {
    var record = SampleResults.record(SampleResults.cell("lru", capacity: 10), hits: 1)
    record.timings = [
      Timing(mode: .simulate, threads: 1, repetition: 1, requests: 5, seconds: 0)
    ]
    let row = try #require(CSVReader.records(TimingsCSV.rows(record, machine: "m"))).first
    #expect(row?[9...11] == ["0.000000000", "", ""])
  }
}
