import Testing

@testable import LarderExperiments
@testable import LarderReports

/// Captions for numbers that are easy to compute by hand.
struct CaptionTests {
  private func caption(_ comparison: Comparison, _ metric: Metric = .hitRatio) -> String {
    Ranking(comparison, by: metric).caption
  }

  /// Hits of 1000 requests, by policy and capacity.
  private func comparison(_ hits: [(String, [UInt64])]) throws -> Comparison {
    let records = hits.flatMap { policy, values in
      values.enumerated().map { index, value in
        SampleResults.record(
          SampleResults.cell(policy, capacity: UInt64(10 * (index + 1))), hits: value, of: 1000)
      }
    }
    return try #require(Comparison.all(in: records).first)
  }

  @Test func leaderAndWhereItLeadsMost() throws {
    let comparison = try comparison([
      ("lru", [100, 200, 400]), ("s3-fifo", [150, 210, 390]), ("belady", [250, 300, 500]),
    ])
    #expect(
      caption(comparison)
        == "s3-fifo is best at 2 of 3 capacities; at 30, lru is 1.00 points better. "
        + "At 10 it has 15.00 %, 5.00 points above lru and 10.00 points below belady (bound).")
  }

  @Test func oneCapacity() throws {
    let comparison = try comparison([("lru", [100]), ("sieve", [120]), ("fifo", [90])])
    #expect(
      caption(comparison)
        == "sieve is best: 12.00 %, 2.00 points above lru.")
  }

  @Test func theLowestIsBest() throws {
    var records: [Record] = []
    for (policy, mean) in [("lru", 200.0), ("gdsf", 150.0)] {
      var record = SampleResults.record(SampleResults.cell(policy, capacity: 10), hits: 1)
      record.modelled = ModelledAccessTime(
        meanMicroseconds: mean, p50Microseconds: 1, p90Microseconds: 1, p99Microseconds: 1)
      records.append(record)
    }
    let comparison = try #require(Comparison.all(in: records).first)
    #expect(
      caption(comparison, .accessTime)
        == "gdsf is best: 150 µs, 25.0 % below lru.")
  }

  @Test func onlyPoliciesWithFuture() throws {
    let comparison = try comparison([("belady", [100, 200])])
    #expect(
      caption(comparison)
        == "Only policies that know the future were run.")
  }

  @Test func chartsAgreeWithTheTables() throws {
    let report = try MarkdownReport().files(of: SampleResults.full)
    let svg = try #require(report.first { $0.name == "charts/memory-hit-ratio.svg" }).text
    #expect(svg.contains("<title>s3-fifo: 48.04 % (48.02 % to 48.06 %) at 1%</title>"))
    #expect(report[0].text.contains("| `s3-fifo` | **48.04 (48.02–48.06)**"))
    let tiers = try #require(report.first { $0.name == "charts/two-tiers-tiers.svg" }).text
    #expect(tiers.contains("<title>lru+fifo, 1MiB: 40.00 % in memory</title>"))
    #expect(tiers.contains("<title>lru+fifo, 1MiB: 10.00 % on disk</title>"))
  }
}
