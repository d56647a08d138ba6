public import LarderEngine

/// Checks the contract of `EvictionPolicy` for one policy of any package, with the tests that run
/// over the policies of this package.
///
/// A test calls `check` and fails with the error it throws:
///
///     @Test func keepsTheContract() throws { try PolicyContract.check(MyPolicy.self) }
///
/// Each rule is tried on a few hundred short random traces, which are always the same. A violation
/// is shortened as far as possible and shown as a script. A policy that traps stops the process:
/// run the checks in a debug build first, where structures check the ids they receive.
public enum PolicyContract {
  /// A rule of the contract.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// The policy can be created, for small capacities and for the largest.
    case setup
    /// `contains`, `evict`, `insert` and `remove` agree on the residents; resident objects are
    /// remembered, removed ones are not; hints name objects that exist.
    case residency
    /// An object that is stored while there is room, and removed at once, leaves no trace, unless
    /// the description declares that the policy learns.
    case removal
    /// A removed ghost is forgotten, and unknown when it returns.
    case ghosts
    /// Making room for more ids changes no decision.
    case growth
    /// Two policies with the same calls make the same decisions, independent of other calls in the
    /// process, with hints and without.
    case repeatability
    /// The seed has no effect, unless the description declares that the policy is random.
    case seed
    /// A hit through `hitWords` equals a call of `hit`.
    case hitWords
    /// State stops growing while the set of objects is constant, and the number of remembered
    /// objects with one request is bounded.
    case memory
    /// The simulator's counts equal those of these calls.
    case simulation
  }

  /// Checks a policy with its default parameters and with others.
  ///
  /// - Parameters:
  ///   - policy: the policy's type. It need not be registered.
  ///   - parameters: values to check in addition to the defaults, as typed after the name:
  ///     `small=0.3`, or `small=0.3:ghost=2`.
  ///   - rules: the rules to check.
  /// - Throws: the first violation.
  @inlinable public static func check<Policy: EvictionPolicy & ~Copyable>(
    _ policy: Policy.Type, parameters: [String] = [], rules: [Rule] = Rule.allCases
  ) throws(ContractViolation) {
    let found = violations(
      of: RegisteredPolicy(policy), parameters: [""] + parameters, rules: rules)
    if let first = found.first { throw first }
  }

  /// Returns all violations that `check` would find: at most one for each rule and set of
  /// parameters.
  @inlinable public static func violations<Policy: EvictionPolicy & ~Copyable>(
    of policy: Policy.Type, parameters: [String] = [], rules: [Rule] = Rule.allCases
  ) -> [ContractViolation] {
    violations(of: RegisteredPolicy(policy), parameters: [""] + parameters, rules: rules)
  }

  /// Returns the violations of a type-erased policy, only with the given parameters; the empty text
  /// means the defaults. Empty for a bound, which has no contract.
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

/// A violation of a rule, with the script that reproduces it.
public struct ContractViolation: Error, Sendable, Hashable, CustomStringConvertible {
  /// The broken rule.
  public var rule: PolicyContract.Rule
  /// The policy with its parameters.
  public var policy: String
  /// The capacity of the cache, in `unit`.
  public var capacity: UInt64
  /// The unit of the capacity.
  public var unit: CapacityUnit
  /// The seed of the trace, and of the policy's random numbers.
  public var seed: UInt64
  /// The line of `script` at which the violation shows, from 1 for the first request; nil if it is
  /// not a single one.
  public var request: Int?
  /// The expected and the actual behaviour.
  public var problem: String
  /// The shortest sequence of calls found that reproduces it, in the format of the scripts in
  /// `Tests/LarderEngineTests/Fixtures/Scripts`: a request and its outcome in each line.
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

struct ContractProblem: Error {
  var request: Int?
  var text: String

  init(_ text: String, at request: Int? = nil) {
    self.text = text
    self.request = request
  }
}
