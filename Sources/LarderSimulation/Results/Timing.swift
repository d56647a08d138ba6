import LarderWorkloads

/// One timed run of a cell.
public struct Timing: Sendable, Hashable, Codable {
  /// Whether policies were simulated or real caches driven.
  public var mode: Mode
  /// Threads that drove the cell itself. A simulated cell always runs in one.
  public var threads: Int
  /// From 1.
  public var repetition: Int
  /// Requests of every operation processed while the clock ran, warm-up included.
  public var requests: UInt64
  /// Wall-clock seconds.
  public var seconds: Double
  /// Percentiles of the measured latency of single requests; nil where it was not measured.
  public var latency: MeasuredLatency?
  /// Memory of the cell's own state, divided by the distinct objects of the trace.
  public var memoryBytesPerObject: Double?
  /// The machine, in one line; nil for that of the run. Results that were merged have timings of
  /// several.
  public var machine: String?

  /// What ran.
  public typealias Mode = RunMode

  /// A timing; see the properties for the meaning of each part.
  public init(
    mode: Mode, threads: Int, repetition: Int, requests: UInt64, seconds: Double,
    latency: MeasuredLatency? = nil, memoryBytesPerObject: Double? = nil
  ) {
    self.mode = mode
    self.threads = threads
    self.repetition = repetition
    self.requests = requests
    self.seconds = seconds
    self.latency = latency
    self.memoryBytesPerObject = memoryBytesPerObject
  }

  /// Requests divided by seconds, or nil when no time passed.
  public var requestsPerSecond: Double? { seconds > 0 ? Double(requests) / seconds : nil }
}
