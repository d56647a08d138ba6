import Foundation
import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces

/// Runs the cells of a plan: first simulates, over all cores; then executes, one cell at a time
/// without concurrent work.
package struct Sweep: Sendable {
  package var cells: [PlannedCell]
  package var traces: TraceTable
  package var warmUp: WarmUp = .none
  package var repetitions: Int = 1
  package var latency: LatencyModel?
  package var threads: Int = ProcessInfo.processInfo.activeProcessorCount
  package var execution: ExecutionSpec = ExecutionSpec()
  package var scratch: String = FileManager.default.temporaryDirectory.path
  package var driver: (any CacheDriver)?
  package var executedRepetitions: Int?
  package var store: StoredRecords?

  package enum Stage: Sendable, Hashable, CustomStringConvertible {
    case simulating(cells: Int)
    case executing(Cell, threads: Int)

    package var description: String {
      switch self {
      case .simulating(let cells):
        "Simulating \(NumberText.counted(cells, "cell"))"
      case .executing(let cell, let threads):
        "Executing \(cell.cacheName) \(cell.capacityLabel), "
          + NumberText.counted(threads, "thread")
      }
    }
  }

  package struct Observer: Sendable {
    package var began: @Sendable (Stage) -> Void
    package var replayed: @Sendable (_ requests: Int) -> Void
    package var finished: @Sendable (_ records: () -> [Record]) throws -> Void

    package init(
      began: @escaping @Sendable (Stage) -> Void = { _ in },
      replayed: @escaping @Sendable (Int) -> Void = { _ in },
      finished: @escaping @Sendable (() -> [Record]) throws -> Void = { _ in }
    ) {
      self.began = began
      self.replayed = replayed
      self.finished = finished
    }
  }

  package var totalRequests: Int {
    cells.reduce(0) { sum, planned in
      let isComputed = planned.isSimulated && stored(planned) == nil
      let runs =
        (isComputed ? max(1, repetitions) : 0)
        + executedThreads(planned).count * repetitions(executing: planned)
      return sum + (trace(of: planned.cell)?.requests.count ?? 0) * runs
    }
  }

  package func isComplete(_ records: [Record]) -> Bool {
    let byCell = Dictionary(records.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    return cells.allSatisfy { planned in
      guard let record = byCell[planned.cell] else { return false }
      let done = Set((record.executions ?? []).map(\.threads))
      return executedThreads(planned).allSatisfy(done.contains)
    }
  }

  package func run(
    cancellation: Cancellation = Cancellation(), observer: Observer = Observer()
  ) throws -> [Record] {
    let ledger = Locked(Ledger(records: cells.map(stored)))
    let stop = Cancellation()
    let progress: @Sendable (Int) -> Void = { requests in
      if cancellation.isRequested { stop.request() }
      ledger.withLock { _ in observer.replayed(requests) }
    }
    try simulate(ledger, cancellation, stop, observer, progress)
    try execute(ledger, cancellation, observer, progress)
    return ledger.withLock { $0.records.compactMap { $0 } }
  }

  private func simulate(
    _ ledger: Locked<Ledger>, _ cancellation: Cancellation, _ stop: Cancellation,
    _ observer: Observer, _ progress: @escaping @Sendable (Int) -> Void
  ) throws {
    let found = ledger.withLock { $0.records }
    let simulated = cells.indices.filter { cells[$0].isSimulated && found[$0] == nil }
    guard !simulated.isEmpty else { return }
    observer.began(.simulating(cells: simulated.count))
    let runner = CellRunner(
      warmUp: warmUp, repetitions: repetitions,
      calculators: latency.map { AccessTimeCalculators(model: $0, cells: cells) },
      cancellation: stop, progress: progress)
    _ = try parallelMap(
      count: simulated.count, threads: threads,
      unless: cancellation.isRequested || stop.isRequested
    ) { place in
      do {
        let index = simulated[place]
        let planned = cells[index]
        guard let trace = trace(of: planned.cell) else {
          throw SweepError.traceMissing(planned.cell)
        }
        if let record = try runner.run(planned, over: trace) {
          try store?.keep(record, of: planned)
          try ledger.withLock { try $0.put(record, at: index, for: observer) }
        }
      } catch {
        // Ends the cells that other threads run.
        stop.request()
        throw error
      }
      return ()
    }
  }

  /// Executed cells are simulated in the same run, so that a record never mixes measurements of one
  /// run with counts of another.
  private func stored(_ planned: PlannedCell) -> Record? {
    guard planned.isSimulated, !planned.isExecuted else { return nil }
    return store?.record(of: planned)
  }

  func trace(of cell: Cell) -> PreparedTrace? { traces[cell] }

  struct Ledger {
    var records: [Record?]

    mutating func put(_ record: Record, at index: Int, for observer: Observer) throws {
      records[index] = record
      let records = records
      try observer.finished { records.compactMap { $0 } }
    }
  }
}

extension Sweep {
  package init(cells: [PlannedCell], traces: TraceTable, threads: Int) {
    (self.cells, self.traces, self.threads) = (cells, traces, threads)
  }
}

package enum SweepError: Error, Hashable, Sendable, CustomStringConvertible {
  case notDeterministic(Cell)
  case traceMissing(Cell)
  case training(Cell, BoostingError)
  case driverMissing(Cell)
  case execution(Cell, threads: Int, ExecutionError)

  package var description: String {
    switch self {
    case .notDeterministic(let cell):
      return "policy '\(cell.policy)' at capacity \(cell.capacity) counted differently when "
        + "repeated: this is a bug in larder; please report it"
    case .traceMissing(let cell):
      return "no trace for seed \(cell.seed) of workload '\(cell.workload)'"
    case .training(let cell, let error):
      return "policy '\(cell.policy)' at capacity \(cell.capacity): \(error)"
    case .driverMissing(let cell):
      return
        "'\(cell.configuration)' with '\(cell.policy)' must be executed, but this command only "
        + "simulates; remove 'execute' from 'mode'"
    case .execution(let cell, let threads, let error):
      return "executing '\(cell.configuration)' with '\(cell.policy)' at capacity "
        + "\(cell.capacity) in \(NumberText.counted(threads, "thread")): \(error)"
    }
  }
}

/// Schedules saving of partial results: at most once a second, and rarely enough that writing a
/// large result slows the run by at most a tenth.
package final class SavingPace: Sendable {
  private let next: Locked<ContinuousClock.Instant>
  private let now: @Sendable () -> ContinuousClock.Instant

  package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
    self.now = now
    next = Locked(now() + .seconds(1))
  }

  package func whenDue(_ save: () throws -> Void) throws {
    try next.withLock { next in
      let start = now()
      guard start >= next else { return }
      try save()
      let end = now()
      next = end + max(.seconds(1), (end - start) * 10)
    }
  }
}
