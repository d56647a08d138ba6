import Foundation
import Larder
import LarderEngine
import LarderPolicies
import LarderTraces
import Testing

@testable import LarderExperiments
@testable import LarderHarness
@testable import LarderSupport

final class ExecutionStand {
  var spec = {
    var spec = ExecutionSpec()
    (spec.durability, spec.inlineBytesMax) = (.none, 55)
    return spec
  }()
  var warmUp = WarmUp.none
  var repetitions = 1
  var latency: LatencyModel?
  var time: any RunTime = SystemRunTime()
  let cancellation = Cancellation()
  let scratch = NSTemporaryDirectory() + "larder-execution-" + UUID().uuidString
  let progress = ProgressCount()

  deinit { try? FileManager.default.removeItem(atPath: scratch) }

  var leftovers: [String] { (try? FileManager.default.contentsOfDirectory(atPath: scratch)) ?? [] }

  static func cell(
    _ arrangement: Arrangement, unit: CapacityUnit = .objects, seed: UInt64 = 1,
    contender: String = "larder"
  ) -> PlannedCell {
    let (kind, policy, capacity): (ConfigurationKind, String, UInt64) =
      switch arrangement {
      case .memory(let tier): (.memory, tier.policy.description, tier.capacity)
      case .disk(let tier): (.disk, tier.policy.description, tier.capacity)
      case .hybrid(_, let disk, _): (.hybrid, disk.policy.description, disk.capacity)
      }
    return PlannedCell(
      cell: Cell(
        workload: "test", trace: "random", configuration: kind.rawValue, kind: kind,
        policy: policy, capacity: capacity, capacityLabel: "\(capacity)", unit: unit, seed: seed),
      setup: SimulationSetup(arrangement: arrangement, unit: unit, seed: seed),
      contender: contender)
  }

  static func tier(
    _ policy: String = "lru", capacity: UInt64 = 50, timeToLive: UInt32? = nil,
    objectsMax: UInt64? = nil
  ) throws -> TierSetup {
    TierSetup(
      policy: try PolicySpec(parsing: policy), capacity: capacity, timeToLiveSeconds: timeToLive,
      objectsMax: objectsMax)
  }

  func run(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts? = nil,
    _ contender: CacheContender? = nil
  ) throws -> [Execution]? {
    try executor.run(
      planned, over: trace, simulated: simulated,
      contender: contender ?? executor.contender(of: planned))
  }

  /// The first execution of a cell.
  func first(
    _ planned: PlannedCell, over trace: PreparedTrace, simulated: Counts? = nil,
    _ contender: CacheContender? = nil
  ) throws -> Execution {
    try #require(try run(planned, over: trace, simulated: simulated, contender)?.first)
  }

  /// Executes and simulates a cell, whose counts must be equal.
  func compare(
    _ planned: PlannedCell, over trace: PreparedTrace
  ) throws -> (execution: Execution, simulated: Counts) {
    let simulated = try simulate(planned, over: trace)
    let execution = try first(planned, over: trace, simulated: simulated)
    #expect(execution.counts == simulated && execution.equalsSimulated == true, "\(planned)")
    return (execution, simulated)
  }

  var executor: CellExecutor {
    var executor = CellExecutor(
      DrivingOrder(
        spec: spec, warmUp: warmUp, repetitions: repetitions, latency: latency, folder: scratch,
        cancellation: cancellation, progress: { [progress] in progress.add($0) }))
    executor.time = time
    return executor
  }

  func simulate(_ planned: PlannedCell, over trace: PreparedTrace) throws -> Counts {
    let runner = CellRunner(
      warmUp: warmUp, repetitions: 1, calculators: nil, cancellation: Cancellation(),
      progress: { _ in })
    var real = planned
    real.setup = try planned.setup.inRealCaches()
    return try runner.run(real, over: trace)?.counts ?? Counts()
  }
}
