import Foundation
import LarderEngine
import LarderExperiments
import LarderLibc
import LarderSupport
import LarderTraces

/// Runs one cell through a real cache: warm-up, threads, repetitions, checks.
///
/// A new cache in a new folder gets the requests of the trace. On a miss the value is fetched from
/// a simulated origin and passed to `fill`; a *modify* only changes the origin's version. Before
/// each request the cache's clock is set to the trace's time. The warm-up is made by one thread, as
/// fast as possible; the rest is counted and timed. With one thread the counts are a function of
/// the cell. Several threads take requests as they become free: in a closed loop 64 at a time, in
/// an open loop one by one. Memory pressure comes between requests, with all threads waiting.
///
/// The result of a get must be a version that was current at some moment during it: see
/// `ObjectVersions` and `ValuePattern`. One wrong value is an error.
///
/// `seconds` is the time from the first request after the warm-up to the last, with making and
/// checking values, memory pressure and waiting for the origin. Latency is that of the cache's own
/// calls: a miss is its get, the origin's time and its fill. In an open loop it is measured from
/// the time when the request was due. Reading the clock twice takes as long as a hit in memory: if
/// only memory is driven, as fast as possible, through 2^18 requests or more, one operation in 16
/// is timed. A cell whose fetches take time is executed by `TimedRun`.
///
/// Other work takes the processors that are being measured: execute cells one after another.
/// Folders are removed when the cell is done and not between its runs, because file systems are
/// slow for a while after many files have been removed.
package struct CellExecutor: Sendable {
  let order: DrivingOrder
  /// True if the runs' folders are kept, for the caller to remove after all measurements.
  var keepsFolders = false
  var time: any RunTime = SystemRunTime()

  package init(_ order: DrivingOrder) { self.order = order }

  package func run(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?
  ) throws(ExecutionError) -> [Execution]? {
    try run(planned, over: trace, simulated: simulated, contender: contender(of: planned))
  }

  func contender(of planned: PlannedCell) throws(ExecutionError) -> CacheContender {
    guard let contender = ContenderRegistry.named(planned.contender) else {
      throw .unknownCache(planned.contender, known: ContenderRegistry.all.map(\.name))
    }
    return contender
  }

  func run(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?,
    contender: CacheContender
  ) throws(ExecutionError) -> [Execution]? {
    guard contender.kinds.contains(planned.cell.kind) else {
      throw .kind(cache: contender.name, kind: planned.cell.kind)
    }
    var folders: [RunFolder] = []
    defer { if !keepsFolders { for folder in folders { folder.remove() } } }
    var executions: [Execution] = []
    for threads in planned.setup.time == nil ? order.spec.threads : [1] {
      guard (1...ExecutionError.threadsMax).contains(threads) else { throw .threads(threads) }
      for repetition in 1...max(1, order.repetitions) {
        let folder = try RunFolder(under: order.folder)
        folders.append(folder)
        let context = RunContext(self, planned, contender, trace, folder, threads: threads)
        let execution =
          if let time = planned.setup.time {
            try TimedRun(context, time).execute(repetition: repetition, simulated: simulated)
          } else {
            try ExecutionRun(context, repetition: repetition).execute(simulated: simulated)
          }
        guard let execution else { return nil }
        executions.append(execution)
      }
    }
    return executions
  }
}

/// Drives the caches of `ContenderRegistry` with `CellExecutor`, and keeps the folders.
package struct HarnessDriver: CacheDriver {
  package init() {}

  package func drive(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?, _ order: DrivingOrder
  ) throws(ExecutionError) -> [Execution]? {
    var executor = CellExecutor(order)
    executor.keepsFolders = true
    return try executor.run(planned, over: trace, simulated: simulated)
  }
}

struct RunFolder: Sendable {
  let path: String

  init(under scratch: String) throws(ExecutionError) {
    path = "\(scratch)/run-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .folder(path: path, message: "cannot be created: \(error.localizedDescription)")
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  private var files: [String] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.map { "\(path)/\($0)" }.filter { file in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  /// The number of files; nil for 0, because a cache may keep its files elsewhere. O(files).
  var fileCount: UInt64? {
    let count = files.count
    return count == 0 ? nil : UInt64(count)
  }

  var bytes: UInt64 {
    files.reduce(0) { sum, file in
      let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
      return sum + (size?.uint64Value ?? 0)
    }
  }

  /// Writes its files out and drops them from the system's page cache; false if the system does not
  /// support it. O(files).
  func dropFromPageCache() -> Bool {
    #if os(Linux)
      for file in files {
        let descriptor = open(file, O_RDONLY)
        guard descriptor >= 0 else { continue }
        // Dirty pages cannot be dropped.
        _ = fdatasync(descriptor)
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        _ = close(descriptor)
      }
      return true
    #else
      return false
    #endif
  }
}
