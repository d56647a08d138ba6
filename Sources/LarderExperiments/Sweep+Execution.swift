import LarderEngine
import LarderTraces
import Synchronization

extension Sweep {
  /// The numbers of threads that a cell is executed in, each on its own. A cell that is not
  /// simulated is first executed in one, for its counts.
  func executedThreads(_ planned: PlannedCell) -> [Int] {
    guard planned.isExecuted else { return [] }
    guard !planned.isSimulated else { return execution.threads }
    return [1] + execution.threads.filter { $0 != 1 }
  }

  /// Executes the cells that are to be, one after the other: what runs beside them would be in the
  /// measurements. What is complete when it is stopped stays.
  func execute(
    _ ledger: borrowing Mutex<Ledger>, _ cancellation: Cancellation, _ stop: Cancellation,
    _ observer: Observer, _ progress: @escaping @Sendable (Int) -> Void
  ) throws {
    for index in cells.indices {
      for threads in executedThreads(cells[index]) {
        if cancellation.isRequested || stop.isRequested { return }
        let cell = cells[index].cell
        guard let trace = trace(of: cell) else { throw SweepError.traceMissing(cell) }
        observer.began(.executing(cell, threads: threads))
        let earlier = ledger.withLock { $0.records[index] }
        let executions: [Execution]?
        do {
          executions = try executor(threads: threads, stop, progress).run(
            cells[index], over: trace,
            simulated: cells[index].isSimulated ? earlier?.counts : nil)
        } catch {
          throw SweepError.execution(cell, threads: threads, reason: "\(error)")
        }
        guard let executions, let first = executions.first else { return }
        var record =
          earlier
          ?? Record(
            cell: cell, counts: first.counts, objectsDistinct: UInt64(trace.requests.objects))
        record.executions = (record.executions ?? []) + executions
        try ledger.withLock { try $0.put(record, at: index, for: observer) }
      }
    }
  }

  private func executor(
    threads: Int, _ stop: Cancellation, _ progress: @escaping @Sendable (Int) -> Void
  ) -> CellExecutor {
    var spec = execution
    spec.threads = [threads]
    return CellExecutor(
      spec: spec, warmUp: warmUp, repetitions: max(1, repetitions), latency: latency,
      scratch: scratch, cancellation: stop, progress: progress)
  }
}
