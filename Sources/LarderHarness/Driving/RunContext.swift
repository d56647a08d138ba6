import LarderSystem
import LarderTraces
import LarderWorkloads

/// What all threads of a run share.
struct RunContext: Sendable {
  /// What the three below point into.
  let memory: HarnessMemory
  let trace: PreparedTrace
  let reader: TraceReader
  let versions: ObjectVersions
  let pattern: ValuePattern
  let clock: TraceClock
  let time: any RunTime
  /// What the origin takes; nil for nothing.
  let origin: OriginLatency?
  let waitsForOrigin: Bool
  let verification: ExecutionSpec.Verification
  let cancellation: Cancellation
  let progress: @Sendable (Int) -> Void
}
