import Foundation
import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces

extension Sweep {
  func executedThreads(_ planned: PlannedCell) -> [Int] {
    guard planned.isExecuted else { return [] }
    // With time, one thread makes the requests, and each waits on its own.
    guard planned.setup.time == nil else { return [1] }
    guard !planned.isSimulated else { return execution.threads }
    return [1] + execution.threads.filter { $0 != 1 }
  }

  func repetitions(executing planned: PlannedCell) -> Int {
    max(1, planned.setup.time == nil ? executedRepetitions ?? repetitions : repetitions)
  }

  /// Executes cells one after the other, because concurrent work would distort the measurements.
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
          executions = try cells[index].watchingTrainings {
            try driver.drive(
              cells[index], over: trace,
              simulated: cells[index].isSimulated ? expected ?? earlier?.counts : nil,
              order(cells[index], threads: threads, files.folder, cancellation, progress))
          }
        } catch let error as ExecutionError {
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

  /// Counts that a real cache with one thread must have, if they differ from the cell's simulation:
  /// some policies have other parameters there.
  private func expected(
    _ planned: PlannedCell, _ cancellation: Cancellation
  ) throws -> Counts? {
    guard planned.isSimulated, planned.server == nil, executedThreads(planned).contains(1) else {
      return nil
    }
    var real = planned
    real.setup = try planned.setup.inRealCaches()
    guard real.setup != planned.setup else { return nil }
    guard let trace = trace(of: planned.cell) else { throw SweepError.traceMissing(planned.cell) }
    let runner = CellRunner(
      warmUp: warmUp, repetitions: 1, cancellation: cancellation, progress: { _ in })
    return try runner.run(real, over: trace)?.counts
  }

  private func order(
    _ planned: PlannedCell, threads: Int, _ folder: String, _ cancellation: Cancellation,
    _ progress: @escaping @Sendable (Int) -> Void
  ) -> DrivingOrder {
    var spec = execution
    spec.threads = [threads]
    if let server = planned.server { spec.load = server.paced(spec.load) }
    return DrivingOrder(
      spec: spec, warmUp: warmUp, repetitions: repetitions(executing: planned), latency: latency,
      folder: folder, cancellation: cancellation, progress: progress)
  }
}

/// Files of executed caches. Kept until all measurements are done, up to a limit, because file
/// systems are slow for a while after many files have been removed.
private struct ExecutedFiles {
  let folder: String
  private var bytes: UInt64 = 0

  private static let bytesMax: UInt64 = 8 << 30

  init(parent: String) { folder = "\(parent)/larder-execute-\(UUID().uuidString)" }

  mutating func grew(by executions: [Execution]) {
    for execution in executions { bytes += execution.diskBytes ?? 0 }
    guard bytes > Self.bytesMax else { return }
    remove()
    bytes = 0
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

package protocol CacheDriver: Sendable {
  func drive(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?, _ order: DrivingOrder
  ) throws(ExecutionError) -> [Execution]?
}

package struct DrivingOrder: Sendable {
  package var spec: ExecutionSpec
  package var warmUp: WarmUp
  package var repetitions: Int
  /// Otherwise a run reads the clock less, and its operations do not depend on timing.
  package var recordsLatency: Bool
  package var latency: LatencyModel?
  package var folder: String
  package var cancellation: Cancellation
  package var progress: @Sendable (_ requests: Int) -> Void

  package init(
    spec: ExecutionSpec, warmUp: WarmUp = .none, repetitions: Int = 1,
    recordsLatency: Bool = true, latency: LatencyModel? = nil, folder: String,
    cancellation: Cancellation = Cancellation(),
    progress: @escaping @Sendable (_ requests: Int) -> Void = { _ in }
  ) {
    self.spec = spec
    self.warmUp = warmUp
    self.repetitions = repetitions
    self.recordsLatency = recordsLatency
    self.latency = latency
    self.folder = folder
    self.cancellation = cancellation
    self.progress = progress
  }
}

/// A reason for which a cell could not be executed, or its execution is invalid.
package enum ExecutionError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownCache(String, known: [String])
  case kind(cache: String, kind: ConfigurationKind)
  case making(cache: String, message: String)
  case failed(cache: String, call: String, request: Int?, message: String)
  case wrongValues(cache: String, wrong: UInt64, checked: UInt64, first: String)
  case load(String)
  case threads(Int)
  case folder(path: String, message: String)

  package var description: String {
    switch self {
    case .unknownCache(let name, let known):
      return "unknown cache '\(name)'; known are \(known.joined(separator: ", "))"
    case .kind(let cache, let kind):
      return "the cache '\(cache)' does not support the kind \(kind.rawValue)"
    case .making(let cache, let message):
      return "cannot create the cache '\(cache)': \(message)"
    case .failed(let cache, let call, let request, let message):
      let place = request.map { " for request \($0) of the trace" } ?? ""
      return "the cache '\(cache)' failed in \(call)\(place): \(message)"
    case .wrongValues(let cache, let wrong, let checked, let first):
      return "the cache '\(cache)' returned \(wrong) wrong values of \(checked) checked; the first "
        + "for \(first)"
    case .load(let message):
      return message
    case .threads(let threads):
      return "invalid number of threads \(threads): expected 1 to \(Self.threadsMax)"
    case .folder(let path, let message):
      return "\(path): \(message)"
    }
  }

  package static var threadsMax: Int { 256 }
}
