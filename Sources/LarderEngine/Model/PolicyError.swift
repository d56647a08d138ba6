/// Why a policy could not be made from what was asked for.
public enum PolicyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No policy has this name.
  case unknownPolicy(String, nearest: String?)
  /// No admission filter has this name.
  case unknownAdmission(String, nearest: String?, known: [String])
  /// The policy has no such parameter.
  case unknownParameter(policy: String, parameter: String, known: [String])
  /// A parameter was written without `=`.
  case malformedParameter(policy: String, text: String)
  /// A parameter is given twice.
  case repeatedParameter(policy: String, parameter: String)
  /// A parameter's value is not what it must be.
  case badValue(policy: String, parameter: String, value: String, expected: String)
  /// The policy needs something that this trace or cache cannot give.
  case missingNeed(policy: String, need: String)
  /// The policy trains models with a library that is not there: what is needed, and what to do.
  case missingLibrary(policy: String, need: String)
  /// An admission filter compares with what would be evicted, which this policy cannot say.
  case noVictim(admission: String, policy: String)
  /// A bound stands where a policy must decide something.
  case boundOnly(String, where: String)
  /// The capacity is outside what the policy can manage.
  case capacity(policy: String, capacity: UInt64, expected: String)
  /// The policy cannot be added to the registry.
  case cannotAdd(String, reason: String)
  /// The policy declares nothing to try.
  case noConfigurations(policy: String)
  /// A number that a policy or filter is made from is outside its range.
  case badSetup(String, String, expected: String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .unknownPolicy(let name, let nearest):
      let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
      return "unknown policy '\(name)'\(hint) ('larder policies' lists them all)"
    case .unknownAdmission(let name, let nearest, let known):
      let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
      return "unknown admission filter '\(name)'\(hint) (known: \(known.joined(separator: ", ")))"
    case .unknownParameter(let policy, let parameter, let known):
      let list = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      return "policy '\(policy)' has no parameter '\(parameter)': \(list)"
    case .malformedParameter(let policy, let text):
      return "policy '\(policy)': expected name=value after the colon, found '\(text)'"
    case .repeatedParameter(let policy, let parameter):
      return "policy '\(policy)': \(parameter) is given twice; keep one"
    case .badValue(let policy, let parameter, let value, let expected):
      return "policy '\(policy)': \(parameter)='\(value)' is not \(expected)"
    case .missingNeed(let policy, let need):
      return "policy '\(policy)' needs \(need), which is not available here"
    case .missingLibrary(let policy, let need):
      return "policy '\(policy)' needs \(need)"
    case .noVictim(let admission, let policy):
      return "admission '\(admission)' compares with the next victim, which policy '\(policy)' "
        + "cannot name; use another (such as lru, slru, lfu, 2q, gdsf)"
    case .boundOnly(let bound, let place):
      return "'\(bound)' is a bound for one simulated tier and not a policy: "
        + "it cannot be used for \(place)"
    case .capacity(let policy, let capacity, let expected):
      return "policy '\(policy)' cannot have a capacity of \(capacity): expected \(expected)"
    case .cannotAdd(let name, let reason):
      return "policy '\(name)' cannot be added: \(reason)"
    case .noConfigurations(let policy):
      return "policy '\(policy)' declares no configurations to try; 'larder policies' shows "
        + "which do"
    case .badSetup(let name, let value, let expected):
      return "\(name) \(value) is out of range: expected \(expected)"
    }
  }
}
