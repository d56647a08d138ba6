/// All admission filters, by name. To add one, add a file to this folder and a line to `all`.
public enum AdmissionRegistry {
  /// Every filter, in the order in which lists show them.
  public static let all: [RegisteredAdmission] = [
    RegisteredAdmission(SizeThreshold.self),
    RegisteredAdmission(ProbabilisticAdmission.self),
    RegisteredAdmission(SecondHit.self),
    RegisteredAdmission(TinyLFUAdmission.self),
    RegisteredAdmission(AdaptSize.self),
  ]

  /// The name that means no filter.
  public static var always: String { "always" }

  /// Checks a filter's name and the values of its parameters by creating a tiny one.
  public static func validate(_ spec: PolicySpec) throws(PolicyError) {
    _ = try make(AdmissionSetup(capacity: 1, unit: .objects, spec: spec))
  }

  /// Returns the description of a filter; nil for `always` and for an unregistered name.
  public static func description(of spec: PolicySpec) -> AdmissionDescription? {
    all.first { $0.description.name == spec.name }?.description
  }

  /// Creates the filter of a spec; nil for `always`.
  public static func make(_ setup: AdmissionSetup) throws(PolicyError) -> (any AdmissionFilter)? {
    let spec = setup.spec
    guard 1...PolicySetup.capacityMax ~= setup.capacity else {
      throw .badSetup(
        "admission '\(spec.name)': capacity", "\(setup.capacity)",
        expected: "1 to \(PolicySetup.capacityMax)")
    }
    guard setup.parts >= 1 else {
      throw .badSetup(
        "admission '\(spec.name)': parts", "\(setup.parts)", expected: "at least 1")
    }
    let found = all.first { $0.description.name == spec.name }
    guard found != nil || spec.name == always else {
      let names = [always] + all.map(\.description.name)
      throw .unknownAdmission(spec.name, nearest: spec.name.nearest(among: names), known: names)
    }
    let known = found?.description.parameters.map(\.name) ?? []
    for parameter in spec.values.keys.sorted() where !known.contains(parameter) {
      throw .unknownParameter(policy: spec.name, parameter: parameter, known: known)
    }
    guard let found else { return nil }
    return try found.make(setup)
  }
}

/// A filter in the registry.
public struct RegisteredAdmission: Sendable {
  /// Name, parameters and paper.
  public let description: AdmissionDescription
  let make: @Sendable (AdmissionSetup) throws(PolicyError) -> any AdmissionFilter

  init<Filter: AdmissionFilter>(_ filter: Filter.Type) {
    description = Filter.description
    make = { (setup: AdmissionSetup) throws(PolicyError) -> any AdmissionFilter in
      try Filter(setup)
    }
  }
}
