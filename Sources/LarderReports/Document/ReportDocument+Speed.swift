import LarderSimulation
import LarderSystem

extension ReportDocument {
  /// How fast the cells were simulated and what memory that took; nothing when none was.
  static func speed(
    _ results: RunResults, _ comparisons: [Comparison], _ styles: PolicyStyles,
    severalTraces: Bool
  ) -> [Block] {
    let machines = results.timedMachines
    guard machines.count > 1 else {
      return machines.isEmpty
        ? [] : speed(results, comparisons, styles, severalTraces: severalTraces, on: machines[0])
    }
    // Times of two machines are never one number.
    return machines.flatMap { machine -> [Block] in
      var own = results
      own.records = results.records.map { $0.timed(on: machine, of: results) }
      return speed(
        own, Comparison.all(in: own.records), styles, severalTraces: severalTraces, on: machine)
    }
  }

  private static func speed(
    _ results: RunResults, _ comparisons: [Comparison], _ styles: PolicyStyles,
    severalTraces: Bool, on machine: String
  ) -> [Block] {
    var blocks: [Block] = [
      .paragraph([
        .text(
          "Measured on \(machine), over all capacities, seeds and repetitions. "
            + sharing(results.threads))
      ])
    ]
    for comparison in comparisons where comparison.allRecords.contains(where: isTimed) {
      let name = name(of: comparison, severalTraces: severalTraces)
      let chart = SpeedChart(comparison: comparison, name: name, styles: styles).figure
      blocks.append(.heading(3, [.text(name)]))
      blocks += chart.map { [.chart($0)] } ?? []
      blocks.append(.table(table(comparison)))
    }
    return blocks
  }

  private static func isTimed(_ record: Record) -> Bool { !record.timings.isEmpty }

  private static func sharing(_ threads: Int) -> String {
    threads > 1
      ? "\(threads) cells ran at the same time and shared memory bandwidth and CPU caches; "
        + "a single cell is faster."
      : "One cell ran at a time."
  }

  private static func table(_ comparison: Comparison) -> Table {
    var table = Table(titles: [
      "policy", "million requests/s, median", "slowest", "fastest", "runs",
      "memory, bytes per object",
    ])
    for policy in comparison.policies {
      let timings = comparison.records(policy).flatMap(\.timings)
      guard !timings.isEmpty else { continue }
      let speed = Spread(timings.compactMap(\.requestsPerSecond))
      // What a cell needs at most: the largest of its repetitions and capacities.
      let memory = timings.compactMap(\.memoryBytesPerObject).max()
      table.rows.append([
        ValueTable.title(policy, in: comparison),
        number(speed.map { $0.median / 1e6 }), number(speed.map { $0.smallest / 1e6 }),
        number(speed.map { $0.largest / 1e6 }), .text("\(timings.count)"), number(memory),
      ])
    }
    return table
  }

  private static func number(_ value: Double?) -> Inline {
    value.flatMap { NumberText.fixed($0, decimals: 2) }.map { .text($0) } ?? Table.none
  }
}
