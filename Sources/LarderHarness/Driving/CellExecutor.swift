import Foundation
import LarderEngine
import LarderExperiments
import LarderLibc
import LarderSupport
import LarderTraces

/// Runs one cell through a real cache: warm-up, threads, repetitions, checks.
///
/// # What one run does
///
/// A new cache in a new folder gets the requests of the trace. A *get* asks the cache; on a miss
/// the value is fetched from a made-up origin and given to `fill`. A *set* and a *delete* are
/// passed on. A *modify* changes the origin's version and nothing else. Before each request the
/// cache's clock is moved to the trace's time. The **warm-up** is made by one thread in the order
/// of the trace, as fast as possible; then the cache's counts are set to zero, and the rest is
/// counted and timed. With one thread requests come in the order of the trace, and what is counted
/// is a function of the cell. Several threads take requests from the one trace as they become free:
/// in a closed loop 64 at a time, in an open loop one by one. Memory pressure is delivered between
/// requests, with all threads waiting.
///
/// # Values
///
/// Every byte of a value follows from key, version and length. What a get returns must be one that
/// was current at some moment during it: see `ObjectVersions` and `ValuePattern`. One wrong value
/// is an error.
///
/// # Time
///
/// `seconds` is from the first request after the warm-up to the last, with making and checking
/// values, with the handling of memory pressure and, where the origin is waited for, with that.
/// Latency is that of the cache's own calls: a miss is its get, the origin's time and its fill.
/// Making and checking values, and reading the trace, is not in it. In an open loop it counts from
/// when the request was due. Reading the clock twice takes 50 ns, as long as a hit in memory does:
/// where only memory is driven, as fast as possible, through 2^18 requests or more, one operation
/// in 16 is timed, irregularly spaced. Everywhere else all are.
///
/// A cell whose fetches take time is executed by `TimedRun`.
///
/// # What it costs
///
/// In processor time of one thread (AMD EPYC, optimised build): a get that a cache of nothing
/// answers takes 30 ns altogether, with reading the trace and sampling; one that it does not, 105,
/// of which 70 are Foundation's for making and freeing a value. So the loop alone makes 30 and 10
/// million requests a second. Checking values of 100 bytes in full is a tenth of a run of a memory
/// cache of 100,000 of them: most of it is waiting for the bytes.
///
/// # What must not run beside it
///
/// Other work, which takes the processors that are being measured, and whose memory and writes
/// would be counted as the cache's: cells are to be executed one after the other. Folders are
/// removed when the cell is done and not between its runs, because file systems are slow for a
/// while after many files have been removed.
package struct CellExecutor: Sendable {
  /// What is to be done.
  let order: DrivingOrder
  /// Whether the runs' folders stay, for the caller to remove when nothing is measured any more.
  var keepsFolders = false
  /// What latencies are measured with.
  var time: any RunTime = SystemRunTime()

  /// An executor of the order.
  package init(_ order: DrivingOrder) { self.order = order }

  /// One execution for each number of threads and repetition, compared with `simulated` where that
  /// is given; nil when it was stopped on the way.
  ///
  /// - Throws: `ExecutionError`.
  package func run(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?
  ) throws(ExecutionError) -> [Execution]? {
    try run(planned, over: trace, simulated: simulated, contender: contender(of: planned))
  }

  /// The cache that a cell names.
  ///
  /// - Throws: `ExecutionError.unknownCache`.
  func contender(of planned: PlannedCell) throws(ExecutionError) -> CacheContender {
    guard let contender = ContenderRegistry.named(planned.contender) else {
      throw .unknownCache(planned.contender, known: ContenderRegistry.all.map(\.name))
    }
    return contender
  }

  /// The same with another cache than the cell names.
  func run(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?,
    contender: CacheContender
  ) throws(ExecutionError) -> [Execution]? {
    guard contender.kinds.contains(planned.cell.kind) else {
      throw .kind(cache: contender.name, kind: planned.cell.kind)
    }
    if let time = planned.setup.time {
      return try run(planned, time, over: trace, simulated: simulated)
    }
    var folders: [RunFolder] = []
    defer { if !keepsFolders { for folder in folders { folder.remove() } } }
    var executions: [Execution] = []
    for threads in order.spec.threads {
      guard (1...ExecutionError.threadsMax).contains(threads) else { throw .threads(threads) }
      for repetition in 1...max(1, order.repetitions) {
        let folder = try RunFolder(under: order.folder)
        folders.append(folder)
        let run = ExecutionRun(
          self, planned, contender, trace, folder, threads: threads, repetition: repetition)
        guard let execution = try run.execute(simulated: simulated) else { return nil }
        executions.append(execution)
      }
    }
    return executions
  }

  /// The same for a cell with time.
  private func run(
    _ planned: PlannedCell, _ time: FetchModel, over trace: PreparedTrace, simulated: Counts?
  ) throws(ExecutionError) -> [Execution]? {
    var executions: [Execution] = []
    for repetition in 1...max(1, order.repetitions) {
      let run = try TimedRun(self, planned, time, trace)
      defer { if !keepsFolders { run.folder?.remove() } }
      guard let execution = try run.execute(repetition: repetition, simulated: simulated) else {
        return nil
      }
      executions.append(execution)
    }
    return executions
  }
}

/// Drives the caches of `ContenderRegistry`.
package struct HarnessDriver: CacheDriver {
  /// It has no state.
  package init() {}

  /// As `CellExecutor`, whose folders stay.
  package func drive(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?, _ order: DrivingOrder
  ) throws(ExecutionError) -> [Execution]? {
    var executor = CellExecutor(order)
    executor.keepsFolders = true
    return try executor.run(planned, over: trace, simulated: simulated)
  }
}

/// The folder of one run.
struct RunFolder: Sendable {
  /// Where it is.
  let path: String

  /// Makes a new one under `scratch`, which is made too where there is none.
  ///
  /// - Throws: `ExecutionError.folder`.
  init(under scratch: String) throws(ExecutionError) {
    path = "\(scratch)/run-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .folder(path: path, message: "cannot be created: \(error.localizedDescription)")
    }
  }

  /// Removes it with everything in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Every file in it.
  private var files: [String] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.map { "\(path)/\($0)" }.filter { file in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  /// How many files are in it; nil for none, as a cache may keep them elsewhere. O(files).
  var fileCount: UInt64? {
    let count = files.count
    return count == 0 ? nil : UInt64(count)
  }

  /// Bytes of all files in it. O(files).
  var bytes: UInt64 {
    files.reduce(0) { sum, file in
      let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
      return sum + (size?.uint64Value ?? 0)
    }
  }

  /// Writes its files out and drops them from the system's page cache; false where the system has
  /// no way to. O(files).
  func dropFromPageCache() -> Bool {
    #if os(Linux)
      for file in files {
        let descriptor = open(file, O_RDONLY)
        guard descriptor >= 0 else { continue }
        // What is not written yet cannot be dropped.
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
