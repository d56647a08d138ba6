import LarderEngine
import LarderSupport
import LarderTraces

@testable import LarderExperiments

/// Prompts of a test as a source of records.
struct PromptList: RecordSource {
  /// A prompt: the keys of its blocks, and its tokens.
  struct Prompt {
    var blocks: [UInt64]
    var tokens: UInt32
  }

  var prompts: [Prompt]
  /// From one prompt to the next.
  var microseconds: UInt64 = 1
  var columns: TraceColumns { [.time, .prompt] }
  var keyLimit: Int? { nil }
  var requestCount: Int? { nil }

  func records(into sink: RecordSink) throws {
    var records: [TraceRecord] = []
    for (number, prompt) in prompts.enumerated() {
      for (place, key) in prompt.blocks.enumerated() {
        records.append(
          TraceRecord(
            key: key, time: UInt64(number) * microseconds,
            prompt: place == 0 ? prompt.tokens + 1 : 0))
      }
    }
    _ = try records.withUnsafeBufferPointer { try sink($0) }
  }

  func prepared() throws -> PreparedTrace {
    try PreparedTrace.prepare(source: self, name: "prompts").withNextUses()
  }

  static func record(
    _ trace: PreparedTrace, policy: String, capacity: UInt64, order: PromptOrder,
    warmUp: WarmUp = .none
  ) throws -> Record? {
    let runner = CellRunner(
      warmUp: warmUp, repetitions: 1, cancellation: Cancellation(), progress: { _ in })
    let cell = Cell(
      workload: "w", trace: trace.name, configuration: "memory", kind: .memory, policy: policy,
      capacity: capacity, capacityLabel: "\(capacity)", unit: .objects, seed: 1)
    let tier = TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)
    return try runner.run(
      PlannedCell(
        cell: cell, setup: SimulationSetup(arrangement: .memory(tier), unit: .objects, seed: 1),
        prefix: order),
      over: trace)
  }
}
