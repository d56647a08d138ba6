import Foundation
import LarderEngine
import LarderExperiments
import LarderReports
import Testing

struct ResultsJSONTests {
  @Test func resultsRoundTrip() throws {
    var results = SampleResults.full
    results.records[0].cell.seed = .max
    results.records[0].cell.policy = "odd \"name\" \n \u{1F642}"
    let text = try ResultsJSON().text(of: results)
    #expect(try RunResults.decode(Array(text.utf8), name: "x") == results)
    #expect(text.contains("18446744073709551615"))
  }

  /// Results from before caches were executed lack these keys.
  @Test func readsResultsWithoutExecutions() throws {
    var results = SampleResults.full
    results.execution = nil
    results.caches = nil
    for index in results.records.indices { results.records[index].executions = nil }
    let text = try ResultsJSON().text(of: results)
    #expect(!text.contains("executions") && !text.contains("\"caches\""))
    #expect(try RunResults.decode(Array(text.utf8), name: "x") == results)
  }

  @Test func infiniteNumberIsAnError() throws {
    var results = SampleResults.full
    results.records[0].timings[0].seconds = .infinity
    #expect {
      try ResultsJSON().text(of: results)
    } throws: {
      "\($0)".contains("records[0].timings[0].seconds is inf")
    }
  }

  @Test(arguments: [
    ("", "it is empty"), ("nonsense", "Invalid value"), ("{", "end of file"),
    ("{\n \"a\" : x}", "Invalid value"),
    ("[]", "not of type"), ("{}", "schemaVersion is missing"),
    ("{\"schemaVersion\": \"1\"}", "schemaVersion is not of type Int"),
    ("{\"schemaVersion\": 1}", "is missing"),
    ("{\"schemaVersion\": 2}", "schema version 2, but this larder reads version 1"),
    ("{\"schemaVersion\": 0}", "schema version 0"), ("null", "null"), ("\0\0", "not a readable"),
  ])
  func malformedTextIsRejected(_ text: String, _ message: String) {
    expectRefusal(Array(text.utf8), message)
  }

  @Test func truncatedTextIsRejected() throws {
    let bytes = Array(try ResultsJSON().text(of: SampleResults.full).utf8)
    for length in stride(from: 0, to: bytes.count - 2, by: 997) {
      expectRefusal(Array(bytes[..<length]), "results.json: ")
    }
  }

  @Test func inconsistentCountsAreRejected() throws {
    typealias Change = @Sendable (inout Record) -> Void
    let changes: [(Change, String)] = [
      ({ $0.counts.memoryHits = 6000 }, "records[0].counts: more hits than requests"),
      ({ $0.counts.diskHits = .max }, "more hits than requests"),
      ({ $0.counts.memoryBytesHit = .max }, "more bytes hit than requested"),
      (
        {
          $0.counts.memory.evictions = .max
          $0.counts.disk.evictions = 1
        }, "exceeds 64 bits"
      ),
      (
        {
          $0.counts.time = TimeCounts()
          $0.counts.time?.delayedHits = 5000
        }, "more delayed hits than misses"
      ),
      ({ $0.timings[0].seconds = -1 }, "timings[0].seconds is negative"),
      (
        { $0.executions?[1].counts.memoryHits = 6000 },
        "executions[1].counts: more hits than requests"
      ),
      ({ $0.executions?[0].seconds = -1 }, "executions[0].seconds is negative"),
      ({ $0.executions?[0].threads = 0 }, "executions[0].threads is less than 1"),
      ({ $0.executions?[0].valuesWrong = 2501 }, "executions[0].valuesWrong: more wrong values"),
      ({ $0.executions?[0].capacityExceeded = 3 }, "executions[0].capacityExceeded: more"),
    ]
    for (change, message) in changes {
      var results = SampleResults.full
      results.records[0].executions = SampleResults.executions(of: results.records[0])
      change(&results.records[0])
      // Encoded directly, because the format itself reads the counts.
      let encoded = try JSONEncoder().encode(results)
      expectRefusal(Array(encoded), message)
    }
  }

  /// Numbers that no run has, but that a file may have.
  @Test func extremeNumbersHaveReports() throws {
    var results = SampleResults.full
    var side = Decision.Side(cache: "lru", capacity: 1, hitRatio: 0.5)
    side.originRequestsPerDay = 1e20
    var decision = Decision(trace: "feed", unit: .bytes, today: side, proposed: side)
    decision.proposed.originRequestsPerDay = -1
    results.decisions = [decision]
    for index in results.records.indices {
      results.records[index].hitRatios = "\(Int.max) 1"
      results.records[index].counts.cost = CostCounts(requested: 1, saved: 1e300)
      for run in results.records[index].executions?.indices ?? 0..<0 {
        results.records[index].executions?[run].memoryBytesPerObject = 1e30
        results.records[index].executions?[run].diskBytes = .max
      }
    }
    for format in ReportRegistry.all { #expect(try !format.files(of: results).isEmpty) }
    let comparison = RunComparison(SampleResults.full, named: "a", with: results, named: "b")
    for format in RunComparisonFormat.allCases {
      #expect(try !format.text(of: comparison).isEmpty)
    }
  }

  @Test func nestedWrongTypesAreRejected() throws {
    let text = try ResultsJSON().text(of: SampleResults.full)
    let wrong = text.replacing("\"policy\" : \"lru\"", with: "\"policy\" : 7", maxReplacements: 1)
    #expect(wrong != text)
    expectRefusal(Array(wrong.utf8), "records[0].cell.policy is not of type String")
    let negative = text.replacing("\"requests\" : 5000", with: "\"requests\" : -5")
    expectRefusal(Array(negative.utf8), "results.json: ")
  }

  private func expectRefusal(_ bytes: [UInt8], _ message: String) {
    #expect {
      try RunResults.decode(bytes, name: "results.json")
    } throws: { error in
      let text = "\(error)"
      return error is ReportError && text.contains(message) && !text.contains("\n")
    }
  }
}
