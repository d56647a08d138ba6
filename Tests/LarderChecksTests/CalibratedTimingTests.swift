import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// Times in proportion to calibration kernels.
@Suite struct CalibratedTimingTests {
  private static func cell(
    _ policy: String = "lru", kind: ConfigurationKind = .memory, mode: Timing.Mode = .simulate
  ) throws -> TimedCell {
    let cell = Cell(
      workload: "w", trace: "t", configuration: "c", kind: kind, policy: policy, capacity: 10,
      capacityLabel: "10", unit: .objects, seed: 1)
    let tier = TierSetup(policy: try PolicySpec(parsing: policy), capacity: 10)
    let setup = SimulationSetup(arrangement: .memory(tier), unit: .objects, seed: 1)
    return TimedCell(
      name: TimedName(cell: CellName(cell, amongTraces: false), mode: mode),
      planned: PlannedCell(cell: cell, setup: setup))
  }

  /// A machine on which kernels take `machine` times as long, and the cell `cell` times.
  private func measure(
    machine: Double, cell: Double, memory: Double = 1
  ) throws -> [CalibratedTimings.Entry] {
    var random = SeededGenerator(seed: 5)
    var seconds = 0.0
    let timing = CalibratedTiming(TimingSettings(threshold: 0.25, budgetSeconds: 10)) {
      seconds += 0.1
      return seconds
    }
    func noise() -> Double { 1 + 0.01 * (random.nextUnit() - 0.5) }
    return try timing.measure(
      [Self.cell()], cell: { _ in 0.02 * machine * cell * noise() },
      kernel: { 0.01 * machine * ($0 == .memory ? memory : 1) * noise() })
  }

  private func verdict(
    _ now: [CalibratedTimings.Entry], _ before: [CalibratedTimings.Entry]
  ) -> TimingVerdict? {
    let timing = CalibratedTiming(TimingSettings(threshold: 0.25), now: { 0 })
    return timing.compare(now, with: CalibratedTimings(machine: "m", cells: before)).first?.verdict
  }

  @Test func aSlowerMachineIsNoSlowerCache() throws {
    let before = try measure(machine: 1, cell: 1)
    #expect(verdict(try measure(machine: 3, cell: 1), before) == .pass)
    #expect(verdict(try measure(machine: 1, cell: 1.25), before) == .fail)
    #expect(verdict(try measure(machine: 0.5, cell: 1.25), before) == .fail)
  }

  /// One kernel that got faster on another machine is no reason for an alarm.
  @Test func slowerMeansSlowerThanEveryKernel() throws {
    let before = try measure(machine: 1, cell: 1)
    #expect(verdict(try measure(machine: 1, cell: 1, memory: 0.5), before) == .pass)
    #expect(verdict(try measure(machine: 1, cell: 1.3, memory: 0.5), before) == .fail)
  }

  @Test func cellsThatAreNotStoredAreNotCompared() throws {
    #expect(verdict(try measure(machine: 1, cell: 1), []) == nil)
  }

  @Test func theDiskIsAskedOnlyWhereItIsUsed() throws {
    let simulated = CalibrationKernel.kernels(for: try Self.cell(kind: .disk))
    let executed = CalibrationKernel.kernels(for: try Self.cell(kind: .disk, mode: .execute))
    let memory = CalibrationKernel.kernels(for: try Self.cell(mode: .execute))
    #expect(simulated == [.memory, .hashing, .copying] && memory == simulated)
    #expect(executed == [.memory, .hashing, .copying, .fsync])
  }

  @Test func everyKernelTakesTime() throws {
    let bench = CalibrationBench()
    for kernel in CalibrationKernel.allCases { #expect(try bench.seconds(kernel) > 0) }
    #expect {
      try CalibrationBench(scratch: "/nowhere/at/all").seconds(.fsync)
    } throws: { "\($0)".contains("/nowhere/at/all") }
    // A link under the probe's name is not written through.
    let files = FileManager.default
    let folder = NSTemporaryDirectory() + "/larder-probe-" + UUID().uuidString
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: folder) }
    try Data("precious".utf8).write(to: URL(fileURLWithPath: folder + "/victim"))
    try files.createSymbolicLink(
      atPath: folder + "/larder-fsync-\(getpid())", withDestinationPath: folder + "/victim")
    #expect(try CalibrationBench(scratch: folder).seconds(.fsync) > 0)
    #expect(files.contents(atPath: folder + "/victim") == Data("precious".utf8))
    #expect(try files.contentsOfDirectory(atPath: folder) == ["victim"])
  }
}
