import Larder
import LarderEngine
import LarderPolicies
import LarderTraces

struct Form<Value>: Sendable {
  let shape: ValueShape
  private let body: @Sendable (YAMLValue, WorkloadReading) throws -> Value

  init(
    _ shape: ValueShape, read: @escaping @Sendable (YAMLValue, WorkloadReading) throws -> Value
  ) {
    self.shape = shape
    body = read
  }

  func read(_ value: YAMLValue, _ reading: WorkloadReading) throws(WorkloadError) -> Value {
    try value.locating { try body(value, reading) }
  }

  func named(_ name: String) -> Form { Form(shape.named(name), read: body) }

  static func scalar(
    _ expected: String, _ shape: ValueShape, _ types: Set<KeyTable.ValueType> = [.string],
    parse: @escaping @Sendable (String) -> Value?
  ) -> Form {
    Form(shape) { value, _ in
      guard let result = parse(try value.text(types, expected: expected)) else {
        throw value.unexpected(expected)
      }
      return result
    }
  }

  static func list<Item>(of item: Form<Item>, _ what: String) -> Form where Value == [Item] {
    let types = item.shape.types
    let single = Set(types).union(types.contains(.integer) ? [.number] : [])
    return Form(item.shape.listed) { value, reading in
      try value.items(orSingle: single, of: what).map { try item.read($0, reading) }
    }
  }

  static func items<Item>(of item: Form<Item>, _ what: String) -> Form where Value == [Item] {
    var shape = item.shape.listed
    (shape.types, shape.alternatives) = ([.array], [shape.alternatives[0]])
    return Form(shape) { value, reading in
      try value.items(of: what).map { try item.read($0, reading) }
    }
  }

  static func map(
    _ section: Section<Value>, into initial: Value, expected: String? = nil
  ) -> Form where Value: Sendable {
    Form(.map(section.table)) { value, reading in
      var result = initial
      try section.read(value, into: &result, reading, expected: expected)
      return result
    }
  }

  static func word(
    _ word: String, orMap section: Section<Value>, into initial: Value
  ) -> Form where Value: Sendable {
    let map = Form.map(section, into: initial)
    return Form(map.shape.or(.words([word]))) { value, reading in
      if value.type == .object { return try map.read(value, reading) }
      guard try value.text(expected: section.expected) == word else {
        throw value.unexpected(section.expected)
      }
      return initial
    }
  }
}

/// Context of decoding a value: the known components, and the preceding part of the file.
final class WorkloadReading {
  let checks: ComponentChecks
  var workload: Workload
  var sourceDepth = 0

  init(checks: ComponentChecks, workload: Workload) {
    self.checks = checks
    self.workload = workload
  }
}

extension Form where Value == String {
  static func text(_ expected: String) -> Form {
    .scalar(expected, ValueShape([.string], ["type": "string"])) { $0 }
  }

  static var name: Form {
    .scalar(
      "a name of letters, digits, '-', '_' and '.'",
      .text("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}").named("name")
    ) { name in
      let isName =
        !name.isEmpty && name.count <= 100 && name.first != "."
        && name.allSatisfy(WorkloadDecoder.isNameCharacter)
      return isName ? name : nil
    }
  }
}

extension Form where Value == Bool {
  static var boolean: Form {
    Form(ValueShape([.boolean], ["type": "boolean"])) { value, _ in try value.boolean() }
  }
}

extension Form where Value: RawRepresentable<String> & CaseIterable & Sendable {
  static func choice(listed: [Value] = Array(Value.allCases)) -> Form {
    Form(.words(listed.map(\.rawValue))) { value, _ in try value.choice(of: Value.self) }
  }
}

extension Form where Value: FixedWidthInteger & Sendable {
  /// A whole number in the range, which must be within that of `UInt64`.
  static func whole(_ range: ClosedRange<Value>) -> Form {
    let range = UInt64(range.lowerBound)...UInt64(range.upperBound)
    return Form(.whole(range)) { value, _ in Value(try value.whole(in: range)) }
  }

  static var count: Form {
    let range = 1...CapacitySpec.largestObjects
    return Form(.whole(range).or(.text(Quantity.count.pattern)).named("count")) { value, _ in
      Value(try value.whole(in: range, or: [.string]))
    }
  }

  static func bytes(_ range: ClosedRange<Value>, such example: String) -> Form {
    let range = UInt64(range.lowerBound)...UInt64(range.upperBound)
    return .scalar(
      "bytes from \(range.lowerBound) to \(range.upperBound), such as \(example)",
      .whole(range).or(.text(Quantity.bytes.pattern)), [.string, .integer]
    ) { text in
      Quantity.bytes.amount(text).flatMap { range.contains($0) ? Value($0) : nil }
    }
  }
}

