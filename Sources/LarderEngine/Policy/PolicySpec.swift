/// A policy as users write it: `lru`, or `s3-fifo:small=0.1:ghost=0.9`.
public struct PolicySpec: Sendable, Hashable, CustomStringConvertible {
  /// The name, lower case.
  public let name: String
  /// The given parameters, by name, lower case.
  public let values: [String: String]
  /// The given text, lower case, by which results name the policy.
  public let description: String

  /// Parses a policy's name and parameters, ignoring case. The registry checks that they exist.
  public init(parsing text: some StringProtocol) throws(PolicyError) {
    description = text.lowercased()
    do {
      let component = try ComponentSpec(parsing: description)
      (name, values) = (component.name, component.values)
    } catch {
      guard let parameter = error.parameter else {
        throw .malformedParameter(policy: error.component, text: error.message)
      }
      throw .repeatedParameter(policy: error.component, parameter: parameter)
    }
  }

  /// Parses an optional text; nil without one.
  public init?(parsingOptional text: String?) throws(PolicyError) {
    guard let text else { return nil }
    try self.init(parsing: text)
  }

  /// The parameter as a number within `range`, or `fallback` if it was not given.
  public func number(
    _ parameter: String, default fallback: Double, in range: ClosedRange<Double>
  ) throws(PolicyError) -> Double {
    try value(
      parameter, fallback, "a number from \(range.lowerBound) to \(range.upperBound)"
    ) { text in Quantity.number(text).flatMap { range.contains($0) ? $0 : nil } }
  }

