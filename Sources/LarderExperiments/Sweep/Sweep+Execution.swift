import Foundation
import LarderEngine
import LarderSupport
import LarderTraces

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

/// Drives real caches through cells for a sweep. `LarderHarness` has the one that there is; sweeps
/// know it by this protocol, so that simulating needs no harness.
package protocol CacheDriver: Sendable {
  /// Drives a cell's cache once for each repetition.
  ///
  /// - Parameter simulated: The counts to compare with; nil for none.
  /// - Returns: nil when it was cancelled before the first repetition was complete.
  /// - Throws: `ExecutionError`.
  func drive(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?, _ order: DrivingOrder
  ) throws(ExecutionError) -> [Execution]?
}

/// How a cell is to be driven.
package struct DrivingOrder: Sendable {
  /// Load, origin, checks and the numbers of threads.
  package var spec: ExecutionSpec
  /// What is not counted.
  package var warmUp: WarmUp
  /// How often it is driven.
  package var repetitions: Int
  /// Whether the latency of operations is recorded. Without, a run reads the clock less, and what
  /// it executes does not depend on how long anything took.
  package var recordsLatency: Bool
  /// What the origin takes; nil for nothing.
  package var latency: LatencyModel?
  /// A folder under which each run gets one of its own for its files.
  package var folder: String
  /// Ends it.
  package var cancellation: Cancellation
  /// Told the number of requests just made, from any of the threads, also at the same time.
  package var progress: @Sendable (_ requests: Int) -> Void

  /// An order; see the properties for the meaning of each part.
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

/// Why a cell could not be executed, or its execution not be believed.
package enum ExecutionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No cache has the name.
  case unknownCache(String, known: [String])
  /// The cache cannot have the shape.
  case kind(cache: String, kind: ConfigurationKind)
  /// The cache could not be made.
  case making(cache: String, message: String)
  /// A call of the cache threw; `request` is its place in the trace, from 1, nil where there is
  /// none.
  case failed(cache: String, call: String, request: Int?, message: String)
  /// Values were read that are not what was written.
  case wrongValues(cache: String, wrong: UInt64, checked: UInt64, first: String)
  /// The load cannot be made.
  case load(String)
  /// A number of threads that cannot be had.
  case threads(Int)
  /// A folder for the cache's files cannot be used.
  case folder(path: String, message: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .unknownCache(let name, let known):
      return "unknown cache '\(name)'; known are \(known.joined(separator: ", "))"
    case .kind(let cache, let kind):
      return "the cache '\(cache)' cannot be a configuration of kind \(kind.rawValue)"
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

  /// Threads that one cache can be driven with.
  package static var threadsMax: Int { 256 }
}
