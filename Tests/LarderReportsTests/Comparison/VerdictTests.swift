import LarderEngine
import LarderSimulation
import Testing

@testable import LarderReports

struct VerdictTests {
  @Test func oneWinnerEverywhere() throws {
    let text = try verdict([
      ("lru", [2000, 3000]), ("fifo", [1500, 2900]), ("sieve", [2500, 3100]),
    ])
    #expect(
      text == "sieve has the highest hit ratio at every capacity (50.00 to 62.00 %), 2.00 to 10.00 "
        + "points ahead of the next (lru), 4.00 to 20.00 points ahead of fifo. The choice matters: "
        + "best and worst are 4.00 to 20.00 points apart.")
  }

  @Test func winnersByCapacity() throws {
    let text = try verdict([("lru", [2000, 3000, 3000]), ("sieve", [2500, 2000, 2999])])
    #expect(
      text == "sieve has the highest hit ratio at 10 (50.00 %), 10.00 points ahead of the next "
        + "(lru); lru has the highest hit ratio at 20 and 30 (60.00 %), 0.02 to 20.00 points ahead "
        + "of the next (sieve). The choice hardly matters at 30: best and worst are 0.02 points "
        + "apart.")
  }

  @Test func whoIsNowhereFarBehind() throws {
    let policies = [
      ("lru", [UInt64(1000), 1000]), ("sieve", [2010, 2000]), ("arc", [2000, 2010]),
    ]
    #expect(
      try verdict(policies).contains(
        " Always less than 0.50 points behind the best: sieve and arc."))
    // 25 of 5000 are half a point: no longer near.
    let one = [("lru", [UInt64(1000), 1000]), ("sieve", [2010, 2000]), ("arc", [1985, 2010])]
    #expect(try verdict(one).contains(" Always less than 0.50 points behind the best: sieve."))
    let none = [("lru", [UInt64(1000), 2000]), ("fifo", [2000, 1000])]
    #expect(try !verdict(none).contains("Never"))
  }

  @Test func equals() throws {
    let text = try verdict([("lru", [2500]), ("fifo", [2500]), ("mru", [2499])])
    #expect(
      text == "lru and fifo are equal and highest at 10 (50.00 %), 0.02 points ahead of the next "
        + "(mru). The choice hardly matters at any capacity: best and worst are 0.02 points apart.")
    let all = try verdict([("lru", [2500]), ("fifo", [2500])])
    #expect(
      all == "lru and fifo are equal and highest at 10 (50.00 %). The choice hardly matters at any "
        + "capacity: best and worst are 0.00 points apart.")
  }

  @Test func onePolicy() throws {
    let text = try verdict([("lru", [2500])])
    #expect(text == "lru is the only policy here; its hit ratio is 50.00 %.")
  }

  /// As an interruption leaves it: a capacity with one policy is won by nobody.
  @Test func capacitiesWithOnePolicy() throws {
    let some = try verdict([("lru", [2000, 3000, 3500]), ("fifo", [1500])])
    #expect(
      some == "lru has the highest hit ratio at 10 (40.00 %), 10.00 points ahead of the next "
        + "(fifo). The choice matters: best and worst are 10.00 points apart.")
    var apart = try records([("lru", [2000]), ("fifo", [1900, 2000])])
    apart.removeAll { $0.cell.policy == "fifo" && $0.cell.capacity == 10 }
    #expect(
      try text(apart)
        == "no capacity has results of two policies yet, so there is nothing to compare.")
  }

  @Test func nothingToCompare() throws {
    #expect(
      try verdict([("belady", [2500])])
        == "only policies that know the future were run, so there is nothing to compare.")
    #expect(
      try verdict([("lru", [0])], requests: 0)
        == "no requests were counted, so there is nothing to compare.")
  }

  @Test func beladyIsABoundOnlyWhereItIs() throws {
    let plain = [("lru", [UInt64(2000)]), ("fifo", [1900]), ("belady", [2500])]
    #expect(
      try verdict(plain).hasSuffix(
        " Belady's algorithm, which knows the future, is 10.00 points above the best; that is the "
          + "most that can be gained."))
    #expect(try verdict(plain, unit: .bytes).contains("it ignores sizes"))
    #expect(try verdict(plain) { $0.expirations = 1 }.contains("it does not foresee expiry"))
    let below = [("lru", [UInt64(2000)]), ("fifo", [1900]), ("belady", [1950])]
    #expect(try verdict(below, unit: .bytes).contains("is 1.00 points below the best; it ignores"))
    let both = [("lru", [UInt64(2000), 100]), ("fifo", [1, 1]), ("belady", [1950, 200])]
    #expect(
      try verdict(both, unit: .bytes)
        .contains("is between 1.00 points below and 2.00 points above the best; it ignores"))
  }

  @Test func beladyIsNeverTheWinner() throws {
    let text = try verdict([("belady-size", [4000]), ("lru", [2000]), ("fifo", [1000])])
    #expect(text.hasPrefix("lru has the highest hit ratio at 10 (40.00 %)"))
  }

  @Test func seedsThatDisagree() throws {
    var records: [Record] = []
    for (policy, hits) in [("lru", [2000, 2100, 2200]), ("fifo", [2050, 2000, 2000])] {
      for (seed, hits) in hits.enumerated() {
        let cell = SampleResults.cell(policy, capacity: 10, seed: UInt64(seed))
        records.append(SampleResults.record(cell, hits: UInt64(hits)))
      }
    }
    #expect(
      try text(records).contains(
        " At 10 the first does not lead the next with every seed; treat them as equal there."))
    records.removeAll { $0.cell.seed == 0 }
    #expect(try !text(records).contains("every seed"))
  }

  @Test func bytesAndModelledTime() throws {
    var records = try records([("lru", [2000]), ("fifo", [1900])], unit: .bytes)
    records[1].counts.memoryBytesHit = 3_000_000
    for index in records.indices {
      records[index].modelled = ModelledAccessTime(
        meanMicroseconds: Double(10 - index), p50Microseconds: 1, p90Microseconds: 2,
        p99Microseconds: 3)
    }
    let text = try text(records)
    #expect(text.contains(" By bytes, the highest hit ratio has fifo at 10."))
    #expect(
      text.contains(" The lowest modelled (not measured) mean access time has fifo at 10."))
  }

  private func verdict(
    _ policies: [(String, [UInt64])], requests: UInt64 = 5000, unit: CapacityUnit = .objects,
    change: (inout TierCounts) -> Void = { _ in }
  ) throws -> String {
    try text(records(policies, requests: requests, unit: unit, change: change))
  }

  private func records(
    _ policies: [(String, [UInt64])], requests: UInt64 = 5000, unit: CapacityUnit = .objects,
    change: (inout TierCounts) -> Void = { _ in }
  ) throws -> [Record] {
    policies.flatMap { policy, hits in
      hits.enumerated().map { index, hits in
        let cell = SampleResults.cell(policy, capacity: UInt64(10 * (index + 1)), unit: unit)
        var record = SampleResults.record(cell, hits: hits, of: requests)
        change(&record.counts.memory)
        if unit == .bytes { record.counts.bytesRequested = 5_000_000 }
        return record
      }
    }
  }

  private func text(_ records: [Record]) throws -> String {
    let comparison = try #require(Comparison.all(in: records).first)
    return Verdict(comparison).sentences.map(\.plain).joined()
  }
}