  /// The parameter as a whole number within `range`, or `fallback` if it was not given.
  public func integer(
    _ parameter: String, default fallback: Int, in range: ClosedRange<Int>
  ) throws(PolicyError) -> Int {
    try value(
      parameter, fallback, "a whole number from \(range.lowerBound) to \(range.upperBound)"
    ) { text in
      let value = Int(text) ?? Quantity.count.amount(text).flatMap { Int(exactly: $0) }
      return value.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// The parameter as true or false, or `fallback` if it was not given.
  public func flag(_ parameter: String, default fallback: Bool) throws(PolicyError) -> Bool {
    try value(parameter, fallback, "true or false") { Bool($0) }
  }

  package func choice(_ parameter: String, _ words: String...) throws(PolicyError) -> String {
    try value(parameter, words[0], words.joined(separator: " or ")) {
      words.contains($0) ? $0 : nil
    }
  }

  private func value<Value>(
    _ parameter: String, _ fallback: Value, _ expected: @autoclosure () -> String,
    _ read: (String) -> Value?
  ) throws(PolicyError) -> Value {
    guard let text = values[parameter] else { return fallback }
    guard let value = read(text) else {
      throw .badValue(policy: name, parameter: parameter, value: text, expected: expected())
    }
    return value
  }
}

/// A share as it was typed, to six decimals. Shares of it are the integers of decimal arithmetic; a
/// binary product may be one less (0.29 of 100 is 29).
public struct DecimalShare: Sendable, Hashable {
  @usableFromInline let millionths: UInt64

  /// Creates the nearest share to a number from 0 to 1000.
  public init(_ number: Double) {
    // A comparison is false for NaN.
    millionths = number > 0 ? UInt64((min(number, 1000) * 1_000_000).rounded()) : 0
  }

  /// The share of a number up to `PolicySetup.capacityMax`, rounded down. O(1).
  @inlinable public func of(_ whole: UInt64) -> UInt64 { divide(whole).quotient }

  /// The share of a number up to `PolicySetup.capacityMax`, rounded up. O(1).
  @inlinable public func ceiling(of whole: UInt64) -> UInt64 {
    let (quotient, remainder) = divide(whole)
    return remainder == 0 ? quotient : quotient + 1
  }

  @inlinable func divide(_ whole: UInt64) -> (quotient: UInt64, remainder: UInt64) {
    let product = whole.multipliedFullWidth(by: millionths)
    return UInt64(1_000_000).dividingFullWidth(product)
  }
}

extension PolicySpec {
  /// The parameter as a share within `range`, or `fallback` if it was not given. Like `number`.
  public func share(
    _ parameter: String, default fallback: Double, in range: ClosedRange<Double>
  ) throws(PolicyError) -> DecimalShare {
    DecimalShare(try number(parameter, default: fallback, in: range))
  }
}

/// Parameters for the creation of a policy.
public struct PolicySetup: Sendable {
  /// The largest capacity of a tier: 2^50, which in bytes is practically unlimited.
  public static var capacityMax: UInt64 { 1 << 50 }

  /// The capacity of the cache, in `unit`. From 1 to `capacityMax`.
  public var capacity: UInt64
  /// The unit of the capacity.
  public var unit: CapacityUnit
  /// The largest object id before the next call of `reserve(objects:)`.
  public var objects: Int
  /// The seed of every random choice.
  public var seed: UInt64
  /// The requested name and parameters.
  public var spec: PolicySpec
  /// The parts of the cache, of which the policy has one; nil for a cache of one part.
  public var group: PolicyGroup?

  /// Creates a setup from its parts.
  public init(
    capacity: UInt64, unit: CapacityUnit, objects: Int, seed: UInt64 = 0, spec: PolicySpec,
    group: PolicyGroup? = nil
  ) {
    self.capacity = capacity
    self.unit = unit
    self.objects = objects
    self.seed = seed
    self.spec = spec
    self.group = group
  }

  /// The largest number of ghosts that weigh up to a share of the capacity; with sizes it is
  /// unknown, and `.max`. For `RemembersGhosts.ghostsMax`.
  public func ghostsMax(share: Double) -> Int {
    unit == .bytes ? .max : Int(min(Double(capacity) * share, 0x1p40))
  }

  /// Rejects capacities for more objects than a queue has positions.
  public func requireQueueable() throws(PolicyError) {
    guard min(capacity, UInt64(objects)) <= UInt64(IDRing.entriesMax) else {
      throw .capacity(
        policy: spec.name, capacity: capacity,
        expected: "room for at most \(IDRing.entriesMax) objects at once")
    }
  }

  /// The largest number of resident objects: a hint for sizing queues, exact for unit sizes.
  public var expectedResidents: Int {
    unit == .objects ? Int(min(capacity, UInt64(objects))) : min(objects, 1 << 16)
  }
}

/// The parts of a cache, such as its shards, whose policies may share a value.
public final class PolicyGroup: Sendable {
  /// The number of parts, at least 2 and of equal capacity.
  public let parts: Int
  private let state = Locked<(any Sendable)?>(nil)

  /// Creates the group of a cache; nil for one part.
  public init?(parts: Int) {
    guard parts > 1 else { return nil }
    self.parts = parts
  }

  package func shared<Value: Sendable>(
    _ make: (Int) throws(PolicyError) -> Value
  ) throws(PolicyError) -> Value {
    let result = state.withLock { state -> Result<Value, PolicyError> in
      if let value = state as? Value { return .success(value) }
      do throws(PolicyError) {
        let made = try make(parts)
        state = made
        return .success(made)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// Reasons why a policy could not be created.
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
  /// A parameter's value is invalid.
  case badValue(policy: String, parameter: String, value: String, expected: String)
  /// The policy needs something that this trace or cache does not provide.
  case missingNeed(policy: String, need: String)
  /// The policy trains models with a library that is missing: its name, and how to install it.
  case missingLibrary(policy: String, need: String)
  /// An admission filter compares victims, which this policy cannot predict.
  case noVictim(admission: String, policy: String)
  /// A bound is used where a policy must make decisions.
  case boundOnly(String, where: String)
  /// The capacity is outside the range that the policy supports.
  case capacity(policy: String, capacity: UInt64, expected: String)
  /// The policy cannot be added to the registry.
  case cannotAdd(String, reason: String)
  /// The policy declares no configurations to try.
  case noConfigurations(policy: String)
  /// A number in the setup of a policy or filter is out of range.
  case badSetup(String, String, expected: String)

  /// A one-line message for users.
  public var description: String {
    switch self {
    case .unknownPolicy(let name, let nearest):
      let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
      return "unknown policy '\(name)'\(hint) ('larder list policies' lists them all)"
    case .unknownAdmission(let name, let nearest, let known):
      let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
      return "unknown admission filter '\(name)'\(hint) (known: \(known.joined(separator: ", ")))"
    case .unknownParameter(let policy, let parameter, let known):
      let list = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      return "policy '\(policy)' has no parameter '\(parameter)': \(list)"
    case .malformedParameter(let policy, let text):
      return "policy '\(policy)': \(text)"
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
      return "policy '\(policy)' declares no configurations to try; 'larder list policies' shows "
        + "which do"
    case .badSetup(let name, let value, let expected):
      return "\(name) \(value) is out of range: expected \(expected)"
    }
  }
}
