import LarderEngine
import LarderExperiments
import Testing

@testable import LarderReports

/// The leader, its lead, and whether that matters, with numbers that are easy to compute by hand:
/// 25 of 5000 requests are half a point.
struct RankingTests {
  @Test func oneLeaderEverywhere() throws {
    let ranking = try ranking([
      ("lru", [2000, 3000]), ("fifo", [1500, 2900]), ("sieve", [2500, 3100]),
    ])
    #expect(ranking.leader?.text == "sieve")
    #expect(ranking.exceptions.isEmpty && !ranking.isIndifferent)
    #expect(ranking.peak?.policy.text == "sieve" && ranking.peak?.value == 0.62)
    #expect(
      ranking.caption
        == "sieve is best at every capacity. "
        + "At 10 it has 50.00 %, 10.00 points above lru.")
  }

  /// LHD has more hits of blocks, and LRU more of prefixes.
  @Test func prefixHitsDecideWherePrefixesAreCounted() throws {
    let results = SampleResults.prompts
    let comparison = try #require(Comparison.all(in: results.records).first)
    let ranking = Ranking(comparison)
    #expect(ranking.leader?.text == "lru")
    #expect(
      ranking.caption
        == "lru is best: 27.84 %, 3.66 points above lhd.")
    #expect(ComparisonTable.text(of: results).contains("Use lru: best."))
    let table = ComparisonTable.text(of: results).split(separator: "\n").map(String.init)
    #expect(table.first == "memory, prefix hit ratio, %")
    #expect(table.contains { $0.hasPrefix("lru") && $0.contains("*27.84*") })
    #expect(table.contains("tokens not computed, %") && table.contains("block hit ratio, %"))
    let text = try MarkdownReport().text(of: results)
    #expect(text.contains("Prefix hit ratio, %") && !text.contains("Use lhd"))
  }

  @Test func aSmallExceptionIsNoRealDifference() throws {
    let ranking = try ranking([("lru", [2000, 3002, 3000]), ("gdsf", [2500, 3000, 3100])])
    #expect(
      ranking.sentence.plain
        == "gdsf is within 0.04 points of the best at every capacity, not significant")
  }

  @Test func aLargeExceptionIsReal() throws {
    let ranking = try ranking([("lru", [2000, 3200, 3000]), ("gdsf", [2500, 3000, 3100])])
    #expect(
      ranking.sentence.plain
        == "gdsf is best at 2 of 3 capacities; at 20, lru is 4.00 points better")
  }

  @Test func compromiseIsCalledACompromise() throws {
    let ranking = try ranking([
      ("a", [2000, 3200]), ("b", [3000, 2200]), ("c", [2900, 3100]),
    ])
    #expect(ranking.leader?.text == "c")
    #expect(
      ranking.exceptionWords.plain
        == "; at 10, b is 2.00 points better; at 20, a is 2.00 points better")
    #expect([ranking].standing == "best on average")
  }

  /// 10 of 5000 requests are 0.2 points: no more than noise.
  @Test(arguments: [
    ([("fifo", [2500]), ("lru", [2500]), ("mru", [2000])], "lru"),
    ([("w-tinylfu", [2500, 2500]), ("sieve", [2490, 2500]), ("mru", [100, 100])], "sieve"),
    ([("w-tinylfu", [2500, 2500]), ("sieve", [2489, 2500]), ("mru", [100, 100])], "w-tinylfu"),
    ([("s3-fifo:small=0.2", [2503]), ("s3-fifo", [2500]), ("mru", [2000])], "s3-fifo"),
    ([("arc", [2500]), ("fifo", [2499]), ("lru", [2491]), ("mru", [2000])], "lru"),
  ])
  func simplestOfEqualsLeads(_ policies: [(String, [UInt64])], _ leader: String) throws {
    #expect(try ranking(policies).leader?.text == leader)
  }

  @Test func policiesWithinNoiseAreNoChoice() throws {
    let all = try ranking([("lru", [2500, 2600]), ("fifo", [2500, 2600])])
    #expect(all.isIndifferent)
    #expect(
      all.caption
        == "The policy does not matter: equal hit ratios.")
    let near = try ranking([("lru", [2500]), ("fifo", [2492])])
    #expect(
      near.caption
        == "The policy does not matter: at most 0.16 points apart.")
  }

  /// A capacity with one policy, as after an interruption, has no winner.
  @Test func capacitiesWithOnePolicy() throws {
    let ranking = try ranking([("lru", [2000, 3000, 3500]), ("fifo", [1500])])
    #expect(ranking.decided == [0] && ranking.leader?.text == "lru")
    var apart = records([("lru", [2000]), ("fifo", [1900, 2000])])
    apart.removeAll { $0.cell.policy == "fifo" && $0.cell.capacity == 10 }
    #expect(try nothing(apart) == "no capacity has results of two policies yet")
  }

  @Test func nothingToCompare() throws {
    #expect(
      try nothing(records([("belady", [2500])])) == "only policies that know the future were run")
    #expect(try nothing(records([("lru", [0])], requests: 0)) == "no requests were counted")
  }

  /// A policy that knows the future never leads, and is marked as a bound only if it is one.
  @Test func boundsNeverLead() throws {
    let policies = [("belady", [UInt64(4000)]), ("lru", [2000]), ("fifo", [1000])]
    let ranking = try ranking(policies)
    #expect(ranking.leader?.text == "lru" && ranking.peak?.value == 0.4)
    #expect(ranking.comparison.title(of: PolicyName("belady")) == "belady (bound)")
    let sized = try #require(Comparison.all(in: records(policies, unit: .bytes)).first)
    #expect(sized.title(of: PolicyName("belady")) == "belady (knows the future)")
  }

  /// A lead that not every seed confirms is no real difference.
  @Test func disagreeingSeedsAreNoRealDifference() throws {
    var records: [Record] = []
    for (policy, hits) in [("lru", [2000, 2300, 2400]), ("fifo", [2050, 2000, 2000])] {
      for (seed, hits) in hits.enumerated() {
        let cell = SampleResults.cell(policy, capacity: 10, seed: UInt64(seed))
        records.append(SampleResults.record(cell, hits: UInt64(hits)))
      }
    }
    func isReal() throws -> Bool {
      try Ranking(#require(Comparison.all(in: records).first))
        .isReal(behind: PolicyName("fifo"), 0)
    }
    #expect(try !isReal())
    records.removeAll { $0.cell.seed == 0 }
    #expect(try isReal())
  }

  @Test func policiesWorseThanLRUAndFIFOAreNotWorthUsing() throws {
    let ranking = try ranking([
      ("lru", [2000, 2500]), ("sieve", [2500, 3000]), ("mru", [100, 200]), ("fifo", [1800, 2400]),
      ("odd", [10, 3001]),
    ])
    #expect(ranking.notWorthUsing.map(\.text) == ["mru"])
    let without = try self.ranking([("sieve", [2500]), ("arc", [2490]), ("2q", [2480]), ("x", [9])])
    #expect(without.notWorthUsing.map(\.text) == ["x"])
  }

  private func ranking(_ policies: [(String, [UInt64])]) throws -> Ranking {
    Ranking(try #require(Comparison.all(in: records(policies)).first))
  }

  private func nothing(_ records: [Record]) throws -> String? {
    let comparison = try #require(Comparison.all(in: records).first)
    return Ranking(comparison).nothing
  }

  private func records(
    _ policies: [(String, [UInt64])], requests: UInt64 = 5000, unit: CapacityUnit = .objects
  ) -> [Record] {
    policies.flatMap { policy, hits in
      hits.enumerated().map { index, hits in
        let cell = SampleResults.cell(policy, capacity: UInt64(10 * (index + 1)), unit: unit)
        return SampleResults.record(cell, hits: hits, of: requests)
      }
    }
  }
}
