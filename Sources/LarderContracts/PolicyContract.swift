public import LarderEngine

/// What `EvictionPolicy` promises, checked for one policy: the tests that run over the policies of
/// this package, for a policy of any package.
///
/// A test of yours calls `check` and fails with what it throws:
///
///     @Test func keepsTheContract() throws { try PolicyContract.check(MyPolicy.self) }
///
/// Each rule is tried on a few hundred short random traces, always the same ones. What breaks a
/// rule is made as short as it can be, and shown as a script. A policy that traps stops the
/// process: run the checks in a debug build first, where structures check the ids that they are
/// given.
public enum PolicyContract {
  /// One promise of the contract.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// It can be made, for small capacities and for the largest.
    case setup
    /// `contains`, `evict`, `insert` and `remove` agree on what is resident; what is resident is
    /// remembered, what was removed is not; hints name objects that there are.
    case residency
    /// An object that is stored while there is room, and removed at once, might never have been,
    /// unless the description says that the policy learns.
    case removal
    /// A ghost that is removed is forgotten, and a stranger when it comes back.
    case ghosts
    /// Making room for more ids changes no decision.
    case growth
    /// Two policies that are told the same decide the same, whatever happens in between, with hints
    /// and without.
    case repeatability
    /// The seed plays no part, unless the description says that the policy is random.
    case seed
    /// A hit through `hitWords` is a hit.
    case hitWords
    /// State stops growing when the objects stay the same, and what is remembered of objects that
    /// come once is bounded.
    case memory
    /// The simulator counts what these calls come to.
    case simulation
  }

  /// Checks a policy, with its parameters as they come and with others.
  ///
  /// - Parameters:
  ///   - policy: the policy's type. It need not be registered.
  ///   - parameters: values to check beside the defaults, as typed behind the name: `small=0.3`, or
  ///     `small=0.3:ghost=2`.
  ///   - rules: the rules to check.
  /// - Throws: what broke first.
  @inlinable public static func check<Policy: EvictionPolicy & ~Copyable>(
    _ policy: Policy.Type, parameters: [String] = [], rules: [Rule] = Rule.allCases
  ) throws(ContractViolation) {
    let found = violations(
      of: RegisteredPolicy(policy), parameters: [""] + parameters, rules: rules)
    if let first = found.first { throw first }
  }

  /// All that `check` would find: at most one violation for each rule and set of parameters.
  @inlinable public static func violations<Policy: EvictionPolicy & ~Copyable>(
    of policy: Policy.Type, parameters: [String] = [], rules: [Rule] = Rule.allCases
  ) -> [ContractViolation] {
    violations(of: RegisteredPolicy(policy), parameters: [""] + parameters, rules: rules)
  }

  /// The same for a policy whose type is hidden, with no parameters but those given, where the
  /// empty text stands for the defaults. None for a bound, which promises nothing.
  public static func violations(
    of policy: RegisteredPolicy, parameters: [String], rules: [Rule] = Rule.allCases
  ) -> [ContractViolation] {
    guard let type = policy.type else { return [] }
    return parameters.flatMap { parameters in
      violations(of: type, registered: policy, parameters, rules)
    }
  }

  private static func violations<Policy: EvictionPolicy & ~Copyable>(
    of type: Policy.Type, registered: RegisteredPolicy, _ parameters: String, _ rules: [Rule]
  ) -> [ContractViolation] {
    let name = registered.description.name
    let text = parameters.isEmpty ? name : "\(name):\(parameters)"
    do throws(PolicyError) {
      let checker = ContractRules<Policy>(
        spec: try PolicySpec(parsing: text), registered: registered)
      return rules.compactMap { checker.violation(of: $0) }
    } catch {
      return [
        ContractViolation(
          rule: .setup, policy: text, capacity: 0, unit: .objects, seed: 0, request: nil,
          problem: "\(error)", script: "")
      ]
    }
  }
}

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
