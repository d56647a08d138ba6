import LarderEngine
import LarderExperiments
import Testing

@testable import LarderReports

/// The recommendation at the top of every report.
struct AnswerTests {
  private typealias Hits = [(policy: String, hits: [UInt64])]

  private func answer(_ configurations: [(name: String, kind: ConfigurationKind, hits: Hits)])
    -> Answer
  {
    var results = SampleResults.empty()
    for (name, kind, policies) in configurations {
      for (policy, hits) in policies {
        for (index, hits) in hits.enumerated() {
          let cell = SampleResults.cell(
            policy, capacity: UInt64(10 * (index + 1)), configuration: name, kind: kind)
          results.records.append(SampleResults.record(cell, hits: hits))
        }
      }
    }
    return answer(results)
  }

  private func answer(_ results: RunResults) -> Answer {
    Answer(results, ConfigurationRanking.all(Comparison.all(in: results.records)))
  }

  private func text(_ answer: Answer) -> [String] { answer.lines.map(\.plain) }

  private let one: Hits = [
    ("lru", [2000, 3000]), ("gdsf", [2500, 2998]), ("fifo", [1500, 2900]),
  ]

  @Test func identicalConfigurationsAreListedOnce() {
    let answer = answer([("memory", .memory, one), ("disk", .disk, one)])
    #expect(
      text(answer) == [
        "Use gdsf: within 0.04 points of the best at every capacity, not significant.",
        "memory and disk hit equally often (each is a single tier).",
        "The choice matters most at 10: gdsf 50.00 %, lru 40.00 %, fifo 30.00 %.",
      ])
    #expect(answer.table?.rows.map { $0[0] } == ["memory and disk"])
  }

  @Test func configurationsAreComparedAtTheirBestAndAtEqualCapacity() {
    let other: Hits = [("lru+lru", [1000, 3300]), ("lru+fifo", [900, 3000])]
    let lines = text(answer([("memory", .memory, one), ("hybrid", .hybrid, other)]))
    #expect(
      lines[1] == "Best hit ratios: hybrid 66.00 %, memory 60.00 %. At equal capacity "
        + "(of a hybrid: its disk; memory comes on top), best: "
        + "hybrid at 20, memory at 10.")
    #expect(lines.count <= 5)
  }

  /// The table shows the best hit ratio of a configuration, and not the number of capacities won.
  @Test func tableShowsTheBestHitRatio() throws {
    let hybrid: Hits = [("lru+lru", [1000, 1900, 1957]), ("lru+gdsf", [1265, 1700, 1950])]
    let table = try #require(answer([("hybrid", .hybrid, hybrid)]).table)
    #expect(table.titles[3] == "best hit ratio" && table.rows[0][3] == "39.14 % at 30")
  }

  @Test func equalPoliciesNameNoWinner() {
    let same: Hits = [("lru", [2500, 2600]), ("fifo", [2500, 2600])]
    let alone = answer([("memory", .memory, same)])
    #expect(text(alone) == ["The policy does not matter: equal hit ratios."])
    #expect(alone.table?.rows[0][1] == "any")
    let both = text(answer([("memory", .memory, one), ("disk", .disk, same)]))
    #expect(both[0].hasPrefix("Use gdsf in memory"))
    #expect(both[0].hasSuffix("; the policy does not matter in disk."))
  }

  /// MRU, which is far behind, does not affect the importance of the choice.
  @Test func outlierIsNamedSeparately() {
    let hits: Hits = [("lru", [3000]), ("sieve", [3050]), ("s3-fifo", [3060]), ("mru", [100])]
    let lines = text(answer([("memory", .memory, hits)]))
    #expect(
      lines[1] == "The choice matters: s3-fifo 61.20 %, lru 60.00 %. Not worth using: mru "
        + "(59.20 points behind).")
  }

  @Test func answerHasThroughputOfRealCaches() {
    var results = SampleResults.empty()
    for (policy, seconds) in [("lru", [0.01, 0.02]), ("sieve", [0.0125, 0.01])] {
      var record = SampleResults.record(SampleResults.cell(policy, capacity: 10), hits: 2500)
      record.executions = [1, 2].map { threads in
        var execution = Execution(threads: threads, repetition: 1)
        execution.counts = record.counts
        execution.requests = 5000
        execution.seconds = seconds[threads - 1]
        return execution
      }
      results.records.append(record)
    }
    let lines = text(answer(results))
    #expect(
      lines.suffix(2) == [
        "Throughput with one thread, requests/s, fastest first: memory: lru 500 thousand, "
          + "memory: sieve 400 thousand.",
        "2 threads were slower than one with memory: lru: the machine was busy, or threads contend "
          + "for locks.",
      ])
  }

  @Test func wrongValuesAreInTheAnswer() {
    var results = SampleResults.full
    for index in results.records.indices where results.records[index].executions != nil {
      results.records[index].executions?[0].valuesChecked = 9
      results.records[index].executions?[0].valuesWrong = 7
    }
    let lines = text(answer(results))
    #expect(lines.count <= 5)
    #expect(lines.last?.contains("7 values read differ from the values written") == true)
  }

  @Test func manyConfigurationsAreFewLines() {
    var results = SampleResults.empty()
    for trace in 0..<6 {
      for (number, configuration) in ["a", "b", "c", "d"].enumerated() {
        for policy in 0..<5 {
          var cell = SampleResults.cell("p\(policy)", capacity: 10, configuration: configuration)
          cell.trace = "trace \(trace)"
          let hits = UInt64(2000 + (policy * 7 + trace * 3 + number * 2) % 5 * 50)
          results.records.append(SampleResults.record(cell, hits: hits))
        }
      }
    }
    let answer = answer(results)
    #expect(answer.lines.count <= 5 && answer.table == nil)
    #expect(text(answer).allSatisfy { $0.count < 250 })
  }

  @Test func onlyOnePolicy() {
    #expect(
      text(answer([("memory", .memory, [("lru", [2500])])]))
        == ["lru is the only policy: 50.00 % at 10."])
  }
}
