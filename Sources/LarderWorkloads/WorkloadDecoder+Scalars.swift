import LarderEngine
import LarderTraces

extension WorkloadDecoder {
  /// A name that may become part of a path and of a table.
  func name(_ value: YAMLValue) throws(WorkloadError) -> String {
    let expected = "a name of letters, digits, '-', '_' and '.'"
    let name = try value.text(expected: expected)
    guard !name.isEmpty, name.count <= 100, name.first != ".",
      name.allSatisfy(Self.isNameCharacter)
    else { throw value.unexpected(expected) }
    return name
  }

  /// What capacities count, if the workload says so.
  func unit(_ map: YAMLMap) throws(WorkloadError) -> CapacityUnit? {
    let unit: CapacityUnit? = try map["unit"].map { value throws(WorkloadError) in
      try value.choice(of: CapacityUnit.self)
    }
    guard let ignoresSize = map["ignore-size"], try ignoresSize.boolean() else { return unit }
    if unit == .bytes {
      throw ignoresSize.error(
        .refused("'ignore-size' and 'unit: bytes' exclude each other; remove one"))
    }
    return .objects
  }

  /// A policy that exists, or with `all` every one.
  func policies(_ value: YAMLValue) throws(WorkloadError) -> [PolicySpec] {
    guard (try? value.text(expected: "a policy")) == "all" else { return [try policy(value)] }
    return PolicyRegistry.all.compactMap { try? PolicySpec(parsing: $0.description.name) }
  }

  /// A policy that exists.
  func policy(_ value: YAMLValue) throws(WorkloadError) -> PolicySpec {
    try spec(value, "the name of a policy", checks.policy)
  }

  /// An admission filter that exists.
  func admission(_ value: YAMLValue) throws(WorkloadError) -> PolicySpec {
    try spec(value, "the name of an admission filter", checks.admission)
  }

  private func spec(
    _ value: YAMLValue, _ expected: String, _ check: (PolicySpec) throws -> Void
  ) throws(WorkloadError) -> PolicySpec {
    let text = try value.text(expected: expected)
    do {
      let spec = try PolicySpec(parsing: text.trimmed)
      try check(spec)
      return spec
    } catch {
      throw value.error(.refused("\(error)"))
    }
  }

  /// A capacity, of the right unit where the workload names one.
  func capacity(_ value: YAMLValue, unit: CapacityUnit?) throws(WorkloadError) -> CapacitySpec {
    let text = try value.text([.string, .integer, .number], expected: "a capacity")
    do {
      let capacity = try CapacitySpec(parsing: text)
      switch (capacity.amount, unit) {
      case (.objects, let unit?), (.bytes, let unit?):
        _ = try capacity.resolve(unit: unit, objects: 0, footprintBytes: nil)
      default: break
      }
      return capacity
    } catch {
      throw value.error(.refused("\(error)"))
    }
  }

  /// A share such as `10%`.
  func share(_ value: YAMLValue) throws(WorkloadError) -> Share {
    let expected = "a share above 0% and at most 100%, such as 10%"
    guard let share = Share(parsing: try value.text(expected: expected)) else {
      throw value.unexpected(expected)
    }
    return share
  }

  /// A time to live in whole seconds.
  func timeToLive(_ value: YAMLValue) throws(WorkloadError) -> UInt32 {
    let expected = "a time of whole seconds such as 90, 5m, 1h or 30d"
    let text = try value.text([.string, .integer], expected: expected)
    guard let seconds = Quantity.seconds(text), seconds > 0, let ttl = UInt32(exactly: seconds)
    else { throw value.unexpected(expected) }
    return ttl
  }

  /// `none`, a number of requests, a share of them, or `until-full`.
  func warmUp(_ value: YAMLValue) throws(WorkloadError) -> WarmUp {
    let expected = "none, a number of requests, a share such as 10%, or until-full"
    let text = try value.text([.string, .integer], expected: expected)
    switch text {
    case "none": return .none
    case "until-full": return .untilFull
    default:
      if let share = Share(parsing: text), share.billionths < 1_000_000_000 {
        return .share(share)
      }
      guard let requests = Quantity.count(text) else { throw value.unexpected(expected) }
      return requests == 0 ? .none : .requests(requests)
    }
  }

  /// A whole number of objects, at least 1.
  func objects(_ value: YAMLValue) throws(WorkloadError) -> UInt64 {
    try value.whole(in: 1...CapacitySpec.largestObjects, or: [.string])
  }
}
