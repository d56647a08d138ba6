import LarderExperiments

extension ReportDocument {
  /// How fast the cells ran and what memory they took; nothing when nothing was timed.
  static func speed(
    _ results: RunResults, _ comparisons: [Comparison], severalTraces: Bool
  ) -> [Block] {
    guard results.records.contains(where: { !$0.timings.isEmpty }) else { return [] }
    var blocks: [Block] = [
      .heading(2, ["Speed and memory"]),
      .paragraph([
        .text(
          "Measured on \(results.machine.summary), over all capacities, seeds and repetitions. "
            + sharing(results.threads))
      ]),
    ]
    for comparison in comparisons {
      for way in Way.all(in: comparison) {
        let name = name(of: comparison, severalTraces: severalTraces)
        blocks += [
          .heading(3, [.text("\(name): \(way.description)")]),
          .table(table(comparison, way)),
        ]
      }
    }
    return blocks
  }

  private static func sharing(_ threads: Int) -> String {
    threads > 1
      ? "\(threads) cells ran at the same time and shared the machine's memory and caches: "
        + "a cell alone is faster."
      : "One cell ran at a time."
  }

  /// A way of running a cell: what does not mix with another.
  private struct Way: Hashable {
    let mode: Timing.Mode
    let threads: Int

    static func all(in comparison: Comparison) -> [Way] {
      let timings = comparison.allRecords.flatMap(\.timings)
      return Set(timings.map { Way(mode: $0.mode, threads: $0.threads) }).sorted { left, right in
        (left.mode.rawValue, left.threads) < (right.mode.rawValue, right.threads)
      }
    }

    var description: String {
      let what = mode == .simulate ? "simulated" : "executed"
      return threads == 1 ? "\(what) in one thread" : "\(what) in \(threads) threads"
    }

    func matches(_ timing: Timing) -> Bool { timing.mode == mode && timing.threads == threads }
  }

  private static func table(_ comparison: Comparison, _ way: Way) -> Table {
    let timings = comparison.policies.map { policy in
      comparison.records(policy).flatMap(\.timings).filter { way.matches($0) }
    }
    let showsLatency = timings.contains { $0.contains { $0.latency != nil } }
    var titles = [
      "policy", "million requests/s, median", "slowest", "fastest", "runs",
      "memory, bytes an object",
    ]
    if showsLatency { titles += ["latency p50, ns, median", "latency p99, ns, median"] }
    var table = Table(titles: titles)
    for (policy, timings) in zip(comparison.policies, timings) where !timings.isEmpty {
      let speed = Spread(timings.compactMap(\.requestsPerSecond))
      // What a cell needs at most: the largest of its repetitions and capacities.
      let memory = timings.compactMap(\.memoryBytesPerObject).max()
      var row: [Inline] = [
        ValueTable.title(policy),
        number(speed.map { $0.median / 1e6 }), number(speed.map { $0.smallest / 1e6 }),
        number(speed.map { $0.largest / 1e6 }), .text("\(timings.count)"), number(memory),
      ]
      if showsLatency {
        let p50 = Spread(timings.compactMap { $0.latency.map { Double($0.p50) } })
        let p99 = Spread(timings.compactMap { $0.latency.map { Double($0.p99) } })
        row += [number(p50?.median, decimals: 0), number(p99?.median, decimals: 0)]
      }
      table.rows.append(row)
    }
    return table
  }

  private static func number(_ value: Double?, decimals: Int = 2) -> Inline {
    value.flatMap { NumberText.fixed($0, decimals: decimals) }.map { .text($0) } ?? Table.none
  }
}
