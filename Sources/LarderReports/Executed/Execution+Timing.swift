import LarderSimulation

extension Execution {
  /// The run as a timing, with the latency of all gets.
  var timing: Timing {
    Timing(
      mode: .execute, threads: threads, repetition: repetition, requests: requests,
      seconds: seconds, latency: getLatency, memoryBytesPerObject: memoryBytesPerObject)
  }

  /// The latency of one kind of operation; nil when none was made.
  subscript(kind: OperationLatency.Kind) -> OperationLatency? {
    latencies.first { $0.kind == kind && $0.count > 0 }
  }
}
