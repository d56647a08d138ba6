/// Why a call of the C interface failed, where no other module has an error for it.
enum CallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A pointer that must point to something is null.
  case null(String)
  /// A text is not UTF-8.
  case notUTF8(String)
  /// A handle of nothing that is there.
  case unknownHandle(String, UInt64)
  /// An option is not known, or makes no sense.
  case option(String, String)
  /// A column cannot be read.
  case column(String, String)
  /// An element of a column is not what it must be.
  case element(String, Int, String)
  /// A number is out of range.
  case number(String, String, expected: String)
  /// A callback failed, or answered what cannot be.
  case policy(String, String)
  /// A policy breaks its contract: the rule, and how to see it.
  case contract(String)
  /// The caller stopped the task.
  case cancelled
  /// There is no memory for a text.
  case noMemory

  /// One line for a person; for a broken contract several.
  var description: String {
    switch self {
    case .null(let name): "\(name) is null"
    case .notUTF8(let name): "\(name) is not UTF-8"
    case .unknownHandle(let kind, let handle):
      "there is no \(kind) \(handle): it was destroyed, or never made"
    case .option(let name, let problem): "option '\(name)': \(problem)"
    case .column(let name, let problem): "\(name): \(problem)"
    case .element(let name, let index, let problem): "\(name)[\(index)]: \(problem)"
    case .number(let name, let value, let expected):
      "\(name) \(value) is out of range: expected \(expected)"
    case .policy(let name, let problem): "policy '\(name)': \(problem)"
    case .contract(let text): text
    case .cancelled: "stopped; nothing was written"
    case .noMemory: "no memory for the result"
    }
  }
}
