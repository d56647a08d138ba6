import LarderEngine
import LarderExperiments
import LarderReports
import Testing

struct CountsCSVTests {
  /// The columns that others rely on, in order.
  static let fixed = [
    "workload", "trace", "configuration", "policy", "capacity", "unit", "seed", "requests", "hits",
    "memory_hits", "disk_hits", "misses", "hit_ratio", "bytes_requested", "bytes_hit",
    "byte_hit_ratio", "admissions", "rejections", "evictions", "expirations", "objects_distinct",
  ]

  @Test func fixedColumnsAreFirst() throws {
    let records = try #require(CSVReader.records(CountsCSV.header))
    #expect(Array(records[0].prefix(Self.fixed.count)) == Self.fixed)
    #expect(Set(records[0]).count == records[0].count)
  }

  /// New columns are added at the end. With several seeds, cells share the label of the capacity.
  @Test func newColumnsAreLast() throws {
    let records = try #require(CSVReader.records(CountsCSV.header))
    #expect(
      Array(records[0].suffix(17))
        == [
          "capacity_label", "cost_requested", "cost_saved", "cost_saved_ratio", "delayed_hits",
          "origin_fetches", "total_latency_us", "max_in_flight", "latency_p50_us",
          "latency_p90_us", "latency_p99_us", "prefix_hits", "prefix_tokens", "input_tokens",
          "bytes_inserted", "bytes_reinserted", "bytes_written",
        ])
    let rows = try parsed(SampleResults.full).filter { $0["policy"] == "s3-fifo" }
    #expect(Set(rows.map { $0["capacity_label"] }) == ["1%", "10%"])
    #expect(Set(rows.map { $0["capacity"] }).count == 6)
  }

  @Test func waitsAreEmptyWithoutTime() throws {
    var record = SampleResults.record(SampleResults.cell("lru", capacity: 10), hits: 1)
    var results = SampleResults.full
    results.records = [record]
    let without = try #require(try parsed(results).first)
    #expect(without["total_latency_us"] == "" && without["latency_p99_us"] == "")
    var time = TimeCounts()
    time.totalLatency = 123_456
    time.p99Latency = 789
    record.counts.time = time
    results.records = [record]
    let row = try #require(try parsed(results).first)
    #expect(row["total_latency_us"] == "123456" && row["latency_p99_us"] == "789")
  }

  @Test func missingNumbersAreEmpty() throws {
    let counts = Counts()
    let cell = SampleResults.cell("lru", capacity: 10)
    let row = try parsed(
      Record(cell: cell, counts: counts, objectsDistinct: 0))
    for name in [
      "hit_ratio", "byte_hit_ratio", "memory_capacity", "promotions", "demotions", "disk_evictions",
      "disk_writes", "disk_bytes_written", "modelled_mean_us", "modelled_p99_us",
    ] {
      #expect(row[name] == "", "\(name)")
    }
    for name in ["requests", "hits", "misses", "disk_hits", "memory_evictions", "stale_hits"] {
      #expect(row[name] == "0", "\(name)")
    }
  }

  @Test func aDiskHasNoMemory() throws {
    let cell = SampleResults.cell("lru", capacity: 10, configuration: "disk", kind: .disk)
    let row = try parsed(SampleResults.record(cell, hits: 10, diskHits: 10))
    #expect(row["memory_evictions"] == "")
    #expect(row["disk_writes"] == "0")
  }

  @Test func theLargestNumbersFit() throws {
    var counts = Counts()
    counts.requests = .max
    counts.memoryHits = .max
    counts.bytesRequested = .max
    counts.memoryBytesHit = .max
    var cell = SampleResults.cell("lru", capacity: .max, unit: .bytes, seed: .max)
    cell.memoryCapacity = .max
    let row = try parsed(Record(cell: cell, counts: counts, objectsDistinct: .max))
    #expect(row["hit_ratio"] == "1.000000")
    #expect(row["seed"] == "18446744073709551615")
  }

  @Test func timingsDoNotAffectTheCounts() throws {
    var results = SampleResults.full
    let before = try CountsCSV().text(of: results)
    // A simulated record keeps its tier counts; those of its executions are not included.
    for index in results.records.indices {
      if results.records[index].timings.isEmpty { continue }
      results.records[index].timings = []
      results.records[index].executions = nil
    }
    results.machine.processor = "another"
    results.started = "at another time"
    #expect(try CountsCSV().text(of: results) == before)
  }

  @Test func uncountedColumnsAreEmpty() throws {
    let record = try #require(SampleResults.foreign.first)
    let row = try parsed(record)
    #expect(row["hits"] == "2222")
    for name in ["admissions", "rejections", "evictions", "expirations", "memory_evictions"] {
      #expect(row[name] == "", "\(name)")
    }
  }

  @Test func runsWithSeveralThreadsDoNotAffectTheCounts() throws {
    var results = SampleResults.full
    let before = try CountsCSV().text(of: results)
    for index in results.records.indices {
      for run in (results.records[index].executions ?? []).indices {
        results.records[index].executions?[run].counts = Counts()
      }
    }
    #expect(try CountsCSV().text(of: results) == before)
  }

  @Test func hostileNamesStayInTheirField() throws {
    for text in HostileText.examples {
      var record = SampleResults.record(SampleResults.cell(text, capacity: 10), hits: 1)
      record.cell.trace = text
      record.cell.workload = text
      record.cell.configuration = text
      let records = try #require(CSVReader.records(CountsCSV.row(record)))
      #expect(records.count == 1)
      #expect(records[0][7] == "5000")
    }
  }

  private func parsed(_ record: Record) throws -> [String: String] {
    var results = SampleResults.empty()
    results.records = [record]
    return try #require(try parsed(results).first)
  }

  private func parsed(_ results: RunResults) throws -> [[String: String]] {
    let records = try #require(CSVReader.records(try CountsCSV().text(of: results)))
    return records.dropFirst().map { fields in
      #expect(fields.count == records[0].count)
      return Dictionary(uniqueKeysWithValues: zip(records[0], fields))
    }
  }
}
