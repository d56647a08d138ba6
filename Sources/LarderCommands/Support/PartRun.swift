import Foundation
import LarderSimulation
import LarderStore
import LarderSystem
import LarderWorkloads

/// `larder run --part`: computes the cells of one part that are not in the store, and writes
/// nothing but the store.
struct PartRun {
  /// The workload file, for messages.
  let file: String
  /// The part as the user named it: `k/N`, `auto`, `auto/N`, or `prepare`.
  let part: String
  let store: ResultStore
  let threads: Int
  let progress: ProgressLine

  /// The name of the part that prepares traces for all others.
  static let prepare = "prepare"

  /// Runs the part.
  func run(_ workload: Workload) throws {
    try Self.check(workload, file)
    let planner = RunPlanner(
      workload: workload, store: store, threads: threads, mustKeep: true, progress: progress)
    if part == Self.prepare { return try prepare(planner) }
    let (number, variable) = try PartNumber.parse(
      part, environment: ProcessInfo.processInfo.environment)
    let name = "part \(number)" + (variable.map { ", from \($0)" } ?? "")
    progress.note(name)
    let start = ContinuousClock.now
    let plan = try planner.plan(part: number)
    let sweep = plan.sweep(of: workload, threads: threads)
    progress.begin(
      "Running \(NumberText.counted(plan.cells.count, "cell"))", total: sweep.totalRequests)
    let records = try sweep.run(
      cancellation: Interrupts.cancellation,
      observer: Sweep.Observer(
        began: { progress.retitle($0.description) }, replayed: { progress.advance($0) }))
    let stored = plan.stored
    guard sweep.isComplete(records) else {
      throw Interrupted(
        description: "stopped: \(records.count) of \(plan.cells.count) cells of \(name) are in "
          + "\(store.path); run it again for the others")
    }
    progress.end(
      "\(name): \(records.count) cells, \(stored) from the store, \(records.count - stored) "
        + "computed, in \(SecondsText.since(start))")
  }

  /// Prepares all traces and puts them into the store.
  private func prepare(_ planner: RunPlanner) throws {
    let start = ContinuousClock.now
    let (known, prepared) = try planner.traces(in: store)
    let traces = try prepared ?? planner.prepare(shelf: store.shelf(of: known))
    try store.shelve(traces, as: known)
    progress.end(
      "\(known.facts.count) prepared traces in \(store.path), in \(SecondsText.since(start))")
  }

  /// Refuses workloads whose cells are executed: what is measured belongs to one machine.
  static func check(_ workload: Workload, _ file: String) throws(UsageError) {
    guard workload.modes.contains(.execute) else { return }
    throw UsageError(
      "\(file): executed cells are measurements of one machine and have no parts: run the "
        + "workload as a whole, or leave execute out of 'mode'")
  }
}
