import LarderEngine
import LarderSupport
import LarderTraces

@testable import LarderExperiments

/// Helpers for tests of layouts.
enum FlashStand {
  /// Records as a source with given columns.
  struct Source: RecordSource {
    var list: [TraceRecord]
    var columns: TraceColumns = [.size]
    var keyLimit: Int? { nil }
    var requestCount: Int? { nil }

    func records(into sink: RecordSink) throws {
      _ = try list.withUnsafeBufferPointer { try sink($0) }
    }
  }

  static func trace(_ requests: [(key: UInt64, size: UInt32)]) throws -> PreparedTrace {
    try trace(requests.map { TraceRecord(key: $0.key, size: $0.size) }, [.size])
  }

  static func trace(_ list: [TraceRecord], _ columns: TraceColumns) throws -> PreparedTrace {
    try PreparedTrace.prepare(source: Source(list: list, columns: columns), name: "flash")
  }

  static func planned(
    _ layout: FlashLayout?, capacity: UInt64, timeToLiveSeconds: UInt32? = nil
  ) -> PlannedCell {
    guard let policy = FlashLayout.policy else { fatalError("'fifo' parses") }
    let tier = TierSetup(
      policy: policy, capacity: capacity, timeToLiveSeconds: timeToLiveSeconds)
    return PlannedCell(
      cell: Cell(
        workload: "w", trace: "flash", configuration: "disk", kind: .disk, policy: "fifo",
        capacity: capacity, capacityLabel: "\(capacity)", unit: .bytes, seed: 1),
      setup: SimulationSetup(arrangement: .disk(tier), unit: .bytes, seed: 1), layout: layout)
  }

  static func record(
    _ planned: PlannedCell, _ trace: PreparedTrace, warmUp: WarmUp = .none
  ) throws -> Record? {
    let runner = CellRunner(
      warmUp: warmUp, repetitions: 1, cancellation: Cancellation(), progress: { _ in })
    return try runner.run(planned, over: trace)
  }

  static func record(
    _ layout: FlashLayout, capacity: UInt64, _ trace: PreparedTrace
  ) throws -> Record? {
    try record(planned(layout, capacity: capacity), trace)
  }
}
