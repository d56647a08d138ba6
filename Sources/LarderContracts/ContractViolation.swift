public import LarderEngine

/// A promise that a policy broke, and how to see it again.
public struct ContractViolation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rule that is broken.
  public var rule: PolicyContract.Rule
  /// The policy with its parameters.
  public var policy: String
  /// The capacity of the cache, in `unit`.
  public var capacity: UInt64
  /// What the capacity counts.
  public var unit: CapacityUnit
  /// The seed of the trace, and of the policy's random numbers.
  public var seed: UInt64
  /// The line of `script` at which it shows, from 1 for the first request; nil where no single one
  /// does.
  public var request: Int?
  /// What was expected and what was found.
  public var problem: String
  /// The shortest sequence of calls found that shows it, in the format of the scripts in
  /// `Tests/LarderEngineTests/Fixtures/Scripts`: a request and what came of it in each line.
  public var script: String

  /// The problem and the script.
  public var description: String {
    let place = request.map { " at request \($0)" } ?? ""
    let unit = self.unit == .objects ? "objects" : "bytes"
    let end = script.isEmpty ? "" : ":\n\(script)"
    return "policy '\(policy)' breaks the rule '\(rule.rawValue)'\(place) "
      + "(capacity \(capacity) \(unit), seed \(seed)): \(problem)\(end)"
  }
}

/// What a check found, before it is told where.
struct ContractProblem: Error {
  /// The index of the request, from 0.
  var request: Int?
  /// What was expected and what was found.
  var text: String

  init(_ text: String, at request: Int? = nil) {
    self.text = text
    self.request = request
  }
}
