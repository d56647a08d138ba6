import Foundation
import LarderEngine
import LarderTraces
import Synchronization

/// Runs the cells of a plan over all cores. Cells share the prepared traces, which are read-only,
/// so their counts do not depend on the number of threads.
public struct Sweep: Sendable {
  /// What to run, in the order of the results.
  public var cells: [PlannedCell]
  /// The trace of each seed; one under nil serves all seeds.
  public var traces: [UInt64?: PreparedTrace]
  /// What is not counted at the start of each cell.
  public var warmUp: WarmUp
  /// How often each cell is timed.
  public var repetitions: Int
  /// The model of access times.
  public var latency: LatencyModel?
  /// Cells that run at the same time.
  public var threads: Int

  /// A sweep; see the properties for the meaning of each part.
  public init(
    cells: [PlannedCell], traces: [UInt64?: PreparedTrace], warmUp: WarmUp = .none,
    repetitions: Int = 1, latency: LatencyModel? = nil,
    threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) {
    self.cells = cells
    self.traces = traces
    self.warmUp = warmUp
    self.repetitions = repetitions
    self.latency = latency
    self.threads = threads
  }

  /// What a running sweep tells. Calls come from several threads, one at a time.
  public struct Observer: Sendable {
    /// Requests have been replayed, of any cell.
    public var replayed: @Sendable (_ requests: Int) -> Void
    /// A cell is done; `records` makes the list of all records so far, in plan order, which is
    /// linear in the cells: for those who do not want it every time. What is thrown ends the sweep.
    public var finished: @Sendable (_ records: () -> [Record]) throws -> Void

    /// An observer that by default does nothing.
    public init(
      replayed: @escaping @Sendable (Int) -> Void = { _ in },
      finished: @escaping @Sendable (() -> [Record]) throws -> Void = { _ in }
    ) {
      self.replayed = replayed
      self.finished = finished
    }
  }

  /// Requests that `run` will replay, repetitions included.
  public var totalRequests: Int {
    cells.reduce(0) { sum, planned in
      sum + (trace(of: planned.cell)?.requests.count ?? 0) * max(1, repetitions)
    }
  }

  /// Runs everything and returns the records in plan order: all of them, or those done when
  /// `cancellation` was requested. Each cell is one pass over its trace for every repetition.
  ///
  /// - Throws: the first error of a cell or of the observer; running cells are stopped first.
  public func run(
    cancellation: Cancellation = Cancellation(), observer: Observer = Observer()
  ) throws -> [Record] {
    let ledger = Mutex(Ledger(count: cells.count))
    let stop = Cancellation()
    let runner = CellRunner(
      warmUp: warmUp, repetitions: repetitions,
      calculators: latency.map { AccessTimeCalculators(model: $0, cells: cells) },
      cancellation: stop
    ) { requests in
      if cancellation.isRequested { stop.request() }
      ledger.withLock { _ in observer.replayed(requests) }
    }
    let next = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: min(max(1, threads), max(1, cells.count))) { _ in
      while !cancellation.isRequested, !stop.isRequested {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < cells.count else { return }
        do {
          guard let trace = trace(of: cells[index].cell) else {
            throw SweepError.traceMissing(cells[index].cell)
          }
          guard let record = try runner.run(cells[index], over: trace) else { return }
          try ledger.withLock { ledger in
            ledger.records[index] = record
            let records = ledger.records
            try observer.finished { records.compactMap { $0 } }
          }
        } catch {
          ledger.withLock { $0.failure = $0.failure ?? error }
          stop.request()
        }
      }
    }
    let outcome = ledger.withLock { $0 }
    if let failure = outcome.failure { throw failure }
    return outcome.records.compactMap { $0 }
  }

  private func trace(of cell: Cell) -> PreparedTrace? { traces[cell.seed] ?? traces[nil] }

  private struct Ledger {
    var records: [Record?]
    var failure: (any Error)?

    init(count: Int) { records = Array(repeating: nil, count: count) }
  }
}