extension Form where Value == Double {
  static func number(upTo most: Int) -> Form {
    Form(ValueShape([.number], ["type": "number", "minimum": 0, "maximum": .number("\(most)")])) {
      value, _ in
      try value.number(in: 0...Double(most), expected: "a number from 0 to \(most)")
    }
  }

  static func positive(
    _ what: String, least: Double = .leastNormalMagnitude, most: Double
  ) -> Form {
    Form(ValueShape([.number], ["type": "number", "exclusiveMinimum": 0])) { value, _ in
      try value.number(in: least...most, expected: "a number\(what) above 0")
    }
  }

  static func ratio(_ what: String = "share", from least: Bool = true) -> Form {
    let share = Form<Share>.share(what, from: least)
    return Form(share.shape) { value, reading in try share.read(value, reading).ratio }
  }
}

extension Form where Value == UInt32 {
  static var timeToLive: Form {
    let text = ValueShape.text(Quantity.duration.pattern)
    return .scalar(
      "a time of whole seconds such as 90, 5m, 1h or 30d",
      .whole(1...UInt64(UInt32.max)).or(text).named("ttl"), [.string, .integer]
    ) { text in
      Quantity.seconds(text).flatMap { $0 > 0 ? UInt32(exactly: $0) : nil }
    }
  }
}

extension ValueShape {
  static let share = ValueShape([.number], ["type": "number", "minimum": 0, "maximum": 1])
    .or(text(Share.pattern)).named("share")

  static func proposing(_ names: [String], as name: String) -> ValueShape {
    ValueShape([.string], ["enum": .strings(names)], ["type": "string"]).named(name)
  }
}

extension Form where Value == Share {
  static func share(_ what: String = "share", from least: Bool = false) -> Form {
    .scalar(
      "a \(what) \(least ? "from 0% to" : "above 0% and at most") 100%, such as 10%, 0.1 or 1/10",
      .share, [.string, .integer, .number]
    ) { text in
      Share(parsing: text).flatMap { least || $0.parts > 0 ? $0 : nil }
    }
  }
}

extension Form where Value == CapacitySpec {
  static var capacity: Form {
    let text = ValueShape.text(Quantity.bytes.pattern).or(.share)
    let whole = ValueShape([.integer], ["type": "integer", "minimum": 1])
    return Form(text.or(whole).named("capacity")) { value, reading in
      let text = try value.text([.string, .integer, .number], expected: "a capacity")
      let capacity = try CapacitySpec(parsing: text)
      switch (capacity.amount, reading.workload.unit) {
      case (.objects, let unit?), (.bytes, let unit?):
        _ = try capacity.resolve(unit: unit, objects: 0, footprintBytes: nil)
      default: break
      }
      return capacity
    }
  }
}

extension Form where Value == WarmUp {
  static var warmUp: Form {
    let words = ValueShape.words(["none", "until-full"])
    let none = ValueShape([.integer], ["type": "integer", "minimum": 0])
    return .scalar(
      "none, a number of requests, a share such as 10%, or until-full",
      words.or(.share).or(none).or(Form<UInt64>.count.shape), [.string, .integer, .number]
    ) { text in
      if text == "none" { return WarmUp.none }
      if text == "until-full" { return .untilFull }
      if let requests = Quantity.count.amount(text) {
        return requests == 0 ? WarmUp.none : .requests(requests)
      }
      guard let share = Share(parsing: text), share.parts < share.whole else { return nil }
      return share.parts == 0 ? WarmUp.none : .share(share)
    }
  }
}

extension Form where Value == PolicySpec {
  static var policy: Form {
    Form(.proposing(PolicyRegistry.standard.map(\.description.name), as: "policy")) {
      value, reading in
      try spec(value, "the name of a policy", reading.checks.policy)
    }
  }

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
  static var policyOrAll: Form {
    let names = ["all"] + PolicyRegistry.standard.map(\.description.name)
    return Form(.proposing(names, as: "policy-or-all")) { value, reading in
      let text = String(try value.text(expected: "the name of a policy").trimmed)
      if text.hasSuffix(":*") {
        let specs = try PolicySpec.list(parsing: text)
        for spec in specs { try reading.checks.policy(spec) }
        return specs
      }
      guard text == "all" else { return [try Form<PolicySpec>.policy.read(value, reading)] }
      return try PolicyRegistry.all.map { try PolicySpec(parsing: $0.description.name) }
    }
  }
}

extension Form where Value == ConfigurationSpec {
  static var preset: Form {
    Form(.proposing(CachePreset.all.map(\.name), as: "preset")) { value, reading in
      try reading.checks.preset(try value.text(expected: "the name of a preset"))
    }
  }
}

extension Form where Value == ComponentSpec {
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
