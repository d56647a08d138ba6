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

  @Test func rowWithoutTimeHasNoSpeed() throws {
    var record = SampleResults.record(SampleResults.cell("lru", capacity: 10), hits: 1)
    record.timings = [
      Timing(mode: .simulate, threads: 1, repetition: 1, requests: 5, seconds: 0)
    ]
    let row = try #require(CSVReader.records(TimingsCSV.rows(record, machine: "m"))).first
    #expect(row?[9...11] == ["0.000000000", "", ""])
  }
}
