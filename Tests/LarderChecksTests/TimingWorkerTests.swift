import Foundation
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The worker's side of a comparison: introduction and answers.
@Suite struct TimingWorkerTests {
  private static let yaml = """
    name: tiny
    source: {generator: zipf, requests: 2000, objects: 100}
    configurations: [memory, disk]
    policies: [lru, fifo]
    capacities: [10%]
    mode: [simulate, execute]
    execute: {configurations: [memory], policies: [lru]}
    check:
      timed: {configurations: memory, policies: lru}
    """

  private static func cells() throws -> (Workload, WorkloadTraces, [PlannedCell]) {
    let workload = try WorkloadDecoder().decode(Data(yaml.utf8), file: "w.yaml")
    let traces = try WorkloadTraces.prepare(workload)
    return (workload, traces, try Plan.cells(of: workload, facts: traces.facts))
  }

  private static func worker(slowdown: Double = 0) throws -> TimingWorker {
    let (workload, traces, cells) = try cells()
    return TimingWorker(
      cells: TimedCell.all(of: cells, timed: CheckSpec(), amongTraces: false),
      timer: CellTimer(workload, traces: traces.table, slowdown: slowdown))
  }

  @Test func introductionListsCells() throws {
    let lines = try Self.worker().introduction()
    #expect(lines.first == "larder-worker 1" && lines.last == "ready")
    let names = try lines.dropFirst().dropLast().map { line in
      try JSONDecoder().decode(TimedName.self, from: Data(line.dropFirst("cell ".count).utf8))
    }
    #expect(
      names.map { "\($0)" } == [
        "memory/lru/10%", "memory/lru/10%, executed", "memory/fifo/10%", "disk/lru/10%",
        "disk/fifo/10%",
      ])
  }

  @Test func requestedCellsAreTimed() throws {
    let worker = try Self.worker()
    // Executed cells also report the latency of gets, unless the request is plain.
    for (order, count) in [
      ("0 1", 3), ("0 5", 3), ("1 1", 4), ("1 3", 4), ("1 1 plain", 3), ("0 1 plain", 3),
    ] {
      let numbers = worker.answer(order).split(separator: " ").compactMap { UInt64($0) }
      #expect(numbers.count == count && numbers.allSatisfy { $0 > 0 }, "\(order): \(numbers)")
    }
    // Executed in one thread, the cell has the hits of its simulation.
    #expect(
      worker.answer("0 1").split(separator: " ")[2] == worker.answer("1 1").split(separator: " ")[2]
    )
  }

  @Test(arguments: ["", "0", "x y", "99 1", "-1 1", "0 0", "0 1 2", "plain", "0 plain", "0 1 plan"])
  func invalidRequestIsAnError(_ order: String) throws {
    #expect(try Self.worker().answer(order).hasPrefix("error "))
  }

  /// With a slowdown of 300 %, a run takes more than twice the time: of the processor if simulated,
  /// else by the clock.
  @Test(arguments: [("0 20", 0), ("1 2", 1)])
  func aSlowdownIsMeasured(_ order: String, _ place: Int) throws {
    func fastest(_ worker: TimingWorker) -> UInt64 {
      (0..<10).compactMap { _ in
        UInt64(worker.answer(order).split(separator: " ")[place])
      }.min() ?? 0
    }
    let plain = fastest(try Self.worker())
    let slow = fastest(try Self.worker(slowdown: 3))
    #expect(slow > plain * 2)
  }

  @Test func theWorkloadChoosesWhatIsTimed() throws {
    let (workload, _, cells) = try Self.cells()
    let filtered = cells.map { planned in
      var planned = planned
      planned.cell.configuration += "+second-hit"
      return planned
    }
    let timed = TimedCell.all(of: cells + filtered, timed: workload.check, amongTraces: false)
    #expect(
      timed.map { "\($0.name)" } == [
        "memory/lru/10%", "memory/lru/10%, executed", "memory+second-hit/lru/10%",
        "memory+second-hit/lru/10%, executed",
      ])
  }

  @Test func otherProgramIsDetected() {
    for (program, arguments) in [("/bin/echo", ["hello"]), ("/bin/cat", ["/nowhere/at/all"])] {
      #expect {
        let process = try WorkerProcess(program: program, arguments: arguments)
        defer { process.end() }
        _ = try process.ready()
      } throws: { error in
        guard case TimingError.talk(program, _) = error else { return false }
        return true
      }
    }
    #expect {
      try WorkerProcess(program: "/nowhere/at/all", arguments: [])
    } throws: { error in
      guard case TimingError.launch("/nowhere/at/all", _) = error else { return false }
      return true
    }
  }
}
