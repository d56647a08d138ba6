import LarderSystem

/// What is wrong with a workload file: one line, with the file, the line and the key.
package struct WorkloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file as it was named.
  package var file: String
  /// Line in the file, from 1; nil when the file as a whole is at fault.
  package var line: Int?
  /// Where in the document, such as `source.requests`; empty at its top.
  package var path = ""
  /// What is wrong.
  package var problem: Problem

  /// What can be wrong.
  package enum Problem: Hashable, Sendable {
    /// The file cannot be read.
    case unreadable(reason: String)
    /// The file is larger than any workload.
    case tooLarge(limitBytes: Int)
    /// The bytes are no text.
    case notUTF8(offset: Int)
    /// There is nothing in the file.
    case empty
    /// The text is no YAML.
    case syntax(String)
    /// Aliases repeat so much that the document would grow out of bounds.
    case repetition
    /// A map has a key twice.
    case duplicateKey(String, again: Int?)
    /// A map has a key that means nothing.
    case unknownKey(String, nearest: String?, known: [String])
    /// A map lacks a key, and has one that may be meant for it.
    case missingKey(String, reason: String?, misspelt: String?)
    /// A value is not of the type or in the range that is needed.
    case unexpected(expected: String, found: String)
    /// A policy, generator, distribution, format or capacity says what is wrong.
    case refused(String)
  }

  /// `file:12: source.requests: expected a whole number, found 'many'`.
  package var description: String {
    let place = line.map { "\(file):\($0): " } ?? "\(file): "
    // What is found there comes from the file: a name may have several lines.
    return TextSafety.singleLine(place + (path.isEmpty ? "" : "\(path): ") + problem.sentence)
  }
}

extension WorkloadError.Problem {
  /// The problem for a person.
  var sentence: String {
    switch self {
    case .unreadable(let reason):
      return "cannot be read: \(reason)"
    case .tooLarge(let limit):
      return "expected a workload file, found more than \(limit >> 10) KiB"
    case .notUTF8(let offset):
      return "expected UTF-8 text, found other bytes at offset \(offset)"
    case .empty:
      return "expected a workload, found an empty file; a workload has at least the key 'source'"
    case .syntax(let problem):
      return "not valid YAML: \(problem)"
    case .repetition:
      return "aliases (*name) expand to too many values; write the values out"
    case .duplicateKey(let key, let again):
      let second = again.map { " on line \($0)" } ?? ""
      return "key '\(key)' occurs again\(second) in the same map; keep one"
    case .unknownKey(let key, let nearest, let known):
      if let nearest { return "unknown key '\(key)'; did you mean '\(nearest)'?" }
      return "unknown key '\(key)'; known are \(known.joined(separator: ", "))"
    case .missingKey(let key, let reason, let misspelt):
      let why = reason.map { ": \($0)" } ?? ""
      let hint = misspelt.map { "; found '\($0)' instead" } ?? ""
      return "key '\(key)' is missing\(why)\(hint)"
    case .unexpected(let expected, let found):
      return "expected \(expected), found \(found)"
    case .refused(let message):
      return message
    }
  }
}
