import LarderChecks
import LarderSimulation

/// Two results folders beside each other: what changed in the counts, exactly, and how fast each
/// was, with its spread and without a verdict.
package struct RunComparison: Sendable {
  /// What the folders are called.
  package let names: (before: String, after: String)
  /// The counts.
  package let counts: CountsComparison
  /// What executed cells took of memory and disk; nothing is compared between systems.
  package let resources: ResourceComparison
  let before: RunResults
  let after: RunResults
  private let amongTraces: Bool

  /// Compares what two folders hold. O(n log n) in the records.
  package init(
    _ before: RunResults, named beforeName: String, with after: RunResults, named afterName: String
  ) {
    names = (beforeName, afterName)
    self.before = before
    self.after = after
    let amongTraces = [before, after].contains { Set($0.records.map(\.cell.trace)).count > 1 }
    self.amongTraces = amongTraces
    counts = CountsComparison(
      from: before.records.map { CheckedCell($0, amongTraces: amongTraces) },
      to: after.records.map { CheckedCell($0, amongTraces: amongTraces) })
    let measured = [before, after].map { MeasuredResources($0.records, amongTraces: amongTraces) }
    if let old = measured[0], before.machine.system == after.machine.system {
      let new = measured[1] ?? MeasuredResources(system: old.system, cells: [])
      let cells = after.records.map { CellName($0.cell, amongTraces: amongTraces) }
      resources = ResourceComparison(from: old, to: new, of: cells)
    } else {
      resources = ResourceComparison()
    }
  }

  private func name(_ record: Record) -> CellName {
    CellName(record.cell, amongTraces: amongTraces)
  }

  /// Requests a second of one cell in both.
  struct Speed {
    let cell: CellName
    let mode: Timing.Mode
    let threads: Int
    let before: Spread
    let after: Spread
  }

  /// How fast each cell was that both have timed, in the order of the later.
  var speeds: [Speed] {
    let old = Dictionary(
      before.records.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    return after.records.flatMap { record -> [Speed] in
      let name = name(record)
      guard let earlier = old[name] else { return [] }
      return Self.kinds(of: record).compactMap { mode, threads in
        guard let before = Self.spread(earlier, mode, threads),
          let after = Self.spread(record, mode, threads)
        else { return nil }
        return Speed(cell: name, mode: mode, threads: threads, before: before, after: after)
      }
    }
  }

  /// What a reader must know of the two.
  var notes: [String] {
    var notes: [String] = []
    if before.workload != after.workload {
      notes.append("The workloads differ: '\(before.workload)' and '\(after.workload)'.")
    }
    for (results, name) in [(before, names.before), (after, names.after)]
    where results.interrupted {
      notes.append("\(name) was stopped before all cells were done.")
    }
    if before.machine != after.machine {
      notes.append(
        "Machine or build differ: \(before.machine.summary), larder "
          + "\(before.machine.larder); \(after.machine.summary), larder "
          + "\(after.machine.larder).")
    }
    return notes
  }

  /// The timings of a record: those of one machine, where it was timed on several.
  private static func timings(_ record: Record) -> [Timing] {
    let machine = record.timings.first?.machine
    return record.timings.filter { $0.machine == machine } + (record.executions ?? []).map(\.timing)
  }

  private static func kinds(of record: Record) -> [(Timing.Mode, Int)] {
    var kinds: [(Timing.Mode, Int)] = []
    for timing in timings(record)
    where !kinds.contains(where: { $0 == (timing.mode, timing.threads) }) {
      kinds.append((timing.mode, timing.threads))
    }
    return kinds
  }

  private static func spread(_ record: Record, _ mode: Timing.Mode, _ threads: Int) -> Spread? {
    Spread(
      timings(record).filter { $0.mode == mode && $0.threads == threads }
        .compactMap(\.requestsPerSecond))
  }
}
