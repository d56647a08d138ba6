import LarderSystem

/// Why a cache in a process of its own cannot be asked.
package enum ProcessCacheError: Error, Hashable, CustomStringConvertible {
  /// The configuration names no command.
  case noCommand
  /// The program could not be started.
  case launch(program: String, reason: String)
  /// The program ended; `status` is nil where the system does not say, and `said` is the last line
  /// of its standard error.
  case ended(program: String, status: String?, said: String)
  /// It did not do something in time.
  case silent(program: String, what: String, seconds: UInt32, said: String)
  /// It answered something else than the protocol has.
  case answer(program: String, request: String, answer: String)
  /// The system refused something.
  case system(what: String, reason: String)

  /// One line for a person.
  package var description: String { TextSafety.singleLine(text) }

  private var text: String {
    switch self {
    case .noCommand:
      return "the configuration has no command; name the program: cache: {process: [./my-cache]}"
    case .launch(let program, let reason):
      return "cannot start '\(program)': \(reason)"
    case .ended(let program, let status, let said):
      return "'\(program)' ended" + (status.map { " \($0)" } ?? "") + Self.told(said)
    case .silent(let program, let what, let seconds, let said):
      return "'\(program)' did not \(what) within \(seconds) s; 'timeout' in the workload file "
        + "sets the time" + Self.told(said)
    case .answer(let program, let request, let answer):
      return
        "'\(program)' answered '\(answer)' to '\(request)', which the protocol does not have"
    case .system(let what, let reason):
      return "\(what): \(reason)"
    }
  }

  private static func told(_ said: String) -> String {
    said.isEmpty ? "" : "; its last line on standard error: \(said)"
  }
}
