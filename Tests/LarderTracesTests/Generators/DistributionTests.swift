import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// Sizes and TTLs: their shapes, and their dependence on the object alone.
struct DistributionTests {
  private func sizes(_ text: String, count: Int = 100_000) throws -> [Double] {
    try Generated.records("sequential", requests: count, sizes: text).map { Double($0.size) }
  }

  private func share(_ values: [Double], where isCounted: (Double) -> Bool) -> Double {
    Double(values.filter(isCounted).count) / Double(values.count)
  }

  @Test func uniformIsFlatAndReachesBothBounds() throws {
    let values = try sizes("uniform:min=1:max=10")
    for value in 1...10 { #expect(abs(share(values) { $0 == Double(value) } - 0.1) < 0.004) }
  }

  @Test func logNormalHasItsQuantiles() throws {
    let values = try sizes("log-normal:median=10000:sigma=1.5:max=4GB")
    for (z, expected) in [(-2.0, 0.02275), (-1, 0.15866), (0, 0.5), (1, 0.84134), (2, 0.97725)] {
      let limit = 10_000 * exp(1.5 * z)
      #expect(abs(share(values) { $0 <= limit } - expected) < 0.005)
    }
  }

  @Test func paretoTailHasItsExponent() throws {
    let values = try sizes("pareto:alpha=1.5:min=1000:max=1000000")
    #expect((values.min() ?? 0) >= 1000 && (values.max() ?? .infinity) <= 1_000_000)
    let cut = pow(0.001, 1.5)
    for limit in [2000.0, 5000, 50_000] {
      let expected = (pow(1000 / limit, 1.5) - cut) / (1 - cut)
      #expect(abs(share(values) { $0 > limit } - expected) < 0.005)
    }
  }

  @Test func listFollowsItsWeights() throws {
    let values = try sizes("list:values=1KiB,4KiB,16KiB:weights=5,3,2")
    #expect(abs(share(values) { $0 == 1024 } - 0.5) < 0.006)
    #expect(abs(share(values) { $0 == 4096 } - 0.3) < 0.006)
    #expect(abs(share(values) { $0 == 16_384 } - 0.2) < 0.006)
    let even = try sizes("list:values=7,9")
    #expect(abs(share(even) { $0 == 7 } - 0.5) < 0.006)
  }

  /// Values of keys too large for a table are drawn each time, with equal results.
  @Test func tableDoesNotChangeValues() throws {
    let distribution = try DistributionRegistry.distribution(
      try ComponentSpec(parsing: "pareto"), of: .bytes)
    var records = (0..<1000).map { TraceRecord(key: UInt64($0 % 100)) }
    var again = records
    var withTable = ObjectValues(distribution, keyLimit: 100, seed: 5)
    var without = ObjectValues(distribution, keyLimit: nil, seed: 5)
    records.withUnsafeMutableBufferPointer { withTable.fillSizes(of: $0) }
    again.withUnsafeMutableBufferPointer { without.fillSizes(of: $0) }
    #expect(records == again)
  }

  @Test func sizesGivenToATraceAreKnown() throws {
    let unknown = TraceRecord(key: 1, size: 0, isSizeKnown: false)
    let sized = try SizedSource(
      RecordList(list: [unknown], columns: [.time]), ComponentSpec(parsing: "constant:value=9"),
      seed: 1)
    #expect(try allRecords(sized) == [TraceRecord(key: 1, size: 9)])
  }

  @Test func timesToLiveAreWholeSeconds() throws {
    let records = try Generated.records(
      "uniform:objects=100", requests: 1000, ttls: "list:values=0,90,5m,1d")
    #expect(Set(records.map(\.ttl)) == [0, 90, 300, 86_400])
    #expect(records[999].time == 999_000, "1000 requests a second unless a rate is given")
  }

  @Test func rateSetsTheClock() throws {
    let records = try Generated.records("loop", requests: 5, rate: 4)
    #expect(records.map(\.time) == [0, 250_000, 500_000, 750_000, 1_000_000])
  }

  @Test func operationsFollowTheirShares() throws {
    let records = try Generated.records(
      "zipf", requests: 100_000, operations: ["get": 0.7, "set": 0.2, "delete": 0.1])
    for (operation, expected) in [(UInt8(0), 0.7), (1, 0.2), (2, 0.1), (3, 0)] {
      let found = Double(records.filter { $0.operation == operation }.count) / 100_000
      #expect(abs(found - expected) < 0.006)
    }
  }
}
