import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The driver of two builds, with fake processes and a clock that advances when they run.
@Suite struct PairedTimingTests {
  /// A record of all runs, and the time they took.
  private final class World {
    var seconds = 0.0
    var launches: [BuildSide] = []
    var runs: [BuildSide] = []
    /// The most runs in one measurement.
    var repeated = 0
    var ended = 0
    var random = SeededGenerator(seed: 3)
  }

  private struct Build: TimedProcess {
    let world: World
    let side: BuildSide
    let names: Set<TimedName>

    func ready() -> Set<TimedName> { names }

    let seconds: Double
    /// The slowdown, and the affected policies; nil for all.
    let slowdown: Double
    let slow: Set<String>?
    let luck: Double
    let hits: UInt64
    /// The 99th percentile of latencies; nil for a build that does not report it.
    let latency: UInt64?

    func time(_ name: TimedName, runs: Int) throws -> RepetitionTime {
      world.runs.append(side)
      world.repeated = max(world.repeated, runs)
      let noise = 1 + 0.02 * (world.random.nextUnit() - 0.5)
      let isSlow = slow?.contains(name.cell.policy) ?? true
      let time = seconds * (isSlow ? 1 + slowdown : 1) * luck * noise * Double(runs)
      world.seconds += time
      let nanoseconds = UInt64(time * 1e9)
      return RepetitionTime(
        processorNanoseconds: nanoseconds, wallNanoseconds: nanoseconds, hits: hits,
        latencyNanoseconds: latency.map { UInt64(Double($0) * luck * noise) })
    }

    func end() { world.ended += 1 }
  }

  private static func name(_ policy: String, isExecuted: Bool) -> TimedName {
    TimedName(
      cell: CellName(configuration: "memory", policy: policy, capacity: "1%", seed: 1),
      mode: isExecuted ? .execute : .simulate)
  }

  private func compare(
    _ world: World, slowdown: Double, names: [String] = ["lru"], known: [String]? = nil,
    seconds: Double = 0.02, hits: UInt64 = 5,
    slow: Set<String>? = nil, keepsGoing: Bool = false,
    latencies: (other: UInt64?, this: UInt64?)? = nil, latencyThreshold: Double = 0.1
  ) throws -> [TimingComparison] {
    var timing = PairedTiming(
      TimingSettings(
        latencyThreshold: latencyThreshold, budgetSeconds: 20, seed: 7, keepsGoing: keepsGoing),
      against: "other",
      now: { world.seconds },
      launch: { side in
        world.launches.append(side)
        world.seconds += 0.05
        // Two per cent of luck for a whole process: more measurements of one would not help.
        let luck = 1 + 0.04 * (world.random.nextUnit() - 0.5)
        let names = Set(
          (side == .this ? known ?? names : names)
            .map { Self.name($0, isExecuted: latencies != nil) })
        return Build(
          world: world, side: side, names: names,
          seconds: seconds, slowdown: side == .this ? slowdown : 0, slow: slow, luck: luck,
          hits: side == .this ? hits : 5,
          latency: side == .this ? latencies?.this : latencies?.other)
      })
    return try timing.run(names.map { Self.name($0, isExecuted: latencies != nil) })
  }

  @Test func aSlowdownFailsAndStopsEarly() throws {
    let world = World()
    let result = try compare(world, slowdown: 0.05)
    #expect(result.map(\.verdict) == [.fail])
    let ratio = try #require(result[0].ratio)
    #expect(ratio.lower > 1.035 && ratio.lower < 1.05 && ratio.upper > 1.05)
    #expect(world.seconds < 15)
    #expect(world.ended == world.launches.count)
  }

  /// The check has failed with the first failing cell, so it does not wait for the others.
  @Test func firstFailureEndsTheCheck() throws {
    let (settled, whole) = (World(), World())
    func run(_ world: World, keepsGoing: Bool) throws -> [TimingVerdict] {
      try compare(
        world, slowdown: 0.2, names: ["slow", "even"], slow: ["slow"], keepsGoing: keepsGoing
      ).map(\.verdict)
    }
    #expect(try run(settled, keepsGoing: false)[0] == .fail)
    #expect(try run(whole, keepsGoing: true) == [.fail, .pass])
    #expect(settled.seconds <= whole.seconds)
  }

