import LarderEngine
import LarderTraces

/// Keys of one kind of map in a workload file.
package struct KeyTable: Sendable {
  package let name: String
  package let summary: String
  package let keys: [Key]
  let exclusive: [String]
  let components: Components?
  let rules: JSONNode

  package struct Key: Sendable {
    package let name: String
    let shape: ValueShape
    package let isRequired: Bool
    let meaning: String
    let defaultText: String
    let example: String

    package var types: [ValueType] { shape.types }
    package var choices: [String] { shape.words }
  }

  struct Components: Sendable {
    let key: String
    let all: [(name: String, parameters: [Parameter])]
  }

  package enum ValueType: String, Sendable, Hashable, CaseIterable {
    case string
    case integer
    case number
    case boolean
    case array
    case object
  }

  package var names: [String] { keys.map(\.name) }
}

/// One key of a workload file: documentation, schema and decoder.
struct Key<Target>: Sendable {
  let entry: KeyTable.Key
  let take: Take

  typealias Take =
    @Sendable (YAMLValue, inout Target, WorkloadReading) throws(WorkloadError) -> Void

  enum Default: ExpressibleByStringInterpolation {
    /// The key must be given.
    case required
    case text(String)

    init(stringLiteral text: String) { self = .text(text) }
  }

  init<Value>(
    _ name: String, _ form: Form<Value>, _ meaning: String, default defaultValue: Default,
    example: String,
    into: @escaping @Sendable (Value, inout Target, YAMLValue) throws -> Void
  ) {
    let (text, isRequired) =
      switch defaultValue {
      case .required: ("required", true)
      case .text(let text): (text, false)
      }
    entry = KeyTable.Key(
      name: name, shape: form.shape, isRequired: isRequired, meaning: meaning, defaultText: text,
      example: example)
    take = { (value, target, reading) throws(WorkloadError) in
      let result = try form.read(value, reading)
      try value.locating { try into(result, &target, value) }
    }
  }

  init<Value>(
    _ name: String, _ form: Form<Value>, _ path: WritableKeyPath<Target, Value> & Sendable,
    _ meaning: String, default defaultValue: Default, example: String
  ) {
    self.init(name, form, meaning, default: defaultValue, example: example) { value, target, _ in
      target[keyPath: path] = value
    }
  }

  init<Value>(
    _ name: String, _ form: Form<Value>, _ path: WritableKeyPath<Target, Value?> & Sendable,
    _ meaning: String, default defaultValue: Default, example: String
  ) {
    self.init(name, form, meaning, default: defaultValue, example: example) { value, target, _ in
      target[keyPath: path] = value
    }
  }

  private init(entry: KeyTable.Key, take: @escaping Take) {
    self.entry = entry
    self.take = take
  }

  func within<Whole>(_ path: WritableKeyPath<Whole, Target> & Sendable) -> Key<Whole> {
    Key<Whole>(entry: entry) { (value, whole, reading) throws(WorkloadError) in
      try take(value, &whole[keyPath: path], reading)
    }
  }
}

struct Section<Target>: Sendable {
  let table: KeyTable
  let expected: String
  private let keys: [Key<Target>]
  private let finish: Finish

  typealias Finish = @Sendable (YAMLMap, inout Target, WorkloadReading) throws -> Void

  init(
    _ name: String, _ summary: String, expected: String, exclusive: [String] = [],
    components: KeyTable.Components? = nil, rules: JSONNode = [:], keys: [Key<Target>],
    finish: @escaping Finish = { _, _, _ in }
  ) {
    table = KeyTable(
      name: name, summary: summary, keys: keys.map(\.entry), exclusive: exclusive,
      components: components, rules: rules)
    self.expected = expected
    self.keys = keys
    self.finish = finish
  }

  func adding(_ key: Key<Target>) -> Section {
    Section(
      table.name, table.summary, expected: expected, exclusive: table.exclusive,
      components: table.components, rules: table.rules, keys: keys + [key], finish: finish)
  }

  func read(
    _ value: YAMLValue, into target: inout Target, _ reading: WorkloadReading,
    expected: String? = nil
  ) throws(WorkloadError) {
    try read(YAMLMap(value, expected: expected ?? self.expected), into: &target, reading)
  }

  func read(
    _ map: YAMLMap, into target: inout Target, _ reading: WorkloadReading
  ) throws(WorkloadError) {
    try map.check(table)
    for key in keys {
      if let value = map[key.entry.name] { try key.take(value, &target, reading) }
    }
    try map.value.locating { try finish(map, &target, reading) }
  }
}

struct ValueShape: Sendable {
  var types: [KeyTable.ValueType]
  var words: [String] = []
  /// Alternative schemas, one of which must match.
  var alternatives: [JSONNode]
  var definition: (name: String, schema: JSONNode)?

  init(
    _ types: [KeyTable.ValueType], words: [String] = [], _ alternatives: JSONNode...
  ) {
    self.types = types
    self.words = words
    self.alternatives = alternatives
  }

  static func words(_ words: [String]) -> ValueShape {
    ValueShape([.string], words: words, ["enum": .strings(words)])
  }

  static func text(_ pattern: String) -> ValueShape {
    ValueShape([.string], ["type": "string", "pattern": .string("^\(pattern)$")])
  }

  static func map(_ table: KeyTable) -> ValueShape {
    ValueShape([.object], .reference(table.name))
  }

  static func whole(_ range: ClosedRange<UInt64>) -> ValueShape {
    var fields: [(String, JSONNode)] = [
      ("type", "integer"), ("minimum", .number("\(range.lowerBound)")),
    ]
    if range.upperBound < UInt64(Int64.max) {
      fields.append(("maximum", .number("\(range.upperBound)")))
    }
    return ValueShape([.integer], .object(fields))
  }

  func or(_ other: ValueShape) -> ValueShape {
    var shape = self
    shape.types += other.types.filter { !types.contains($0) }
    shape.words += other.words
    shape.alternatives += other.alternatives
    shape.definition = definition ?? other.definition
    return shape
  }

  func named(_ name: String) -> ValueShape {
    var shape = self
    shape.definition = (name, schema)
    shape.alternatives = [.reference(name)]
    return shape
  }

  static func reference(to shape: ValueShape) -> ValueShape {
    var shape = shape
    shape.definition = nil
    return shape
  }

  var listed: ValueShape {
    var shape = self
    shape.types = [.array] + types
    shape.alternatives.insert(["type": "array", "minItems": 1, "items": schema], at: 0)
    return shape
  }

  var schema: JSONNode {
    alternatives.count == 1 ? alternatives[0] : ["anyOf": .array(alternatives)]
  }
}
