import Foundation
import LarderEngine
import LarderSystem
import LarderTraces
import LarderWorkloads

extension Sweep {
  /// The numbers of threads that a cell is executed in, each on its own. A cell that is not
  /// simulated is first executed in one, for its counts.
  func executedThreads(_ planned: PlannedCell) -> [Int] {
    guard planned.isExecuted else { return [] }
    guard !planned.isSimulated else { return execution.threads }
    return [1] + execution.threads.filter { $0 != 1 }
  }

  /// How often a cell is executed in each number of threads.
  func repetitions(executing planned: PlannedCell) -> Int {
    max(1, planned.setup.time == nil ? executedRepetitions ?? repetitions : repetitions)
  }

  /// Executes the cells that are to be, one after the other: what runs beside them would be in the
  /// measurements. What is complete when it is stopped stays.
  func execute(
    _ ledger: Locked<Ledger>, _ cancellation: Cancellation, _ observer: Observer,
    _ progress: @escaping @Sendable (Int) -> Void
  ) throws {
    guard let executed = cells.first(where: \.isExecuted) else { return }
    guard let driver else { throw SweepError.driverMissing(executed.cell) }
    var files = ExecutedFiles(parent: scratch)
    defer { files.remove() }
    for index in cells.indices {
      let expected = try expected(cells[index], cancellation)
      for threads in executedThreads(cells[index]) {
        if cancellation.isRequested { return }
        let cell = cells[index].cell
        guard let trace = trace(of: cell) else { throw SweepError.traceMissing(cell) }
        observer.began(.executing(cell, threads: threads))
        let earlier = ledger.withLock { $0.records[index] }
        let executions: [Execution]?
        do {
          executions = try driver.drive(
            cells[index], over: trace,
            simulated: cells[index].isSimulated ? expected ?? earlier?.counts : nil,
            order(cells[index], threads: threads, files.folder, cancellation, progress))
        } catch {
          throw SweepError.execution(cell, threads: threads, error)
        }
        guard let executions, let first = executions.first else { return }
        files.grew(by: executions)
        var record =
          earlier
          ?? Record(
            cell: cell, counts: first.counts, objectsDistinct: UInt64(trace.requests.objects))
        record.executions = (record.executions ?? []) + executions
        try ledger.withLock { try $0.put(record, at: index, for: observer) }
      }
    }
  }

  /// What a real cache with one thread must count, where that is not what the cell's simulation
  /// counts: some policies have other parameters there.
  private func expected(
    _ planned: PlannedCell, _ cancellation: Cancellation
  ) throws -> Counts? {
    guard planned.isSimulated, planned.isExecuted, execution.threads.contains(1) else { return nil }
    var real = planned
    real.setup = try planned.setup.inRealCaches()
    guard real.setup != planned.setup else { return nil }
    guard let trace = trace(of: planned.cell) else { throw SweepError.traceMissing(planned.cell) }
    let runner = CellRunner(
      warmUp: warmUp, repetitions: 1, calculators: nil, cancellation: cancellation,
      progress: { _ in })
    return try runner.run(real, over: trace)?.counts
  }

  private func order(
    _ planned: PlannedCell, threads: Int, _ folder: String, _ cancellation: Cancellation,
    _ progress: @escaping @Sendable (Int) -> Void
  ) -> DrivingOrder {
    var spec = execution
    spec.threads = [threads]
    return DrivingOrder(
      spec: spec, warmUp: warmUp, repetitions: repetitions(executing: planned), latency: latency,
      folder: folder, cancellation: cancellation, progress: progress)
  }
}

/// The files of executed caches. They stay until nothing is measured any more, because file systems
/// are slow for a while after many files have been removed; but not beyond a bound.
private struct ExecutedFiles {
  /// Where they are.
  let folder: String
  private var bytes: UInt64 = 0

  /// Bytes that stay: more than that would be unexpected.
  private static let bytesMax: UInt64 = 8 << 30

  /// Files in a folder of their own, which is made by whoever puts the first into it.
  init(parent: String) {
    folder = "\(parent)/larder-execute-\(UUID().uuidString)"
  }

  /// Files of finished runs were left.
  mutating func grew(by executions: [Execution]) {
    for execution in executions { bytes += execution.diskBytes ?? 0 }
    guard bytes > Self.bytesMax else { return }
    remove()
    bytes = 0
  }

  /// Removes all of them.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
