import LarderEngine

@testable import LarderExperiments

extension SampleResults {
  static let conditions = ExecutionConditions(
    cells: 3, threads: [1, 2], repetitions: 2, load: "closed loop", origin: "answers at once",
    verification: "every value read", pageCache: "as it is", durability: "normal",
    memory: "one shard", pressure: "warning after 50% of the requests")

  /// Two runs in one thread whose counts equal those of `record`, and two in two threads with
  /// others.
  static func executions(of record: Record) -> [Execution] {
    [1, 2].flatMap { threads in
      (UInt64(1)...2).map { repetition in
        var execution = Execution(threads: threads, repetition: Int(repetition))
        execution.counts = record.counts
        if threads > 1 { execution.counts.memoryHits -= repetition * 5 }
        execution.equalsSimulated = threads == 1
        execution.warmUpRequests = 500
        execution.requests = 5000
        execution.seconds = 0.01 * Double(repetition)
        execution.latencies = [
          OperationLatency(
            kind: .memoryHit, count: 2000, latency: latency(repetition * 100)),
          OperationLatency(kind: .diskHit, count: 500, latency: latency(repetition * 4000)),
          OperationLatency(kind: .miss, count: 2500, latency: latency(repetition * 50_000)),
        ]
        execution.getLatency = latency(repetition * 1000)
        execution.valuesChecked = 2500
        execution.capacityChecks = 2
        execution.memoryBytesPerObject = 148.5
        execution.memoryPayloadBytesPerObject = 108
        execution.residentObjects = 2_000
        execution.diskBytes = 2 << 20
        execution.diskBytesWritten = 3_000_000
        execution.writeAmplification = 3
        execution.bytesWritten = 2_900_000
        execution.files = 7
        return execution
      }
    }
  }

  /// A cache with its own policy and without tier counts, executed only, once.
  static var foreign: [Record] {
    var record = record(
      cell("theirs", capacity: 20, label: "20", configuration: "their cache"), hits: 2222)
    record.counts.memory = TierCounts()
    var execution = Execution(threads: 1, repetition: 1)
    execution.counts = record.counts
    execution.countsTiers = false
    execution.requests = 5000
    execution.seconds = 0.0125
    execution.timedOneIn = 16
    execution.notes = ["the clock was odd"]
    record.executions = [execution]
    return [record]
  }

  private static func latency(_ p50: UInt64) -> MeasuredLatency {
    MeasuredLatency(p50: p50, p90: p50 * 2, p99: p50 * 5, p999: p50 * 9, max: p50 * 20)
  }
}
