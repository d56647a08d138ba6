import Larder
import LarderEngine
import LarderTraces

extension ValueShape {
  /// Text, for which editors propose names that are known; programs may add others.
  static func proposing(_ names: [String], as name: String) -> ValueShape {
    ValueShape([.string], ["enum": .strings(names)], ["type": "string"]).named(name)
  }
}

extension Form where Value == PolicySpec {
  /// A policy that exists.
  static var policy: Form {
    Form(.proposing(PolicyRegistry.standard.map(\.description.name), as: "policy")) {
      value, reading in
      try spec(value, "the name of a policy", reading.checks.policy)
    }
  }

  /// An admission filter that exists.
  static var admission: Form {
    Form(.proposing(AdmissionRegistry.all.map(\.description.name), as: "admission")) {
      value, reading in
      try spec(value, "the name of an admission filter", reading.checks.admission)
    }
  }

  private static func spec(
    _ value: YAMLValue, _ expected: String, _ check: (PolicySpec) throws -> Void
  ) throws -> PolicySpec {
    let spec = try PolicySpec(parsing: try value.text(expected: expected).trimmed)
    try check(spec)
    return spec
  }
}

extension Form where Value == [PolicySpec] {
  /// A policy, with `name:*` all configurations that it declares, or with `all` every one.
  static var policyOrAll: Form {
    let names = ["all"] + PolicyRegistry.standard.map(\.description.name)
    return Form(.proposing(names, as: "policy-or-all")) { value, reading in
      let text = (try? value.text(expected: "a policy").trimmed).map { String($0) } ?? ""
      if text.hasSuffix(":*") {
        let specs = try PolicySpec.list(parsing: text)
        for spec in specs { try reading.checks.policy(spec) }
        return specs
      }
      guard text == "all" else { return [try Form<PolicySpec>.policy.read(value, reading)] }
      return PolicyRegistry.all.compactMap { try? PolicySpec(parsing: $0.description.name) }
    }
  }
}

extension Form where Value == ConfigurationSpec {
  /// The configuration that a preset stands for.
  static var preset: Form {
    Form(.proposing(CachePreset.all.map(\.name), as: "preset")) { value, reading in
      try reading.checks.preset(try value.text(expected: "the name of a preset"))
    }
  }
}

extension Form where Value == ComponentSpec {
  /// A trace format with its options.
  static var format: Form {
    Form(.proposing(FormatRegistry.standard.map { $0.description.name }, as: "format")) {
      value, reading in
      let spec = try ComponentSpec(
        parsing: try value.text(expected: "a format such as csv:time=1:id=2"))
      try reading.checks.format(spec)
      return spec
    }
  }
}