  /// Pairs of processes that take a third of the budget: three fit, and a fourth is not started.
  @Test func theBudgetIsNotExceeded() throws {
    let world = World()
    let result = try compare(world, slowdown: TimingSettings().borderSlowdown, seconds: 0.8)
    #expect(result.map(\.verdict) == [.inconclusive])
    #expect(world.seconds <= 20)
  }

  @Test func noSlowdownPasses() throws {
    let result = try compare(World(), slowdown: 0)
    #expect(result.map(\.verdict) == [.pass])
    #expect(try compare(World(), slowdown: -0.2).map(\.verdict) == [.pass])
  }

  @Test func ratioOnTheBorderSpendsTheBudget() throws {
    let world = World()
    let border = TimingSettings().borderSlowdown
    let result = try compare(world, slowdown: border)
    #expect(result.map(\.verdict) == [.inconclusive])
    #expect(world.seconds > 19 && world.seconds <= 20)
  }

  @Test func bothBuildsRunEquallyOftenInRandomOrder() throws {
    let world = World()
    let result = try compare(world, slowdown: TimingSettings().borderSlowdown)
    #expect(world.runs.count { $0 == .this } == world.runs.count { $0 == .other })
    let firsts = stride(from: 0, to: world.runs.count, by: 2).map { world.runs[$0] }
    let share = Double(firsts.count { $0 == .this }) / Double(firsts.count)
    #expect((0.4...0.6).contains(share))
    let starts = stride(from: 0, to: world.launches.count, by: 2).map { world.launches[$0] }
    #expect(Set(starts).count == 2)
    #expect(result[0].blocks == world.launches.count / 2)
    #expect(result[0].blocks >= 30)
  }

  @Test func shortCellsAreRunSeveralTimesForAMeasurement() throws {
    let world = World()
    let result = try compare(world, slowdown: 0, seconds: 0.0001)
    #expect(result.map(\.verdict) == [.pass])
    // A measurement takes a hundredth of a second at least.
    #expect((95...105).contains(world.repeated))
  }

  @Test func cellsThatOneBuildDoesNotKnowAreLeftOut() throws {
    let result = try compare(World(), slowdown: 0, names: ["lru", "new"], known: ["lru"])
    #expect(result.map(\.name.cell.policy) == ["lru"])
    #expect(throws: TimingError.nothingToTime(program: "other")) {
      try compare(World(), slowdown: 0, names: ["new"], known: [])
    }
  }

  /// A hundredth of the gets takes longer, and the run does not: only latency shows it.
  @Test func slowGetsFailByLatencyAlone() throws {
    let result = try compare(
      World(), slowdown: 0, keepsGoing: true, latencies: (other: 1000, this: 1200))
    #expect(result.map(\.metric) == [.time, .latency])
    #expect(result.map(\.verdict) == [.pass, .fail])
    #expect(result.map(\.title) == ["memory/lru/1%, executed", "memory/lru/1%, executed, latency"])
    let ratio = try #require(result[1].ratio)
    #expect(ratio.lower > 1.0488 && ratio.lower < 1.2 && ratio.upper > 1.2)
  }

  /// Latency has its own border: 8 % is beyond that of time, 1.035, and within that of a threshold
  /// of 30 %, 1.140.
  @Test func latencyHasASeparateBorder() throws {
    func verdicts(threshold: Double) throws -> [TimingVerdict] {
      try compare(
        World(), slowdown: 0, keepsGoing: true, latencies: (other: 10_000, this: 10_800),
        latencyThreshold: threshold
      ).map(\.verdict)
    }
    #expect(try verdicts(threshold: 0.3) == [.pass, .pass])
    #expect(try verdicts(threshold: 0.05) == [.pass, .fail])
  }

  @Test(arguments: [(nil, 1000), (1000, nil), (nil, nil)] as [(UInt64?, UInt64?)])
  func unrecordedLatencyIsLeftOut(other: UInt64?, this: UInt64?) throws {
    let result = try compare(World(), slowdown: 0, latencies: (other, this))
    #expect(result.map(\.metric) == [.time] && result.map(\.verdict) == [.pass])
  }

  @Test func differentWorkIsDetected() throws {
    #expect(try compare(World(), slowdown: 0, hits: 6)[0].doesDifferentWork)
    #expect(try !compare(World(), slowdown: 0)[0].doesDifferentWork)
  }

  @Test func severalCellsShareTheErrorRate() throws {
    let result = try compare(
      World(), slowdown: 0.05, names: ["a", "b", "c", "d"], keepsGoing: true)
    #expect(result.map(\.verdict) == [.fail, .fail, .fail, .fail])
  }
}
