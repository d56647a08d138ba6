import LarderSystem
import LarderWorkloads

/// What can go wrong in a sweep beside a policy's own complaints.
package enum SweepError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Two repetitions of one cell counted differently: a fault of ours.
  case notDeterministic(Cell)
  /// The plan has a cell without a trace.
  case traceMissing(Cell)
  /// A cell is to be executed by a sweep that has no driver.
  case driverMissing(Cell)
  /// A real cache failed, or could not be made.
  case execution(Cell, threads: Int, ExecutionError)

  /// One line for a person.
  package var description: String {
    switch self {
    case .notDeterministic(let cell):
      return "policy '\(cell.policy)' at capacity \(cell.capacity) counted differently when "
        + "repeated: this is a fault in larder; please report it"
    case .traceMissing(let cell):
      return "no trace for seed \(cell.seed) of workload '\(cell.workload)'"
    case .driverMissing(let cell):
      return
        "'\(cell.configuration)' with '\(cell.policy)' is to be executed, but this command only "
        + "simulates; leave 'execute' out of 'mode'"
    case .execution(let cell, let threads, let error):
      return "executing '\(cell.configuration)' with '\(cell.policy)' at capacity "
        + "\(cell.capacity) in \(NumberText.counted(threads, "thread")): \(error)"
    }
  }
}
