import LarderEngine
import LarderTraces

/// Runs one cell through a real cache: warm-up, threads, repetitions, checks.
struct CellExecutor: Sendable {
  let spec: ExecutionSpec
  let warmUp: WarmUp
  let repetitions: Int
  /// What the origin takes; nil for nothing.
  let latency: LatencyModel?
  /// Folder under which each run gets one of its own.
  let scratch: String
  let cancellation: Cancellation
  /// Told the number of requests just made.
  let progress: @Sendable (_ requests: Int) -> Void

  /// One execution for each number of threads and repetition, compared with `simulated` where that
  /// is given; nil when it was stopped on the way.
  ///
  /// - Throws: `ExecutionError`, or what the cache throws.
  func run(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts?
  ) throws -> [Execution]? {
    []
  }
}
