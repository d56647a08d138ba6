/// Why timings could not be compared.
package enum TimingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A program could not be started.
  case launch(program: String, reason: String)
  /// A program ended or said something that was not expected.
  case talk(program: String, reason: String)
  /// The user wants it to end.
  case interrupted
  /// A build that always records latencies, so that its instructions cannot be compared.
  case tooOld(program: String)
  /// There is nothing that counts instructions.
  case noCounter
  /// No cell can be timed by both.
  case nothingToTime(program: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .launch(let program, let reason): "\(program): cannot be started: \(reason)"
    case .talk(let program, let reason): "\(program): cannot be timed: \(reason)"
    case .interrupted: "stopped while timing cells"
    case .tooOld(let program):
      "\(program): built before instructions could be compared; compare with a newer build"
    case .noCounter:
      "instructions are counted by valgrind, which is not in PATH; install the package valgrind, "
        + "or leave out --instructions"
    case .nothingToTime(let program):
      "no cell can be timed in both builds: \(program) has none of the workload's cells"
    }
  }
}
