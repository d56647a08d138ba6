import Larder
import LarderEngine
import LarderPolicies
import LarderTraces

/// Schema and decoder of a key's value.
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

  /// A scalar whose text `parse` reads; nil from it is an unexpected value.
  static func scalar(
    _ expected: String, _ shape: ValueShape, _ types: Set<ValueType> = [.string],
    parse: @escaping @Sendable (String) -> Value?
  ) -> Form {
    Form(shape) { value, _ in
      guard let result = parse(try value.text(types, expected: expected)) else {
        throw value.unexpected(expected)
      }
      return result
    }
  }

  /// A list, or a single value instead of a list of one.
  static func list<Item>(of item: Form<Item>, _ what: String) -> Form where Value == [Item] {
    let types = item.shape.types
    let single = Set(types).union(types.contains(.integer) ? [.number] : [])
    return Form(item.shape.listed) { value, reading in
      try value.items(orSingle: single, of: what).map { try item.read($0, reading) }
    }
  }

  /// A list in brackets or dashes, even of one item.
  static func items<Item>(of item: Form<Item>, _ what: String) -> Form where Value == [Item] {
    var shape = item.shape.listed
    (shape.types, shape.alternatives) = ([.array], [shape.alternatives[0]])
    return Form(shape) { value, reading in
      try value.items(of: what).map { try item.read($0, reading) }
    }
  }

  static func map(_ section: Section<Value>, into initial: Value) -> Form where Value: Sendable {
    Form(.map(section)) { try section.read($0, into: initial, $1) }
  }

  /// A word that represents `initial`, or a map.
  static func word(
    _ word: String, orMap section: Section<Value>, into initial: Value
  ) -> Form where Value: Sendable {
    Form(.map(section).or(.words([word]))) { value, reading in
      if value.type == .object { return try section.read(value, into: initial, reading) }
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
    (self.checks, self.workload) = (checks, workload)
  }
}

extension Form where Value: Sendable {
  /// One of some words, each with its value.
  static func choice(_ words: KeyValuePairs<String, Value>) -> Form {
    let known = words.map(\.key)
    return Form(.words(known)) { value, _ in
      let word = try value.word(of: known)
      guard let choice = words.first(where: { $0.key == word }) else {
        throw value.unexpected("a known word")
      }
      return choice.value
    }
  }
}

extension Form where Value == String {
  static func text(_ expected: String) -> Form {
    .scalar(expected, ValueShape([.string], ["type": "string"])) { $0 }
  }

  /// A name that may become part of a path and of a table.
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
  /// One of an enum's words; `listed` are those in the schema.
  static func choice(listed: [Value] = Array(Value.allCases)) -> Form {
    Form(.words(listed.map(\.rawValue))) { value, _ in try value.choice(of: Value.self) }
  }
}

extension Form where Value: FixedWidthInteger & Sendable {
  static func whole(_ range: ClosedRange<Value>) -> Form {
    let range = UInt64(range.lowerBound)...UInt64(range.upperBound)
    return Form(.whole(range)) { value, _ in Value(try value.whole(in: range)) }
  }

  /// A number of requests or objects; also `5M`.
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

  /// A number above 0: from `least`, which is close to 0, to `most`.
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
    .scalar(
      "a time of whole seconds such as 90, 5m, 1h or 30d",
      .whole(1...UInt64(UInt32.max)).or(.text(Quantity.duration.pattern)).named("ttl"),
      [.string, .integer]
    ) { text in
      Quantity.seconds(text).flatMap { $0 > 0 ? UInt32(exactly: $0) : nil }
    }
  }
}

extension ValueShape {
  /// A share as a number from 0 to 1, a percentage or a fraction.
  static let share = ValueShape([.number], ["type": "number", "minimum": 0, "maximum": 1])
    .or(text(Share.pattern)).named("share")

  /// Text, for which editors propose known names; programs may add others.
  static func proposing(_ names: [String], as name: String) -> ValueShape {
    ValueShape([.string], ["enum": .strings(names)], ["type": "string"]).named(name)
  }
}

extension Form where Value == Share {
  /// A share above 0, or from 0, such as `10%`, `0.1` or `1/10`.
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
      guard let unit = reading.workload.unit else { return capacity }
      if case .share = capacity.amount { return capacity }
      _ = try capacity.resolve(unit: unit, objects: 0, footprintBytes: nil)
      return capacity
    }
  }
}

extension Form where Value == PolicySpec {
  static var policy: Form {
    let names = PolicyRegistry.standard.map(\.description.name)
    return spec(names, "policy", "the name of a policy") { try $0.policy($1) }
  }

  static var admission: Form {
    let names = AdmissionRegistry.all.map(\.description.name)
    return spec(names, "admission", "the name of an admission filter") { try $0.admission($1) }
  }

  private static func spec(
    _ names: [String], _ shape: String, _ expected: String,
    _ check: @escaping @Sendable (ComponentChecks, PolicySpec) throws -> Void
  ) -> Form {
    Form(.proposing(names, as: shape)) { value, reading in
      let spec = try PolicySpec(parsing: try value.text(expected: expected).trimmed)
      try check(reading.checks, spec)
      return spec
    }
  }
}
